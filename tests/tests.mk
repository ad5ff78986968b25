# How the tests are built and run; included by the top Makefile.
#
#   tests/unit/FOLDER/test_*.c   Check suites, one program each, linked with that folder's archive
#   tests/lint/                  the lint of tool tables, linked into the suites of mcp and supervisor
#   tests/e2e/test_*.c           Check suites that drive the built server over real pipes
#   tests/programs/*.c           programs to record
#   tests/bench/                 `make bench`
#   tests/demo/                  `make demo`

TEST_LIBS := $(shell pkg-config --libs check 2>/dev/null)
TEST_BIN  := $(BUILD)/tests

unit_of = $(patsubst tests/unit/%.c,$(TEST_BIN)/unit/%,$(wildcard tests/unit/$(1)/test_*.c))
UNIT_TESTS := $(foreach f,mcp sandbox worker supervisor softpmu,$(call unit_of,$(f)))

LINT_OBJ := $(BUILD)/obj/tests/lint/lint.o
$(call unit_of,mcp): $(LINT_OBJ) $(BUILD)/obj/mcp.a
$(call unit_of,sandbox): $(BUILD)/obj/sandbox.a
$(call unit_of,worker): $(BUILD)/obj/worker.a $(BUILD)/obj/sandbox.a
$(call unit_of,supervisor): $(LINT_OBJ) $(BUILD)/obj/supervisor.a $(BUILD)/obj/mcp.a $(BUILD)/obj/sandbox.a
# Of the software PMU only what is pure: the interposers would stand in for libc in the test itself.
$(call unit_of,softpmu): $(addprefix $(BUILD)/obj/worker/softpmu/,branch.o decode.o guest.o maps.o message.o native.o region.o thunk.o translate.o)
$(call unit_of,softpmu): UNIT_LIBS := -lZydis
$(UNIT_TESTS): $(TEST_BIN)/unit/%: $(BUILD)/obj/tests/unit/%.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS) $(LIBS) $(UNIT_LIBS)

E2E_TESTS := $(patsubst tests/e2e/%.c,$(TEST_BIN)/e2e/%,$(wildcard tests/e2e/test_*.c))
E2E_SUPPORT := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/e2e/test_%,$(wildcard tests/e2e/*.c)))
# What the demo and the benchmarks link: the same without Check.
E2E_HARNESS := $(filter-out %/scene.o,$(E2E_SUPPORT))
$(E2E_TESTS): $(TEST_BIN)/e2e/%: $(BUILD)/obj/tests/e2e/%.o $(E2E_SUPPORT)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LIBS)

# Attacks: end-to-end too, with a witness that nothing may touch.
ATTACK_TESTS := $(patsubst tests/attacks/%.c,$(TEST_BIN)/attacks/%,$(wildcard tests/attacks/test_*.c))
ATTACK_SUPPORT := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/attacks/test_%,$(wildcard tests/attacks/*.c)))
$(ATTACK_TESTS): $(TEST_BIN)/attacks/%: $(BUILD)/obj/tests/attacks/%.o $(ATTACK_SUPPORT) $(E2E_SUPPORT)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LIBS)

# Programs to record: plain debug builds, as a user would make them.
PROGRAMS := $(patsubst tests/programs/%.c,$(TEST_BIN)/programs/%,$(wildcard tests/programs/*.c))
$(TEST_BIN)/programs/static_hello: PROGRAM_LIBS := -static
$(TEST_BIN)/programs/optimized: PROGRAM_LIBS := -O2
$(TEST_BIN)/programs/%: tests/programs/%.c
	@mkdir -p $(@D)
	$(CC) -g -O0 -pthread -o $@ $< $(PROGRAM_LIBS)

# Stand-ins that misbehave on purpose.
DOUBLES := $(addprefix $(TEST_BIN)/doubles/,worker gdb prisoner no_spaces forbid)
$(DOUBLES): $(TEST_BIN)/doubles/%: $(BUILD)/obj/tests/doubles/%.o $(BUILD)/obj/sandbox.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: check check-unit check-e2e
check: deps-check
	@$(MAKE) --no-print-directory build tests
	@$(TEST_ENV) tests/run.sh $(UNIT_TESTS) $(E2E_TESTS) $(ATTACK_TESTS)
	@$(TEST_ENV) tests/corpus/run.sh

.PHONY: tests
tests: $(UNIT_TESTS) $(E2E_TESTS) $(ATTACK_TESTS) $(PROGRAMS) $(DOUBLES)

TEST_ENV = RR_WARDEN=$(abspath $(SUPERVISOR)) PROGRAMS=$(abspath $(TEST_BIN))/programs

check-unit: $(UNIT_TESTS)
	@tests/run.sh $(UNIT_TESTS)

check-e2e: build $(E2E_TESTS) $(PROGRAMS) $(DOUBLES)
	@$(TEST_ENV) tests/run.sh $(E2E_TESTS)

# All attacks, where `make check` has a sample of the long ones: 500 crafted traces among them, all
# of them replayed, which takes a quarter of an hour.
.PHONY: check-attacks
check-attacks: build $(ATTACK_TESTS) $(PROGRAMS) $(DOUBLES)
	@$(TEST_ENV) ATTACKS=all CK_TIMEOUT_MULTIPLIER=12 tests/run.sh $(ATTACK_TESTS)

# Real programs under real rr; RUNS=20 for the long run, CORPUS_FLAGS=-n without syscall buffer.
.PHONY: check-corpus
check-corpus: build $(PROGRAMS)
	@$(TEST_ENV) tests/corpus/run.sh $(CORPUS_FLAGS)

# ---- The same with other eyes -----------------------------------------------------------------

.PHONY: deps-style check-style check-clang check-sanitize
deps-style:
	@sh packaging/install-deps.sh style

check-style: deps-style
	@tests/style.sh $(CPPFLAGS)

check-clang: deps-style
	@$(MAKE) --no-print-directory BUILD=build-clang CC=clang EXTRA_CFLAGS=-Werror build tests

# The software PMU is loaded into rr, which has no sanitizer's runtime: it comes from the plain build.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
check-sanitize: deps-check build
	@$(MAKE) --no-print-directory BUILD=build-asan OPT='-O1 -g' HARDEN= \
		EXTRA_CFLAGS='$(SANITIZE)' EXTRA_LDFLAGS='$(SANITIZE)' build tests
	@cp $(SOFTPMU) build-asan/libexec/rr-warden/
	@$(MAKE) --no-print-directory BUILD=build-asan check-sanitized

# Leaks are looked for in the unit tests; in the sandbox LeakSanitizer cannot stop its own threads.
.PHONY: check-sanitized
check-sanitized:
	@tests/run.sh $(UNIT_TESTS)
	@$(TEST_ENV) ASAN_OPTIONS=detect_leaks=0 tests/run.sh $(filter %/test_main_path,$(E2E_TESTS))

# ---- Demo and measurements --------------------------------------------------------------------

.PHONY: demo demo-run
demo:
	@sh packaging/install-deps.sh demo
	@$(MAKE) --no-print-directory -j2 build demo-run

DEMO := $(TEST_BIN)/demo
$(DEMO): $(BUILD)/obj/tests/demo/demo.o $(E2E_HARNESS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

demo-run: build $(DEMO) $(TEST_BIN)/programs/list_corruption
	@$(TEST_ENV) $(DEMO)

# Each part measures itself in a bench-NAME target, in tests/bench/NAME.mk, and adds it to BENCHES.
BENCHES :=
include $(wildcard tests/bench/*.mk)
.PHONY: bench $(BENCHES)
bench: deps-check
	@$(MAKE) --no-print-directory build
	@for b in $(BENCHES); do $(MAKE) --no-print-directory $$b || exit 1; done

# ---- Fuzzing (clang) ---------------------------------------------------------------------------
# Bounded runs from the committed corpus: fuzz_server is the whole core, fuzz_envelope the line
# reader and the envelope alone, a hundred times as fast. A finding goes to build/fuzz and becomes
# a corpus file and a scenario of the unit tests. FUZZ_RUNS=10000000 is the long run.

FUZZ_RUNS ?= 1000000
FUZZ_SERVER_RUNS ?= 50000
FUZZ_FLAGS := -max_len=1024 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
	-dict=$(CURDIR)/tests/fuzz/mcp.dict

$(BUILD)/fuzz/%: tests/fuzz/%.c $(wildcard mcp/*.[ch])
	@mkdir -p $(@D)
	clang -std=c17 -g -O1 $(WARN) $(CPPFLAGS) -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -o $@ $(filter %.c,$^) $(LIBS)

.PHONY: deps-fuzz fuzz
deps-fuzz:
	@sh packaging/install-deps.sh fuzz
fuzz: export ASAN_OPTIONS = malloc_context_size=1:quarantine_size_mb=8
fuzz: deps-fuzz $(BUILD)/fuzz/fuzz_server $(BUILD)/fuzz/fuzz_envelope
	@mkdir -p $(BUILD)/fuzz/grown
	cd $(BUILD)/fuzz && ./fuzz_envelope -runs=$(FUZZ_RUNS) $(FUZZ_FLAGS) grown $(CURDIR)/tests/fuzz/corpus
	cd $(BUILD)/fuzz && ./fuzz_server -runs=$(FUZZ_SERVER_RUNS) $(FUZZ_FLAGS) grown $(CURDIR)/tests/fuzz/corpus

# ---- The conformance suite and real clients (npm) -----------------------------------------------
# Kept out of `make check`: they download the pinned clients of tests/clients/package.json.

CLIENTS := $(abspath $(BUILD))/clients

$(TEST_BIN)/conformance-server: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/conformance/*.c)) $(BUILD)/obj/mcp.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: deps-clients check-conformance check-clients
deps-clients:
	@sh packaging/install-deps.sh clients
	@tests/clients/install.sh $(CLIENTS)

check-conformance: deps-clients $(TEST_BIN)/conformance-server
	@mkdir -p $(BUILD)/conformance
	@tests/conformance/run.sh $(CLIENTS) $(abspath $(TEST_BIN))/conformance-server $(abspath $(BUILD))/conformance

check-clients: deps-clients build $(TEST_BIN)/programs/crash
	@$(CLIENTS)/node_modules/.bin/node $(CLIENTS)/check.mjs $(abspath $(SUPERVISOR)) $(abspath $(TEST_BIN))/programs/crash $(ONLY)
