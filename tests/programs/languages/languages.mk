# The program of test_languages in each language whose compiler is here; packaging/deps.sh has them under
# "languages", because they are large.

LEDGER := $(TEST_BIN)/programs/ledger
LEDGER_FROM := tests/programs/languages/ledger
has = $(if $(shell command -v $(1) 2>/dev/null),$(2))
PROGRAMS += $(LEDGER)_c $(LEDGER)_cc $(call has,rustc,$(LEDGER)_rs) $(call has,go,$(LEDGER)_go) \
	$(call has,gfortran,$(LEDGER)_f90) $(call has,gdc,$(LEDGER)_d) $(call has,gnatmake,$(LEDGER)_adb)

# Optimized, and with LLVM's C++ library, if its headers are here and the library that it links with. No include line:
# make before 4.3 and later ones read a backslash in front of its # differently.
LIBCXX := $(shell [ -e "$$(clang++ -print-file-name=libc++abi.so 2>/dev/null)" ] && \
	clang++ -stdlib=libc++ -include vector -xc++ -E /dev/null >/dev/null 2>&1 && echo yes)
PROGRAMS += $(LEDGER)_c_O2 $(LEDGER)_cc_O2 $(call has,rustc,$(LEDGER)_rs_O2) $(call has,go,$(LEDGER)_go_O2) \
	$(call has,gfortran,$(LEDGER)_f90_O2) $(call has,gdc,$(LEDGER)_d_O2) $(call has,gnatmake,$(LEDGER)_adb_O2) \
	$(if $(LIBCXX),$(LEDGER)_cc_libcxx $(LEDGER)_cc_libcxx_O2)

PROGRAMS += $(LEDGER)_c_stripped

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

$(LEDGER)_c_O2: $(LEDGER_FROM).c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(PROGRAM_FLAGS) -O2 -o $@ $<
$(LEDGER)_c_stripped: $(LEDGER_FROM).c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -O0 -s -o $@ $<
$(LEDGER)_cc_O2: $(LEDGER_FROM).cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(PROGRAM_FLAGS) -O2 -o $@ $<
$(LEDGER)_cc_libcxx $(LEDGER)_cc_libcxx_O2: $(LEDGER_FROM).cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)clang++ -stdlib=libc++ -std=c++17 -g $(if $(filter %_O2,$@),-O2,-O0) -o $@ $<
$(LEDGER)_rs_O2: $(LEDGER_FROM).rs
	@mkdir -p $(@D)
	$(call say,RUSTC,$<)
	$(Q)MAKEFLAGS= rustc -g -C opt-level=2 -o $@ $<
$(LEDGER)_go_O2: $(LEDGER_FROM).go
	@mkdir -p $(@D) "$(call LEDGER_OBJ,go)"
	$(call say,GO,$<)
	$(Q)GOCACHE="$(call LEDGER_OBJ,go)" GO111MODULE=off go build -o $@ $<
$(LEDGER)_f90_O2: $(LEDGER_FROM).f90
	@mkdir -p $(@D) "$(call LEDGER_OBJ,f90_O2)"
	$(call say,FC,$<)
	$(Q)gfortran -g -O2 -J "$(call LEDGER_OBJ,f90_O2)" -o $@ $<
$(LEDGER)_d_O2: $(LEDGER_FROM).d
	@mkdir -p $(@D)
	$(call say,GDC,$<)
	$(Q)gdc -g -O2 -o $@ $<
$(LEDGER)_adb_O2: $(LEDGER_FROM).adb
	@mkdir -p $(@D) "$(call LEDGER_OBJ,adb_O2)"
	$(call say,GNAT,$<)
	$(Q)cd "$(call LEDGER_OBJ,adb_O2)" && gnatmake -q -f -g -O2 -o "$(call whole_path,$@)" "$(CURDIR)/$<"

# What containers hold.
HELD := $(TEST_BIN)/programs/held
HELD_FROM := tests/programs/languages/held
PROGRAMS += $(HELD)_cc $(call has,rustc,$(HELD)_rs) $(call has,go,$(HELD)_go) $(if $(LIBCXX),$(HELD)_cc_libcxx)

$(HELD)_cc: $(HELD_FROM).cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(PROGRAM_FLAGS) -std=c++17 -O0 -o $@ $<
$(HELD)_cc_libcxx: $(HELD_FROM).cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)clang++ -stdlib=libc++ -std=c++17 -g -O0 -o $@ $<
$(HELD)_rs: $(HELD_FROM).rs
	@mkdir -p $(@D)
	$(call say,RUSTC,$<)
	$(Q)MAKEFLAGS= rustc -g -C opt-level=0 -o $@ $<
$(HELD)_go: $(HELD_FROM).go
	@mkdir -p $(@D) "$(call LEDGER_OBJ,go)"
	$(call say,GO,$<)
	$(Q)GOCACHE="$(call LEDGER_OBJ,go)" GO111MODULE=off go build -gcflags='-N -l' -o $@ $<

# Where GLib's own printers are, with what its programs are built with.
GLIB := $(if $(wildcard /usr/share/glib-2.0/gdb/glib_gdb.py),$(shell pkg-config --cflags --libs glib-2.0 2>/dev/null))
PROGRAMS += $(if $(GLIB),$(HELD)_glib)

$(HELD)_glib: $(HELD_FROM)_glib.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(PROGRAM_FLAGS) -O0 -o $@ $< $(GLIB)

# Goroutines that run on no thread.
PARKED := $(TEST_BIN)/programs/parked
PROGRAMS += $(call has,go,$(PARKED)_go $(PARKED)_go_O2)

$(PARKED)_go $(PARKED)_go_O2: tests/programs/languages/parked.go
	@mkdir -p $(@D) "$(call LEDGER_OBJ,go)"
	$(call say,GO,$<)
	$(Q)GOCACHE="$(call LEDGER_OBJ,go)" GO111MODULE=off go build $(if $(filter %_O2,$@),,-gcflags='-N -l') -o $@ $<
