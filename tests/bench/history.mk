# What searches through a recording cost; see history.c.
BENCHES += bench-history

BENCH_HISTORY := $(TEST_BIN)/bench-history
$(BENCH_HISTORY): $(patsubst %,$(BUILD)/obj/tests/bench/%.o,history figures) $(E2E_HARNESS)
	$(link_program)

bench-history: build $(BENCH_HISTORY) $(TEST_BIN)/programs/straight $(TEST_BIN)/programs/histories
	@$(TEST_ENV) $(BENCH_HISTORY)
