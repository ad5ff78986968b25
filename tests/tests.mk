# How the tests are built and run; included by the top Makefile.
#
#   tests/unit/FOLDER/test_*.c   Check suites, one program each, linked with that folder's archive
#   tests/e2e/test_*.c           Check suites that drive the built server over real pipes
#   tests/programs/*.c           programs to record
#   tests/bench/                 `make bench`
#   tests/demo/                  `make demo`

TEST_LIBS := $(shell pkg-config --libs check 2>/dev/null)
TEST_BIN  := $(BUILD)/tests

unit_of = $(patsubst tests/unit/%.c,$(TEST_BIN)/unit/%,$(wildcard tests/unit/$(1)/test_*.c))
UNIT_TESTS := $(foreach f,mcp sandbox worker supervisor softpmu,$(call unit_of,$(f)))

$(call unit_of,mcp): $(BUILD)/obj/mcp.a
$(call unit_of,sandbox): $(BUILD)/obj/sandbox.a
$(call unit_of,worker): $(BUILD)/obj/worker.a $(BUILD)/obj/sandbox.a
$(call unit_of,supervisor): $(BUILD)/obj/supervisor.a $(BUILD)/obj/mcp.a $(BUILD)/obj/sandbox.a
$(UNIT_TESTS): $(TEST_BIN)/unit/%: $(BUILD)/obj/tests/unit/%.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS) $(LIBS) $(UNIT_LIBS)

E2E_TESTS := $(patsubst tests/e2e/%.c,$(TEST_BIN)/e2e/%,$(wildcard tests/e2e/test_*.c))
E2E_SUPPORT := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/e2e/test_%,$(wildcard tests/e2e/*.c)))
$(E2E_TESTS): $(TEST_BIN)/e2e/%: $(BUILD)/obj/tests/e2e/%.o $(E2E_SUPPORT)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LIBS)

# Programs to record: plain debug builds, as a user would make them.
PROGRAMS := $(patsubst tests/programs/%.c,$(TEST_BIN)/programs/%,$(wildcard tests/programs/*.c))
$(TEST_BIN)/programs/static_hello: PROGRAM_LIBS := -static
$(TEST_BIN)/programs/%: tests/programs/%.c
	@mkdir -p $(@D)
	$(CC) -g -O0 -pthread -o $@ $< $(PROGRAM_LIBS)

.PHONY: check check-unit check-e2e
check: deps-check
	@$(MAKE) --no-print-directory build check-unit check-e2e

check-unit: $(UNIT_TESTS)
	@for t in $(UNIT_TESTS); do $$t || exit 1; done

check-e2e: build $(E2E_TESTS) $(PROGRAMS)
	@for t in $(E2E_TESTS); do RR_WARDEN=$(SUPERVISOR) PROGRAMS=$(TEST_BIN)/programs $$t || exit 1; done
