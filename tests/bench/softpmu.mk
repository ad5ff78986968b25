# Instructions per second under the software PMU; see softpmu.sh.
BENCHES += bench-softpmu

BENCH_SOFTPMU := $(TEST_BIN)/softpmu_loop $(TEST_BIN)/softpmu_step
$(BENCH_SOFTPMU): $(TEST_BIN)/softpmu_%: tests/bench/softpmu_%.c
	@mkdir -p $(@D)
	$(CC) -g -O2 -o $@ $<

bench-softpmu: build $(BENCH_SOFTPMU) $(TEST_BIN)/programs/list_corruption
	@sh tests/bench/softpmu.sh $(BUILD)
