# `make check-fidelity`: how programs end, natively, recorded and replayed. Included by tests/tests.mk.
# Each build has all kinds of programs/; the names say language, kind of linking and optimisation.

FIDELITY_BIN     := $(TEST_BIN)/fidelity
FIDELITY_C       := $(wildcard tests/fidelity/programs/*.c)
FIDELITY_CC      := $(FIDELITY_C) $(wildcard tests/fidelity/programs/*.cc)
FIDELITY_FLAGS   := -g -pthread -D_GNU_SOURCE -Wall -Wextra -Wno-array-bounds -Wno-infinite-recursion -Wno-attributes
FIDELITY_BUILDS  := c_static_O0 c_dynamic_O2 c_static_pie_O2 c_dynamic_fixed_O0 cc_static_O0 cc_dynamic_O2
FIDELITY         := $(FIDELITY_BUILDS:%=$(FIDELITY_BIN)/%)

$(FIDELITY_BIN)/c_static_O0:        private LINKING := -O0 -static -fno-pie -DFIDELITY_STATIC
$(FIDELITY_BIN)/c_dynamic_O2:       private LINKING := -O2 -pie -fPIE
$(FIDELITY_BIN)/c_static_pie_O2:    private LINKING := -O2 -static-pie -fPIE -DFIDELITY_STATIC -fno-omit-frame-pointer
$(FIDELITY_BIN)/c_dynamic_fixed_O0: private LINKING := -O0 -no-pie -fno-pie -fomit-frame-pointer
$(FIDELITY_BIN)/cc_static_O0:       private LINKING := -O0 -static -fno-pie -DFIDELITY_STATIC
$(FIDELITY_BIN)/cc_dynamic_O2:      private LINKING := -O2 -pie -fPIE -fomit-frame-pointer

$(FIDELITY_BIN)/c_%: $(FIDELITY_C) tests/fidelity/programs/stage.h
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FIDELITY_FLAGS) $(LINKING) -o $@ $(FIDELITY_C) -ldl
$(FIDELITY_BIN)/cc_%: $(FIDELITY_CC) tests/fidelity/programs/stage.h
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) $(FIDELITY_FLAGS) -Wno-terminate $(LINKING) -o $@ -x c++ $(FIDELITY_CC) -x none -ldl

# FIDELITY_ARGS= options and names of run.sh, for instance "-k c_static_O0/targets".
.PHONY: check-fidelity
check-fidelity: build $(FIDELITY) ## every kind of ending: native run, recording and replays must agree
	@$(TEST_ENV) tests/fidelity/run.sh -a $(FIDELITY_ARGS)
