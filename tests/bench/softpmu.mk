# What recording and replaying costs under the software PMU; see softpmu.sh.
BENCHES += bench-softpmu

BENCH_SOFTPMU := $(addprefix $(TEST_BIN)/softpmu_,loop calls sorted watched)
$(BENCH_SOFTPMU): $(TEST_BIN)/softpmu_%: tests/bench/softpmu_%.c
	@mkdir -p $(@D)
	$(CC) -g -O2 -o $@ $<

bench-softpmu: build $(BENCH_SOFTPMU) $(TEST_BIN)/programs/list_corruption
	@sh tests/bench/softpmu.sh $(BUILD)
