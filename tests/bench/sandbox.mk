# What the sandbox adds; see sandbox.c.
BENCHES += bench-sandbox

BENCH_SANDBOX := $(TEST_BIN)/bench-sandbox
$(BENCH_SANDBOX): $(BUILD)/obj/tests/bench/sandbox.o $(E2E_HARNESS)
	$(link_program)

bench-sandbox: build $(BENCH_SANDBOX) $(TEST_BIN)/programs/list_corruption ## what the sandbox adds to the start of a session
	@$(TEST_ENV) $(BENCH_SANDBOX)
