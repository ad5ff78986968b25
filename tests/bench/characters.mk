# What an agent has to read, beside gdb with the same evidence; see characters.c.
BENCHES += bench-characters

BENCH_CHARACTERS := $(TEST_BIN)/bench-characters
$(BENCH_CHARACTERS): $(patsubst %,$(BUILD)/obj/tests/bench/%.o,characters figures) $(E2E_HARNESS)
	$(link_program)

bench-characters: build $(BENCH_CHARACTERS) $(addprefix $(TEST_BIN)/programs/,list_corruption deadlock copies) ## what an agent reads, beside gdb with the same evidence
	@$(TEST_ENV) $(BENCH_CHARACTERS)
