# The server's own figures; see server.c.
BENCHES += bench-server

BENCH_SERVER := $(TEST_BIN)/bench-server
$(BENCH_SERVER): $(patsubst %,$(BUILD)/obj/tests/bench/%.o,server raw peer figures) $(E2E_HARNESS)
	$(link_program)

bench-server: build $(BENCH_SERVER) $(TEST_BIN)/programs/list_corruption $(TEST_BIN)/programs/straight
	@$(TEST_ENV) $(BENCH_SERVER)
