#include "tests/real/programs.h"

#include <stddef.h>

/* Runs up to the line, then goes on. */
#define AWAIT(condition) "until " condition "; do sleep 0.05; done\n"

#define C_PROGRAM                                                                                  \
	"cat >hello.c <<'E'\n"                                                                     \
	"#include <stdio.h>\n"                                                                     \
	"int main(void) { for (int i = 0; i < 3; i++) printf(\"%d\\n\", i * i); return 0; }\n"     \
	"E\n"

const struct real_program real_programs[] = {
    {"redis", "redis-server redis-tools", "redis-server",
	"redis-server --port 0 --unixsocket s --save '' >log & server=$!\n" AWAIT(
	    "redis-cli -s s ping >/dev/null 2>&1") "redis-cli -s s set a 41\n"
						   "redis-cli -s s incr a\n"
						   "redis-cli -s s rpush l x y z\n"
						   "redis-cli -s s lrange l 0 -1\n"
						   "redis-cli -s s shutdown nosave\n"
						   "wait $server; echo status $?\n",
	"42\n", "redis-server", "accept4", REAL_GUARDED},
    {"postgresql", "postgresql", "/usr/lib/postgresql/*/bin/initdb",
	"PATH=$(echo /usr/lib/postgresql/*/bin | tr ' ' '\\n' | tail -n 1):$PATH\n"
	"initdb -D d -A trust -N >/dev/null\n"
	"pg_ctl -D d -o \"-k $PWD -h ''\" -l log -w start >/dev/null\n"
	"psql -qAt -h \"$PWD\" postgres -c 'create table t (a int)' "
	"-c 'insert into t select generate_series(1, 1000)' -c 'select sum(a) from t'\n"
	"pg_ctl -D d -m fast -w stop\n",
	"500500\n", "postgres\" -D", "fork", REAL_GUARDED},
    {"nginx", "nginx-light curl", "/usr/sbin/nginx",
	"mkdir html; echo served >html/index.html\n"
	"cat >conf <<E\n"
	"pid $PWD/pid; error_log $PWD/log; worker_processes 2;\n"
	"events {} http { access_log off; client_body_temp_path $PWD/b; proxy_temp_path $PWD/p;\n"
	"fastcgi_temp_path $PWD/f; uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/c;\n"
	"server { listen unix:$PWD/s; root $PWD/html; } }\n"
	"E\n"
	"chmod 755 . .. html\n"
	"/usr/sbin/nginx -p \"$PWD\" -c conf -g 'daemon off;' 2>/dev/null & server=$!\n" AWAIT(
	    "curl -s --unix-socket s http://h/ >/dev/null") "curl -s --unix-socket s http://h/\n"
							    "kill -QUIT $server; wait $server\n"
							    "echo status $?\n",
	"served\n", "nginx", "sigsuspend", 0},
    {"memcached", "memcached", "memcached",
	"memcached -u \"$(id -un)\" -s \"$PWD/s\" -t 2 & server=$!\n" AWAIT(
	    "test -S s") "perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => \"s\") "
			 "or die;\n"
			 "print $s \"set a 0 0 2\\r\\n42\\r\\nget a\\r\\nquit\\r\\n\";\n"
			 "while (<$s>) { s/\\r//; print }'\n"
			 "kill $server; wait $server; true\n",
	"42", "memcached -u", "epoll_wait", 0},
    {"sqlite", "sqlite3", "sqlite3",
	"sqlite3 db 'create table t (a); with recursive c(x) as (select 1 union all select x + 1 "
	"from c where x < 5000) insert into t select x from c; select sum(a) from t'\n",
	"12502500\n", "sqlite3 db", "fdatasync", 0},
    {"git", "git", "git",
	"export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000' "
	"GIT_CONFIG_GLOBAL=/dev/null\n"
	"git init -q -b main . && git config user.name n && git config user.email e\n"
	"for i in 1 2 3; do echo $i >file; git add file; git commit -q -m $i; done\n"
	"git gc -q; git log --oneline; git fsck\n",
	" 3\n", "git log", "write", REAL_GUARDED},
    {"node", "nodejs", "node",
	"node -e 'let a = []; for (let i = 0; i < 1e5; i++) a.push(i * 7919 % 1009);"
	"console.log(a.sort((x, y) => x - y)[500])'\n",
	"5\n", "node -e", "uv_run", 0},
    {"go", "golang-go", "go",
	"export GOCACHE=$HOME/cache GOFLAGS=-mod=mod GO111MODULE=off GOTOOLCHAIN=local\n"
	"cat >hello.go <<'E'\n"
	"package main\nimport (\"fmt\"; \"sync\")\n"
	"func main() { var w sync.WaitGroup; c := make(chan int, 10)\n"
	"for i := 0; i < 10; i++ { w.Add(1); go func(n int) { defer w.Done(); c <- n * n }(i) }\n"
	"w.Wait(); close(c); s := 0; for v := range c { s += v }; fmt.Println(s) }\n"
	"E\n"
	"go build -o hello hello.go && ./hello\n",
	"285\n", "./hello", "main.main", 0},
    {"rust", "rustc", "rustc",
	"cat >hello.rs <<'E'\n"
	"use std::collections::HashMap;\n"
	"fn main() { let mut m = HashMap::new(); for i in 0..1000 { *m.entry(i % 7).or_insert(0) "
	"+= i; }\n"
	"let mut v: Vec<_> = m.into_iter().collect(); v.sort(); println!(\"{:?}\", v); }\n"
	"E\n"
	"rustc -g -O hello.rs && ./hello\n",
	"(0, 71071)", "./hello", "hello::main", 0},
    {"cargo", "cargo", "cargo",
	"cargo init -q --vcs none --name hello . && cargo build -q --offline && "
	"target/debug/hello\n",
	"Hello, world!\n", "target/debug/hello", "hello::main", 0},
    {"php", "php-cli", "php",
	"php -r '$a = []; for ($i = 0; $i < 50000; $i++) $a[$i % 97] = md5($i); ksort($a); echo "
	"count($a), \" \", $a[5], \"\\n\";'\n",
	"97 ", "php -r", "write", 0},
    {"ruby", "ruby", "ruby",
	"ruby -e 'h = Hash.new(0); 50_000.times { |i| h[i % 97] += i }; puts h[5]; "
	"puts Thread.new { h.size }.value'\n",
	"97\n", "ruby -e", "write", 0},
    {"java", "openjdk-17-jdk-headless", "javac",
	"cat >Hello.java <<'E'\n"
	"import java.util.*;\n"
	"public class Hello { public static void main(String[] a) throws Exception {\n"
	"Map<Integer, Integer> m = new TreeMap<>(); for (int i = 0; i < 20000; i++) m.merge(i % "
	"97, i, "
	"Integer::sum);\n"
	"Thread t = new Thread(() -> System.out.println(m.get(5))); t.start(); t.join(); } }\n"
	"E\n"
	"javac Hello.java && java -Xmx64m -cp . Hello\n",
	"2069172\n", "java -Xmx64m", "pthread_create", 0},
    {"ffmpeg", "ffmpeg", "ffmpeg",
	"ffmpeg -v error -f lavfi -i testsrc=duration=1:size=160x120:rate=10 -threads 2 -c:v mpeg4 "
	"-bitexact out.avi && ffmpeg -v error -i out.avi -f framemd5 - | tail -n 1\n",
	", ", "ffmpeg -v error -f", "pthread_create", 0},
    {"gcc", "gcc", "gcc", C_PROGRAM "gcc -O2 -g hello.c -o hello && ./hello\n", "4\n", "cc1",
	"write", REAL_GUARDED},
    {"g++", "g++", "g++",
	"cat >hello.cc <<'E'\n"
	"#include <iostream>\n#include <map>\n"
	"int main() { std::map<int, int> m; for (int i = 0; i < 100; i++) m[i % 7] += i; "
	"for (auto &x : m) std::cout << x.second << '\\n'; }\n"
	"E\n"
	"g++ -O2 hello.cc -o hello && ./hello\n",
	"735\n", "cc1plus", "write", 0},
    {"make", "make gcc", "make",
	C_PROGRAM "for i in 1 2 3 4; do sed \"s/main/main$i/\" hello.c >h$i.c; done\n"
		  "printf 'all: h1.o h2.o h3.o h4.o\\n' >Makefile\n"
		  "make -s -j2 && ls *.o\n",
	"h4.o\n", "make -s", "waitpid", 0},
    {"cmake", "cmake g++ make", "cmake",
	C_PROGRAM "printf 'cmake_minimum_required(VERSION 3.10)\\nproject(p C)\\n"
		  "add_executable(hello hello.c)\\n' >CMakeLists.txt\n"
		  "cmake -S . -B b >/dev/null && cmake --build b >/dev/null && b/hello\n",
	"4\n", "cmake -S", "read", 0},
    {"perl", "perl", "perl",
	"perl -e 'my %h; $h{$_ % 97} .= $_ for 1 .. 50000; print length(join \"\", map { $h{$_} } "
	"sort "
	"keys %h), \"\\n\"'\n",
	"\n", "perl -e", "write", 0},
    {"python", "python3", "python3",
	"python3 -c 'import threading, json\n"
	"r = []\n"
	"t = [threading.Thread(target=lambda n=n: r.append(n * n)) for n in range(4)]\n"
	"[x.start() for x in t]; [x.join() for x in t]\n"
	"print(json.dumps(sorted(r)))'\n",
	"[0, 1, 4, 9]\n", "python3 -c", "write", REAL_GUARDED},
    {"numpy", "python3-numpy", "/usr/lib/python3/dist-packages/numpy",
	"python3 -c 'import numpy as n; a = n.arange(10000).reshape(100, 100); print((a @ "
	"a).sum())'\n",
	"\n", "python3 -c", "write", 0},
    {"R", "r-base-core", "R",
	"R --vanilla --slave -e 'x <- 1:1000; print(sum(x)); print(coef(lm(x ~ rev(x)))[[2]])'\n",
	"500500", "R --vanilla", "write", 0},
    {"mpi", "openmpi-bin", "mpirun",
	"OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -np 2 "
	"sh -c 'echo rank' \n",
	"rank\nrank\n", "mpirun", "write", 0},
    {"lmdb", "lmdb-utils", "mdb_load",
	"mkdir d; for i in 1 2 3 4 5; do printf 'k%s\\nv%s\\n' $i $i; done | mdb_load -T d && "
	"mdb_dump -p d | grep -c v\n",
	"\n", "mdb_dump", "write", 0},
    {"qemu", "qemu-system-x86", "qemu-system-x86_64",
	"echo quit | qemu-system-x86_64 -M none -nographic -nodefaults -monitor stdio >out\n"
	"head -n 1 out | cut -c 1-4\n",
	"QEMU", "qemu-system-x86_64 -M", "ppoll", 0},
    {"fio", "fio", "fio",
	"fio --name=x --size=256k --ioengine=psync --rw=randrw --bs=4k --randrepeat=1 --thread "
	"--minimal "
	">out "
	"&& echo done\n",
	"done\n", "fio --name", "pread", 0},
    {"openssl", "openssl", "openssl",
	"echo text | openssl dgst -sha256; openssl speed -seconds 1 -bytes 64 sha256 2>/dev/null | "
	"grep -c sha256\n",
	"\n", "openssl dgst", "write", REAL_VARIES},
    {"compressors", "bzip2 xz-utils zstd gzip", "zstd",
	"head -c 200000 /bin/sh >f; for c in gzip bzip2 'xz -T2' 'zstd -q -T2'; do $c -c f >f.c && "
	"$c -d -c <f.c | cmp - f && echo $c; done\n",
	"zstd", "zstd -q", "write", 0},
    {"chromium", "chromium-headless-shell", "chromium-headless-shell",
	"chromium-headless-shell --no-sandbox --disable-gpu --dump-dom "
	"'data:text/html,<p>shown</p>' 2>/dev/null\n",
	"shown", "/usr/lib/chromium/chromium-headless-shell --no-sandbox", "pthread_create", 0},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0},
};
