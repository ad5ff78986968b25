# The program of test_languages in each language whose compiler is here; packaging/deps.sh has them under
# "languages", because they are large.

LEDGER := $(TEST_BIN)/programs/ledger
LEDGER_FROM := tests/programs/languages/ledger
has = $(if $(shell command -v $(1) 2>/dev/null),$(2))
PROGRAMS += $(LEDGER)_c $(LEDGER)_cc $(call has,rustc,$(LEDGER)_rs) $(call has,go,$(LEDGER)_go) \
	$(call has,gfortran,$(LEDGER)_f90) $(call has,gdc,$(LEDGER)_d) $(call has,gnatmake,$(LEDGER)_adb)

# They write files beside what they are told to.
LEDGER_OBJ = $(call whole_path,$(BUILD))/obj/ledger/$(1)

$(LEDGER)_c: $(LEDGER_FROM).c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(PROGRAM_FLAGS) -O0 -o $@ $<
$(LEDGER)_cc: $(LEDGER_FROM).cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(PROGRAM_FLAGS) -O0 -o $@ $<
$(LEDGER)_rs: $(LEDGER_FROM).rs
	@mkdir -p $(@D)
	$(call say,RUSTC,$<)
	$(Q)MAKEFLAGS= rustc -g -C opt-level=0 -o $@ $<
$(LEDGER)_go: $(LEDGER_FROM).go
	@mkdir -p $(@D) "$(call LEDGER_OBJ,go)"
	$(call say,GO,$<)
	$(Q)GOCACHE="$(call LEDGER_OBJ,go)" GO111MODULE=off go build -gcflags='-N -l' -o $@ $<
$(LEDGER)_f90: $(LEDGER_FROM).f90
	@mkdir -p $(@D) "$(call LEDGER_OBJ,f90)"
	$(call say,FC,$<)
	$(Q)gfortran -g -O0 -J "$(call LEDGER_OBJ,f90)" -o $@ $<
$(LEDGER)_d: $(LEDGER_FROM).d
	@mkdir -p $(@D)
	$(call say,GDC,$<)
	$(Q)gdc -g -O0 -o $@ $<
$(LEDGER)_adb: $(LEDGER_FROM).adb
	@mkdir -p $(@D) "$(call LEDGER_OBJ,adb)"
	$(call say,GNAT,$<)
	$(Q)cd "$(call LEDGER_OBJ,adb)" && gnatmake -q -f -g -O0 -o "$(call whole_path,$@)" "$(CURDIR)/$<"
