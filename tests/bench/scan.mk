# What questions about a whole run cost, in passes of its replay; see scan.c.
BENCHES += bench-scan

BENCH_SCAN := $(TEST_BIN)/bench-scan
$(BENCH_SCAN): $(patsubst %,$(BUILD)/obj/tests/bench/%.o,scan figures) $(E2E_HARNESS)
	$(link_program)

bench-scan: build $(BENCH_SCAN) $(addprefix $(TEST_BIN)/programs/,conditional callers)
	@$(TEST_ENV) $(BENCH_SCAN)
