# How the tests are built and run; included by the top Makefile.
#
#   tests/unit/FOLDER/test_*.c   Check suites, one program each, linked with that folder's archive
#   tests/unit/runner/           the test of tests/run.sh, which runs the suites as tests/order.list says
#   tests/lint/                  the lint of tool tables, linked into the suites of mcp and supervisor
#   tests/e2e/test_*.c           Check suites that drive the built server over real pipes
#   tests/fidelity/              how programs end: natively, recorded and replayed
#   tests/differ/                the code cache against single steps, on random code
#   tests/programs/*.c           programs to record
#   tests/bench/                 `make bench`
#   tests/soak/                  `make soak`
#   tests/demo/                  `make demo`
#   tests/report/                `make check-report`
#   tests/bugs/                  `make check-bugs`
#   tests/real/                  `make check-real`

# Expanded when it is used: `make check` may just have installed Check.
TEST_LIBS  = $(shell pkg-config --libs check 2>/dev/null)
TEST_BIN  := $(BUILD)/tests

unit_of = $(patsubst tests/unit/%.c,$(TEST_BIN)/unit/%,$(wildcard tests/unit/$(1)/test_*.c))
UNIT_TESTS := $(foreach f,mcp sandbox x86 worker supervisor softpmu,$(call unit_of,$(f)))

# The test of tests/run.sh.
RUNNER_TEST := tests/unit/runner/test_run.sh

LINT_OBJ := $(BUILD)/obj/tests/lint/lint.o
$(call unit_of,mcp): $(LINT_OBJ) $(BUILD)/obj/mcp.a
$(call unit_of,sandbox): $(BUILD)/obj/sandbox.a
$(call unit_of,x86): $(X86_OBJS)
$(call unit_of,worker): $(BUILD)/obj/worker.a $(BUILD)/obj/sandbox.a
$(call unit_of,supervisor): $(LINT_OBJ) $(BUILD)/obj/supervisor.a $(BUILD)/obj/mcp.a $(BUILD)/obj/sandbox.a
# The software PMU without the interposers, which would replace libc's functions in the test itself.
SOFTPMU_TESTED := $(filter-out %/symbols.o %/rawcalls.o %/resume.o %/stops.o,$(SOFTPMU_OBJS))
$(call unit_of,softpmu): $(SOFTPMU_TESTED)
$(TEST_BIN)/unit/worker/test_widths: $(filter %/bytecode.o %/bytecodeshape.o,$(SOFTPMU_OBJS))
$(UNIT_TESTS): private LINK_LIBS = $(TEST_LIBS)
$(call unit_of,x86) $(call unit_of,softpmu) $(call unit_of,worker): private LINK_LIBS = $(TEST_LIBS) -lZydis
$(UNIT_TESTS): $(TEST_BIN)/unit/%: $(BUILD)/obj/tests/unit/%.o
	$(link_program)

# The differ: random code in the code cache and in single steps, compared.
DIFFER := $(TEST_BIN)/differ
$(DIFFER): private LINK_LIBS = -lZydis
$(DIFFER): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/differ/*.c)) $(SOFTPMU_TESTED)
	$(link_program)

E2E_TESTS := $(patsubst tests/e2e/%.c,$(TEST_BIN)/e2e/%,$(wildcard tests/e2e/test_*.c))
E2E_SUPPORT := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/e2e/test_%,$(wildcard tests/e2e/*.c)))
# The objects for the demo and the benchmarks: the same without Check.
E2E_HARNESS := $(filter-out %/scene.o %/findings.o,$(E2E_SUPPORT))
$(E2E_TESTS): private LINK_LIBS = $(TEST_LIBS)
$(E2E_TESTS): $(TEST_BIN)/e2e/%: $(BUILD)/obj/tests/e2e/%.o $(E2E_SUPPORT)
	$(link_program)

# Attacks: end-to-end too, with a witness that nothing may touch.
ATTACK_TESTS := $(patsubst tests/attacks/%.c,$(TEST_BIN)/attacks/%,$(wildcard tests/attacks/test_*.c))
ATTACK_SUPPORT := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/attacks/test_%,$(wildcard tests/attacks/*.c)))
$(ATTACK_TESTS): private LINK_LIBS = $(TEST_LIBS)
$(ATTACK_TESTS): $(TEST_BIN)/attacks/%: $(BUILD)/obj/tests/attacks/%.o $(ATTACK_SUPPORT) $(E2E_SUPPORT) $(BUILD)/obj/sandbox.a
	$(link_program)

# Programs to record: plain debug builds, as a user would make them, and some at -O2 as well.
# clang does not know noipa, which keeps gcc from merging functions that the tests tell apart.
# Recursive, for the name of each program's list of what it includes.
PROGRAM_FLAGS = -g -pthread -Wno-attributes -MMD -MF $(BUILD)/obj/tests/programs/$(@F).d
OPTIMIZED_TOO := opened opened_cc held_locks held_locks_cc containers copied far_fields fields heap_bugs heap_bugs_cc heap_checked heap_checked_cc heap_kinds heap_lives heap_sites inlined_passes lines origins origins_classes raced raced_often races races_classes \
	lazy_static stories stories_classes unset unset_cc smashed smashed_cc swallowed swallowed_cc overflow overflow_cc left_over \
	grandchild grandchild_cc truths hasty hasty_cc deadlock_ring dined_cc printed printed_stream lost_update lost_update_cc over_returns caught \
	joined_calls jumps_off faults followed throws_out checked wrappers guarded guarded_cc pools pools_cc inlined_pool unwritten unwritten_cc unwritten_clean
PROGRAMS := $(patsubst tests/programs/%.c,$(TEST_BIN)/programs/%,$(wildcard tests/programs/*.c)) \
	$(patsubst tests/programs/%.cc,$(TEST_BIN)/programs/%,$(wildcard tests/programs/*.cc)) \
	$(OPTIMIZED_TOO:%=$(TEST_BIN)/programs/%_O2)
$(TEST_BIN)/programs/static_hello: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/odd_returns: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/handed: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/heap_static: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/unset_lives_static: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/copied_unstubbed: private PROGRAM_LIBS := -fno-plt
$(TEST_BIN)/programs/optimized: private PROGRAM_LIBS := -O2
$(TEST_BIN)/programs/unset_registers: private PROGRAM_LIBS := -O2
$(TEST_BIN)/programs/optimized_values: private PROGRAM_LIBS := -O2
$(TEST_BIN)/programs/optimized_in_c: private PROGRAM_LIBS := -O2
$(TEST_BIN)/programs/aborts: private PROGRAM_LIBS := -fstack-protector-all
$(TEST_BIN)/programs/checked $(TEST_BIN)/programs/checked_O2: private PROGRAM_LIBS := -fstack-protector-all
$(TEST_BIN)/programs/walks_static: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/races_static: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/walks_optimized: private PROGRAM_LIBS := -static -O2
$(TEST_BIN)/programs/walks_classes: private PROGRAM_LIBS := -static
$(TEST_BIN)/programs/filter $(TEST_BIN)/programs/plugin_level $(TEST_BIN)/programs/plugin_twice: private PROGRAM_LIBS := -shared -fPIC
# Without debug information, as libraries come.
$(TEST_BIN)/programs/pool: private PROGRAM_LIBS := -shared -fPIC -g0
$(TEST_BIN)/programs/pools_bare: private PROGRAM_LIBS := -g0
$(TEST_BIN)/programs/layers: private PROGRAM_LIBS := -g0 -O2
$(TEST_BIN)/programs/layer: private PROGRAM_LIBS := -g0 -O2 -shared -fPIC
$(TEST_BIN)/programs/same_names: $(wildcard tests/programs/same_names/*.c)
$(TEST_BIN)/programs/same_names: private PROGRAM_LIBS := $(wildcard tests/programs/same_names/*.c)
$(TEST_BIN)/programs/moved: private PROGRAM_LIBS := '-fdebug-prefix-map=$(CURDIR)=/gone/work'
$(TEST_BIN)/programs/moved_relative: private PROGRAM_LIBS := '-fdebug-prefix-map=$(CURDIR)=.'
$(TEST_BIN)/programs/%: tests/programs/%.c
	@mkdir -p $(@D) $(BUILD)/obj/tests/programs
	$(call say,CC,$<)
	$(Q)$(CC) $(PROGRAM_FLAGS) -O0 -o $@ $< $(PROGRAM_LIBS)
$(TEST_BIN)/programs/%: tests/programs/%.cc
	@mkdir -p $(@D) $(BUILD)/obj/tests/programs
	$(call say,CXX,$<)
	$(Q)$(CXX) $(PROGRAM_FLAGS) -O0 -o $@ $< $(PROGRAM_LIBS)
$(TEST_BIN)/programs/%_O2: tests/programs/%.c
	@mkdir -p $(@D) $(BUILD)/obj/tests/programs
	$(call say,CC,$<)
	$(Q)$(CC) $(PROGRAM_FLAGS) -O2 -o $@ $< $(PROGRAM_LIBS)
$(TEST_BIN)/programs/%_O2: tests/programs/%.cc
	@mkdir -p $(@D) $(BUILD)/obj/tests/programs
	$(call say,CXX,$<)
	$(Q)$(CXX) $(PROGRAM_FLAGS) -O2 -o $@ $<

# Doubles that misbehave on purpose.
DOUBLES := $(addprefix $(TEST_BIN)/doubles/,worker gdb prisoner petitioner no_spaces forbid container tracer watcher)
$(DOUBLES): $(TEST_BIN)/doubles/%: $(BUILD)/obj/tests/doubles/%.o $(BUILD)/obj/sandbox.a
	$(link_program)

$(addprefix $(TEST_BIN)/doubles/,worker prisoner petitioner): $(BUILD)/obj/tests/doubles/service.o

# It takes the supervisor's place, so it is linked as the supervisor is.
USURPER := $(TEST_BIN)/doubles/usurper
$(USURPER): $(BUILD)/obj/tests/doubles/usurper.o $(BUILD)/obj/supervisor.a $(BUILD)/obj/mcp.a $(BUILD)/obj/sandbox.a
	$(link_program)
DOUBLES += $(USURPER)

# These are preloaded into the server.
PRELOADED := $(addprefix $(TEST_BIN)/doubles/,counter.so stall.so)
$(PRELOADED): $(TEST_BIN)/doubles/%.so: tests/doubles/%.c
	@mkdir -p $(@D) $(BUILD)/obj/tests/programs
	$(call say,CC,$<)
	$(Q)$(CC) -D_GNU_SOURCE $(PROGRAM_FLAGS) -O2 -shared -fPIC -o $@ $< -ldl
DOUBLES += $(PRELOADED)

include tests/fidelity/fidelity.mk

# A path for the tests, whatever folder they change to; it may hold spaces.
whole_path = $(if $(filter /%,$(1)),$(1),$(CURDIR)/$(1))

include tests/programs/languages/languages.mk

TEST_ENV   = FIDELITY="$(call whole_path,$(TEST_BIN))/fidelity" RR_WARDEN="$(call whole_path,$(SUPERVISOR))" PROGRAMS="$(call whole_path,$(TEST_BIN))/programs"

# What `make check` runs. ONLY=NAME chooses one of them (test_heap, or heap; corpus, fidelity, differ), ONLY="NAME
# NAME" several, and ONLY=NAME:SCENARIO one test function. Two suites of one name both run, but only the one that has the
# test function, if either has it.
SUITES := $(UNIT_TESTS) $(RUNNER_TEST) $(DIFFER) $(E2E_TESTS) $(ATTACK_TESTS) tests/corpus/run.sh tests/fidelity/run.sh
only     := $(foreach name,$(ONLY),$(firstword $(subst :, ,$(name))))
scenario := $(if $(word 2,$(ONLY)),,$(word 2,$(subst :, ,$(ONLY))))
suites_of = $(foreach f,%/$(1) %/test_$(1) %/test_$(1).sh %/$(1)/run.sh,$(filter $(f),$(SUITES)))
# With several names, NAME:SCENARIO is none.
UNKNOWN  := $(strip $(foreach name,$(if $(word 2,$(ONLY)),$(ONLY),$(only)),$(if $(call suites_of,$(name)),,$(name))))
named    := $(strip $(foreach name,$(only),$(call suites_of,$(name))))
source_of = $(filter %.c,$(wildcard $(patsubst $(TEST_BIN)/%,tests/%.c,$(1))))
has_scenario = $(foreach f,$(call source_of,$(1)),$(findstring START_TEST($(scenario)),$(file <$(f))))
having   := $(strip $(if $(scenario),$(foreach f,$(named),$(if $(call has_scenario,$(f)),$(f)))))
CHOSEN   := $(if $(only),$(or $(having),$(named)),$(SUITES))

# Half an hour's rows of tables and builds of programs are more than a person waits for: `make check` takes
# TEST_ROWS of each loop, and leaves what order.list calls "later" to check-all, which runs all that is left.
TEST_ROWS := 2
LATER  := $(shell sed -n 's/^later *\([^ ]*\).*/\1/p' tests/order.list)
WHOLE  := $(foreach f,$(LATER),$(filter %/$(f),$(SUITES)))
sample  = $(if $(only),,TEST_ROWS=$(TEST_ROWS))

.PHONY: check check-all check-unit check-e2e
check: ## install what is missing, build, run the tests (JOBS=2 suites at a time; ONLY="heap races", ONLY=heap:NAME); the last line is the total
	@sh packaging/deps.sh install check
ifneq ($(UNKNOWN),)
	@echo "No suite has the name $(firstword $(UNKNOWN)). The names: $(sort $(patsubst test_%,%,$(notdir $(UNIT_TESTS) $(E2E_TESTS) $(ATTACK_TESTS)))) corpus differ fidelity run"
	@exit 1
endif
	@$(MAKE) --no-print-directory -j2 build $(if $(only),chosen,tests)
	@$(TEST_ENV) $(scenario:%=TEST_SCENARIO=%) $(sample) tests/run.sh $(if $(only),$(CHOSEN),$(filter-out $(WHOLE),$(CHOSEN)))

.PHONY: suites
suites: ## name the suites that `make check` runs, with the same ONLY
	@printf '%s\n' $(CHOSEN:$(BUILD)/%=%)

check-all: ## all that `make check` leaves out: more rows of each table, more builds, the long suites
	@sh packaging/deps.sh install check
	@$(MAKE) --no-print-directory -j2 build tests
	@$(TEST_ENV) TEST_ROWS=$(TEST_ROWS) TEST_REST=yes tests/run.sh \
		$(WHOLE) $(filter-out $(WHOLE),$(E2E_TESTS) $(ATTACK_TESTS))

.PHONY: tests chosen
chosen: $(filter $(BUILD)/%,$(CHOSEN)) $(PROGRAMS) $(DOUBLES) $(if $(filter %fidelity/run.sh,$(CHOSEN)),$(FIDELITY)) ## build what ONLY chooses
tests: $(UNIT_TESTS) $(DIFFER) $(E2E_TESTS) $(ATTACK_TESTS) $(PROGRAMS) $(FIDELITY) $(DOUBLES) ## build the tests

check-unit: $(UNIT_TESTS) ## the unit tests alone
	@tests/run.sh $(UNIT_TESTS) $(RUNNER_TEST)

check-e2e: build $(E2E_TESTS) $(PROGRAMS) $(DOUBLES) ## the end-to-end tests alone
	@$(TEST_ENV) tests/run.sh $(E2E_TESTS)

# All attacks; `make check` has a sample of the long ones. They include 500 crafted traces, all of them
# replayed, which takes a quarter of an hour.
.PHONY: check-attacks
check-attacks: build $(ATTACK_TESTS) $(PROGRAMS) $(DOUBLES) ## all attacks, a quarter of an hour
	@$(TEST_ENV) ATTACKS=all CK_TIMEOUT_MULTIPLIER=12 tests/run.sh $(ATTACK_TESTS)

# RUNS=20 for the long run, CORPUS_FLAGS=-n without rr's syscall buffer.
.PHONY: check-corpus
check-corpus: build $(PROGRAMS) ## real programs recorded and replayed by real rr
	@$(TEST_ENV) tests/corpus/run.sh $(CORPUS_FLAGS)

# Old bugs of programs in Debian's sources, which are fetched. MIRROR= for another mirror.
BUGS := $(TEST_BIN)/bugs
$(BUGS): $(BUILD)/obj/tests/bugs/bugs.o $(E2E_HARNESS)
	$(link_program)

.PHONY: check-bugs
check-bugs: build $(BUGS) ## known bugs of real programs, found again, with the calls and characters that took (apt)
	@sh packaging/deps.sh look bugs
	@tests/bugs/build.sh "$(call whole_path,$(BUILD))/bugs"
	@$(TEST_ENV) $(BUGS) "$(call whole_path,$(BUILD))/bugs"

# REAL="redis java" for some of them.
REAL_PROGRAMS := $(TEST_BIN)/real
$(REAL_PROGRAMS): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/real/*.c)) $(E2E_HARNESS)
	$(link_program)

.PHONY: check-real
check-real: build $(REAL_PROGRAMS) ## servers, runtimes and tools recorded as people run them, and replayed (sudo packaging/deps.sh install real)
	@$(TEST_ENV) $(REAL_PROGRAMS) $(REAL)

# A newcomer's machine; see run.sh there. RELEASE=trixie for one of them, MIRROR= for another mirror.
.PHONY: check-bare
check-bare: ## the README's commands in bare roots of Debian 12 and 13 (mmdebstrap, root or sudo)
	@sh packaging/deps.sh look bare
	@BARE_CACHE="$(call whole_path,$(BUILD))/bare" tests/bare/run.sh $(RELEASE)

.PHONY: check-newcomer
check-newcomer: wheel npm $(TEST_BIN)/programs/crash ## pip or npm alone, no root, no rr, no gdb: install, configure, a first crash report (mmdebstrap, root or sudo)
	@sh packaging/deps.sh look bare
	@BARE_CACHE="$(call whole_path,$(BUILD))/bare" sh tests/bare/newcomer.sh $(BUILD) $(TEST_BIN)/programs/crash $(RELEASE)

# ---- Other compilers, sanitizers, a browser ---------------------------------------------------

.PHONY: check-style check-clang check-sanitize
check-style: ## format, include direction, file length, shellcheck, cppcheck, clang-tidy
	@sh packaging/deps.sh look style
	@BUILD='$(BUILD)' tests/style.sh $(OUR_CPPFLAGS) $(CPPFLAGS)

check-clang: ## everything compiled by clang, warnings as errors
	@sh packaging/deps.sh look style
	@$(MAKE) --no-print-directory -j2 BUILD=build-clang CC=clang EXTRA_CFLAGS=-Werror build tests

# rr, which loads the software PMU, has no sanitizer's runtime, so this comes from the plain build.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
check-sanitize: build ## unit tests and the main path under AddressSanitizer and UBSan
	@sh packaging/deps.sh look check
	@$(MAKE) --no-print-directory -j2 BUILD=build-asan CFLAGS='-O1 -g' HARDEN= \
		EXTRA_CFLAGS='$(SANITIZE)' EXTRA_LDFLAGS='$(SANITIZE)' build tests
	@cp $(SOFTPMU) $(GUARDHEAP) build-asan/libexec/rr-warden/
	@$(MAKE) --no-print-directory BUILD=build-asan check-sanitized

# Only the unit tests look for leaks, because LeakSanitizer cannot stop its own threads in the sandbox.
.PHONY: check-sanitized
check-sanitized: ## (the second half of check-sanitize)
	@tests/run.sh $(UNIT_TESTS)
	@$(TEST_ENV) ASAN_OPTIONS=detect_leaks=0 tests/run.sh $(filter %/test_main_path,$(E2E_TESTS))

# Shows a page of rr_report in a real browser, which `make check` does not need.
.PHONY: check-report
check-report: build $(TEST_BIN)/programs/overrun ## a report in a real browser (chromium): no request, links, looks
	@sh packaging/deps.sh look report
	@python3 tests/report/check.py "$(call whole_path,$(SUPERVISOR))" "$(call whole_path,$(TEST_BIN))/programs/overrun" "$(call whole_path,$(BUILD))/report"

# ---- Demo and measurements --------------------------------------------------------------------

.PHONY: demo demo-run
demo: ## install what is missing, build, find a memory corruption with the real server
	@sh packaging/deps.sh install demo
	@$(MAKE) --no-print-directory -j2 build demo-run

DEMO := $(TEST_BIN)/demo
$(DEMO): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/demo/*.c)) $(E2E_HARNESS)
	$(link_program)

demo-run: build $(DEMO) $(TEST_BIN)/programs/list_corruption ## the demo alone; DEMO_OPTIONS= for the server
	@$(TEST_ENV) $(DEMO) $(DEMO_OPTIONS)

# By the program of the packages, as users have it.
SHIPPED = $(call whole_path,$(STAGE))/bin/rr-warden
.PHONY: picture
picture: portable $(DEMO) $(TEST_BIN)/programs/list_corruption $(TEST_BIN)/programs/overrun ## make the README's pictures and its tour, as they run here with the packages' program
	@sh packaging/deps.sh look report
	@$(TEST_ENV) RR_WARDEN="$(SHIPPED)" $(DEMO) >$(BUILD)/demo.txt
	@for theme in light dark; do sh packaging/picture.sh $$theme <$(BUILD)/demo.txt >$(BUILD)/session.svg && mv $(BUILD)/session.svg .github/session-$$theme.svg || exit; done
	@python3 tests/report/tour.py "$(SHIPPED)" "$(call whole_path,$(TEST_BIN))/programs/overrun" .github/TOUR.md .github

# Each part measures itself in a bench-NAME target, in tests/bench/NAME.mk, and adds it to BENCHES.
BENCHES :=
include $(wildcard tests/bench/*.mk)
.PHONY: bench $(BENCHES)
bench: ## measure, each figure beside its baseline in the same run
	@sh packaging/deps.sh look check
	@$(MAKE) --no-print-directory build
	@for b in $(BENCHES); do $(MAKE) --no-print-directory $$b || exit 1; done

include $(wildcard tests/soak/*.mk)

# ---- Fuzzing (clang) ---------------------------------------------------------------------------
# Bounded runs from the committed corpus: fuzz_server is the whole core, fuzz_envelope the line
# reader and the envelope alone, a hundred times as fast, and fuzz_redact what masks secrets in what
# a worker sends. A finding goes to build/fuzz and becomes a corpus file and a scenario of the unit
# tests. FUZZ_RUNS=10000000 is the long run.

FUZZ_RUNS ?= 1000000
FUZZ_SERVER_RUNS ?= 50000
DIFFER_SECONDS ?= 600
FUZZ_FLAGS := -max_len=1024 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
	-dict="$(CURDIR)/tests/fuzz/mcp.dict"

$(BUILD)/fuzz/fuzz_redact: $(wildcard supervisor/redact/*.[ch] sandbox/log.[ch] sandbox/wire/scrub.[ch]) \
	supervisor/monitor/report_page.c
$(BUILD)/fuzz/%: tests/fuzz/%.c $(wildcard mcp/*.[ch])
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)clang -std=c17 -g -O1 $(WARN) $(OUR_CPPFLAGS) -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -o $@ $(filter %.c,$^) $(LIBS)

.PHONY: fuzz fuzz-run
fuzz: ## libFuzzer on the protocol core and on --redact; FUZZ_RUNS=10000000 for the long run
	@sh packaging/deps.sh look fuzz
	@$(MAKE) --no-print-directory fuzz-run
fuzz-run: ## (the second half of fuzz)
fuzz-run: export ASAN_OPTIONS = malloc_context_size=1:quarantine_size_mb=8
fuzz-run: $(BUILD)/fuzz/fuzz_server $(BUILD)/fuzz/fuzz_envelope $(BUILD)/fuzz/fuzz_redact $(DIFFER)
	$(DIFFER) $(DIFFER_SECONDS)
	@mkdir -p $(BUILD)/fuzz/grown $(BUILD)/fuzz/grown_redact
	cd $(BUILD)/fuzz && ./fuzz_envelope -runs=$(FUZZ_RUNS) $(FUZZ_FLAGS) grown "$(CURDIR)/tests/fuzz/corpus"
	cd $(BUILD)/fuzz && ./fuzz_server -runs=$(FUZZ_SERVER_RUNS) $(FUZZ_FLAGS) grown "$(CURDIR)/tests/fuzz/corpus"
	cd $(BUILD)/fuzz && ./fuzz_redact -runs=$(FUZZ_SERVER_RUNS) $(FUZZ_FLAGS) grown_redact \
		"$(CURDIR)/tests/fuzz/corpus_redact"

# ---- The conformance suite and real clients (npm) -----------------------------------------------
# Kept out of `make check`: they download the pinned clients of tests/clients/package.json.

CLIENTS := $(call whole_path,$(BUILD)/clients)

$(TEST_BIN)/conformance-server: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/conformance/*.c)) $(BUILD)/obj/mcp.a
	$(link_program)

.PHONY: deps-clients check-conformance check-clients
deps-clients: ## download the pinned MCP clients (npm)
	@sh packaging/deps.sh look clients
	@tests/clients/install.sh "$(CLIENTS)"

check-conformance: deps-clients $(TEST_BIN)/conformance-server ## the MCP conformance suite against the protocol core (npm)
	@mkdir -p $(BUILD)/conformance
	@tests/conformance/run.sh "$(CLIENTS)" "$(call whole_path,$(TEST_BIN))/conformance-server" "$(call whole_path,$(BUILD))/conformance"

check-clients: deps-clients build $(TEST_BIN)/programs/crash ## real MCP clients on a recording (npm); ONLY= names one
	@"$(CLIENTS)/node_modules/.bin/node" "$(CLIENTS)/check.mjs" "$(call whole_path,$(SUPERVISOR))" "$(call whole_path,$(TEST_BIN))/programs/crash" $(ONLY)
