# The long run; see soak.c. SOAK_SESSIONS in a row, SOAK_AT_ONCE for SOAK_SECONDS with cancels and
# kills, then longer walks of other suites: each adds a target to SOAKS.
SOAK_SESSIONS ?= 2000
SOAK_AT_ONCE  ?= 32
SOAK_SECONDS  ?= 600
SOAK_SEED     ?= 1
SOAKS := soak-server soak-oracle soak-scans

SOAK := $(TEST_BIN)/soak
$(SOAK): $(patsubst %,$(BUILD)/obj/tests/soak/%.o,soak row crowd balance) $(E2E_HARNESS)
	$(link_program)

.PHONY: soak $(SOAKS)
soak: ## run for half an hour: sessions in a row and at once, with cancels and kills
	@$(MAKE) --no-print-directory build tests
	@for s in $(SOAKS); do $(MAKE) --no-print-directory $$s || exit 1; done

soak-server: build $(SOAK) $(PROGRAMS)
	@$(TEST_ENV) $(SOAK) $(SOAK_SESSIONS) $(SOAK_AT_ONCE) $(SOAK_SECONDS) $(SOAK_SEED)

# The random walks of the oracle, a minute for each program and from another beginning.
soak-oracle: build $(TEST_BIN)/e2e/test_oracle $(PROGRAMS)
	@$(TEST_ENV) ORACLE_SECONDS=$${ORACLE_SECONDS:-60} ORACLE_SEED=$${ORACLE_SEED:-$(SOAK_SEED)0} \
		CK_TIMEOUT_MULTIPLIER=10 tests/run.sh $(TEST_BIN)/e2e/test_oracle

# Random questions about all calls of a function, a minute for each program.
soak-scans: build $(TEST_BIN)/e2e/test_scans $(PROGRAMS)
	@$(TEST_ENV) SCAN_SECONDS=$${SCAN_SECONDS:-60} SCAN_SEED=$${SCAN_SEED:-$(SOAK_SEED)0} \
		CK_TIMEOUT_MULTIPLIER=10 tests/run.sh $(TEST_BIN)/e2e/test_scans

# The walks where there is no processor time, as root; not a part of soak.
.PHONY: soak-starved
soak-starved: build $(TEST_BIN)/e2e/test_oracle $(PROGRAMS) ## walk the oracle without processor time, as root
	@$(TEST_ENV) tests/soak/starved.sh $(TEST_BIN)/e2e/test_oracle
