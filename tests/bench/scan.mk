# What questions about a whole run cost, in passes of its replay; see scan.c.
BENCHES += bench-scan

BENCH_SCAN := $(TEST_BIN)/bench-scan
$(BENCH_SCAN): $(patsubst %,$(BUILD)/obj/tests/bench/%.o,scan scan_ask scan_calls scan_subjects figures) $(E2E_HARNESS)
	$(link_program)

# The yardstick of rr_check_races.
$(TEST_BIN)/programs/callers_tsan: tests/programs/callers.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu17 -g -O1 -fsanitize=thread -o $@ $< -pthread

bench-scan: build $(BENCH_SCAN) $(addprefix $(TEST_BIN)/programs/,conditional callers callers_tsan clerks fork_tree ways)
	@$(TEST_ENV) $(BENCH_SCAN)
