// Goroutines that run on no thread, each in another way, and what the runtime itself says of them. "hangs": until it
// kills itself; "many": more than anybody reads.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

type job struct {
	id int
}

var (
	held   sync.Mutex
	nobody chan int
	victim *job
	sum    int
)

//go:noinline
func take(jobs chan *job, name string) int {
	next := <-jobs // takes
	return next.id + len(name)
}

//go:noinline
func lock() {
	held.Lock() // locks
	held.Unlock()
}

//go:noinline
func choose(left, right chan int) int {
	select { // chooses
	case value := <-left:
		return value
	case value := <-right:
		return -value
	}
}

//go:noinline
func send(full chan int) {
	full <- 7 // sends
}

//go:noinline
func deep(level int) int {
	if level > 0 {
		return deep(level-1) + 1 // deeper
	}
	return <-nobody // never
}

//go:noinline
func late(level int) int {
	return deep(level) + 1
}

func add(more int) {
	sum += more // inlined
}

//go:noinline
func told() string {
	text := make([]byte, 1<<16)
	return string(text[:runtime.Stack(text, true)]) // told
}

func kill() {
	time.Sleep(100 * time.Millisecond)
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

func start(jobs chan *job) {
	for i := 0; i < 3; i++ {
		go take(jobs, "taker") // takers
	}
	held.Lock()
	go lock()
	go choose(make(chan int), make(chan int))
	go send(make(chan int))
	go deep(5)
	go time.Sleep(time.Hour)
	go func() {
		pipe, _, _ := os.Pipe()
		pipe.Read(make([]byte, 8)) // reads
	}()
}

func startMany(jobs chan *job) {
	var begun sync.WaitGroup
	begun.Add(5120)
	for i := 0; i < 5000; i++ {
		go func() {
			begun.Done()
			take(jobs, "taker")
		}()
	}
	for i := 0; i < 120; i++ {
		go func(level int) {
			begun.Done()
			deep(level)
		}(i)
	}
	begun.Wait()
}

func main() {
	jobs, text, is := make(chan *job), "", os.Args[len(os.Args)-1]
	runtime.GOMAXPROCS(1)
	if is == "many" {
		startMany(jobs)
	} else {
		start(jobs)
	}
	time.Sleep(200 * time.Millisecond)
	if is == "hangs" {
		go kill()
		<-nobody // hangs
	}
	go late(3) // not yet
	if is != "many" {
		text = told()
	}
	add(len(text))    // adds
	fmt.Println(text) // look
	victim.id = sum   // crash
}
