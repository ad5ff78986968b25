# Builds rr-warden. `make help` lists the targets.
#
# The layout under build/ mirrors an installation, so that the supervisor finds its parts by one rule
# (../libexec/rr-warden beside its own bin/), installed or not:
#   build/bin/rr-warden   build/libexec/rr-warden/{rr-warden-worker,softpmu.so,guardheap.so}
#
# From outside: CC, CPPFLAGS, CFLAGS, LDFLAGS, PREFIX, DESTDIR, BUILD, and V=1 to see the commands.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=

comma := ,

ifneq ($(words $(BUILD)),1)
$(error BUILD must name one folder, without a space)
endif
ifneq ($(filter . .. ./ / $(CURDIR),$(BUILD)),)
$(error BUILD must name a folder of its own, because `make clean` empties it)
endif

CC      ?= cc
CFLAGS  ?= -O2 -g
PKGS    := jansson libseccomp libcap libbsd-overlay inih libbrotlidec libdw libelf libpcre2-8
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
# Keeps a level of _FORTIFY_SOURCE from outside, because a second one would be a redefinition.
FORTIFY := $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
HARDEN  := $(FORTIFY) -fstack-protector-strong -fstack-clash-protection -fcf-protection
VERSION := $(shell sed -n '1s/.*(\([^-)]*\).*/\1/p' packaging/debian/changelog)

# Our flags come first, so flags from outside override them.
OUR_CPPFLAGS := -D_GNU_SOURCE -DRR_WARDEN_VERSION='"$(VERSION)"' -I. $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
OUR_CFLAGS   := -std=c17 $(WARN) $(HARDEN) -fPIE
OUR_LDFLAGS  := -Wl,-z,relro,-z,now -Wl,--as-needed
LIBS         := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm

# How everything is compiled and linked. PIC is empty except for the library that is loaded into rr.
COMPILE = $(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(EXTRA_CFLAGS) $(PIC)
LINK    = $(CC) $(OUR_LDFLAGS) $(CFLAGS) $(LDFLAGS) $(EXTRA_LDFLAGS)

# The line that each step prints; V=1 shows the commands instead.
ifeq ($(V),1)
Q   :=
say  =
else
Q   := @
say  = @printf '  %-7s %s\n' '$(1)' '$(2)'
endif

SUPERVISOR := $(BUILD)/bin/rr-warden
LIBEXEC    := $(BUILD)/libexec/rr-warden
WORKER     := $(LIBEXEC)/rr-warden-worker
SOFTPMU    := $(LIBEXEC)/softpmu.so
GUARDHEAP  := $(LIBEXEC)/guardheap.so

.PHONY: all
all: ## build the server; says what is missing and stops, installs nothing
	@sh packaging/deps.sh look build
	@$(MAKE) --no-print-directory build

.PHONY: build
build: $(SUPERVISOR) $(WORKER) $(SOFTPMU) $(GUARDHEAP) ## the same without a look at what is missing

# A target that is built from a list of files is built again when the list changes, and everything is
# when the flags change. Each of these is kept in a file that is written only when its text changes.
.PHONY: FORCE
keep_text = @mkdir -p $(@D); printf '%s\n' "$$TEXT" | cmp -s - $@ || printf '%s\n' "$$TEXT" >$@

FLAGS := $(BUILD)/obj/flags
$(FLAGS): export TEXT = $(COMPILE) $(LINK) $(LIBS)
$(FLAGS): FORCE
	$(keep_text)

$(BUILD)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(BUILD)/obj/worker/gdb/library.o: $(wildcard worker/gdb/script/*.py)

# The plugin's skills, which the server shows to its clients as well.
SKILLS_OBJ := $(BUILD)/obj/supervisor/skills_shown.o
$(SKILLS_OBJ:.o=.c): packaging/skills.sh $(wildcard packaging/claude-plugin/skills/*/SKILL.md)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)sh $< $(patsubst %/SKILL.md,%,$(filter %.md,$^)) >$@.new && mv $@.new $@

# The pages that hosts with MCP Apps show.
APPS_OBJ := $(BUILD)/obj/supervisor/apps_shown.o
$(APPS_OBJ:.o=.c): packaging/apps.sh $(wildcard supervisor/app/*.html supervisor/app/*.css supervisor/app/*.js) $(FLAGS)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)sh $< '$(VERSION)' $(filter %.html,$^) >$@.new && mv $@.new $@
$(SKILLS_OBJ) $(APPS_OBJ): %.o: %.c $(FLAGS)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

# One archive for each top folder and its subfolders. main.c stays out, so that the unit tests can link
# the rest; the software PMU and the guard heap stay out, because they are libraries of their own.
sources_of = $(filter-out %/main.c $(1)/softpmu/% $(1)/guardheap/%,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
objects_of = $(patsubst %.c,$(BUILD)/obj/%.o,$(call sources_of,$(1)))$(if $(filter supervisor,$(1)), $(SKILLS_OBJ) $(APPS_OBJ))
ARCHIVES  := $(patsubst %,$(BUILD)/obj/%.a,mcp sandbox supervisor worker)

.SECONDEXPANSION:
$(ARCHIVES:.a=.list): export TEXT = $(call objects_of,$(basename $(@F)))
$(ARCHIVES:.a=.list): FORCE
	$(keep_text)
$(ARCHIVES): $(BUILD)/obj/%.a: $(BUILD)/obj/%.list $$(call objects_of,$$*)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)

# Links the objects and archives among the prerequisites; LINK_LIBS adds libraries of one program.
define link_program
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(LINK) -pie -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LINK_LIBS) $(LIBS)
endef

$(SUPERVISOR): $(BUILD)/obj/supervisor/main.o $(BUILD)/obj/supervisor.a $(BUILD)/obj/mcp.a $(BUILD)/obj/sandbox.a
	$(link_program)

# The worker decodes instructions that fault; it finds the carried Zydis where softpmu.so does.
$(WORKER): private LINK_LIBS = $(CARRY_FLAGS) -lZydis
$(WORKER): $(BUILD)/obj/worker/main.o $(BUILD)/obj/worker.a $(BUILD)/obj/sandbox.a
	$(link_program)

# The software PMU is loaded into rr, with the decoder that the worker has too: position-independent, and nothing of it is visible but the
# symbols it interposes. Debian has no static Zydis, and each release has another version of the
# shared one. So the tree carries the one it was built with, beside softpmu.so, and a built tree
# survives an upgrade. A package depends on its distribution's library instead (CARRY_ZYDIS=no).
CARRY_ZYDIS  ?= yes
X86_OBJS     := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard worker/x86/*.c))
SOFTPMU_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard worker/softpmu/*.c worker/softpmu/*/*.c)) $(X86_OBJS)
SOFTPMU_LIST := $(BUILD)/obj/worker/softpmu.list
$(SOFTPMU_LIST): export TEXT = $(CARRY_ZYDIS) $(SOFTPMU_OBJS)
$(SOFTPMU_LIST): FORCE
	$(keep_text)
$(SOFTPMU_OBJS): private PIC := -fPIC -fvisibility=hidden
# Replacements of libc's functions cannot be compiled against libc's own inline versions of them.
$(BUILD)/obj/worker/softpmu/symbols.o: private PIC += -U_FORTIFY_SOURCE
# DT_RPATH, because it also serves the libraries that the carried one needs.
CARRY_FLAGS := $(if $(filter yes,$(CARRY_ZYDIS)),-Wl$(comma)--disable-new-dtags$(comma)-rpath$(comma)'$$ORIGIN')
$(SOFTPMU): $(SOFTPMU_OBJS) $(SOFTPMU_LIST)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	@rm -f $(LIBEXEC)/libZy*
	$(Q)$(LINK) -shared $(CARRY_FLAGS) -o $@ $(filter %.o,$^) -lZydis -ldl
	@[ '$(CARRY_ZYDIS)' != yes ] || sh packaging/carry.sh $@ libZy

# The guard heap is loaded into recorded programs, and must not call what may call malloc.
# Without debug information, because its frames are not the program's own.
GUARDHEAP_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard worker/guardheap/*.c))
$(GUARDHEAP_OBJS): private PIC := -fPIC -fvisibility=hidden -fno-builtin -U_FORTIFY_SOURCE -g0
$(GUARDHEAP): $(GUARDHEAP_OBJS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(LINK) -shared -o $@ $(filter %.o,$^)

include tests/tests.mk
include packaging/packages.mk

.PHONY: deps
FOR ?= check
deps: ## install what building and testing need, with apt-get; FOR="style deb" for other purposes
	@sh packaging/deps.sh install $(FOR)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z][a-z0-9-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(filter %Makefile %.mk,$(MAKEFILE_LIST)) | \
		awk -F '\t' '{ printf "%-25s %s\n", $$1, $$2 }' | sed 's/make all /make     /'

# ---- Cleaning -------------------------------------------------------------------------------------

# Removes only what this file makes, by name, and a folder only if nothing else is in it.
BUILT := obj bin libexec share tests fuzz clients conformance bare portable dist rr-warden*_* rr-warden-*.tgz \
	rr-warden-*.mcpb rr_warden*-*.whl server.json
.PHONY: clean
clean: ## remove what was built, and nothing else
	@for folder in $(BUILD) build-clang build-asan; do \
		[ -d "$$folder" ] || continue; \
		(cd "$$folder" && rm -rf $(BUILT)); \
		rmdir "$$folder" 2>/dev/null || echo "clean: $$folder holds other files; they stay"; \
	done

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
