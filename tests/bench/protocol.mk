# What the protocol costs, beside a server of the TypeScript SDK; see protocol.c.
BENCHES += bench-protocol

BENCH_PROTOCOL := $(TEST_BIN)/bench-protocol
$(BENCH_PROTOCOL): $(patsubst %,$(BUILD)/obj/tests/bench/%.o,protocol peer figures) $(E2E_HARNESS)
	$(link_program)

bench-protocol: build $(BENCH_PROTOCOL)
	@$(BENCH_PROTOCOL) "$(call whole_path,$(SUPERVISOR))" "$(CLIENTS)/node_modules/.bin/node" "$(CLIENTS)/sdk_server.mjs"
