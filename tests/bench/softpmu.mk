# Instructions per second under the software PMU; see softpmu.sh.
BENCHES += bench-softpmu

BENCH_LOOP := $(TEST_BIN)/softpmu_loop
$(BENCH_LOOP): tests/bench/softpmu_loop.c
	@mkdir -p $(@D)
	$(CC) -g -O2 -o $@ $<

bench-softpmu: build $(BENCH_LOOP)
	@sh tests/bench/softpmu.sh $(SOFTPMU) $(BENCH_LOOP)
