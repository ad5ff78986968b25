# rr-warden: everything is made here. `make help` lists the targets.
#
# Layout under build/ mirrors an installation, so that the supervisor finds its parts by one rule
# (../libexec/rr-warden beside its own bin/), installed or not:
#   build/bin/rr-warden   build/libexec/rr-warden/{rr-warden-worker,softpmu.so}

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=

CC      ?= cc
PKGS    := jansson libseccomp libcap libbsd-overlay inih
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
HARDEN  := -fstack-protector-strong -D_FORTIFY_SOURCE=3 -fcf-protection
OPT     ?= -O2 -g
VERSION := $(shell sed -n '1s/.*(\([^-)]*\).*/\1/p' packaging/debian/changelog 2>/dev/null || echo 0.1.0)

CPPFLAGS += -D_GNU_SOURCE -DRR_WARDEN_VERSION='"$(VERSION)"' -I. $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
CFLAGS   := -std=c17 $(OPT) $(WARN) $(HARDEN) -fPIE $(EXTRA_CFLAGS)
LDFLAGS  += -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(EXTRA_LDFLAGS)
LIBS     := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm

# One archive a folder; main.c stays out so that the unit tests can link the rest.
objects   = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out %/main.c,$(wildcard $(1)/*.c)))
ARCHIVES := $(BUILD)/obj/mcp.a $(BUILD)/obj/sandbox.a $(BUILD)/obj/supervisor.a $(BUILD)/obj/worker.a

SUPERVISOR := $(BUILD)/bin/rr-warden
LIBEXEC    := $(BUILD)/libexec/rr-warden
WORKER     := $(LIBEXEC)/rr-warden-worker
SOFTPMU    := $(LIBEXEC)/softpmu.so

.PHONY: all
all: deps-build
	@$(MAKE) --no-print-directory build

.PHONY: build
build: $(SUPERVISOR) $(WORKER) $(SOFTPMU)

.PHONY: deps-build deps-check
deps-build:
	@sh packaging/install-deps.sh build
deps-check:
	@sh packaging/install-deps.sh check

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/mcp.a:        $(call objects,mcp)
$(BUILD)/obj/sandbox.a:    $(call objects,sandbox)
$(BUILD)/obj/supervisor.a: $(call objects,supervisor)
$(BUILD)/obj/worker.a:     $(call objects,worker)
$(ARCHIVES):
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^

$(SUPERVISOR): $(BUILD)/obj/supervisor/main.o $(BUILD)/obj/supervisor.a $(BUILD)/obj/mcp.a $(BUILD)/obj/sandbox.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$(WORKER): $(BUILD)/obj/worker/main.o $(BUILD)/obj/worker.a $(BUILD)/obj/sandbox.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

# The software PMU is loaded into rr: position-independent, and nothing of it is visible but the
# symbols it interposes; fortified inline versions of these cannot be interposed.
SOFTPMU_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard worker/softpmu/*.c))
$(SOFTPMU_OBJS): CFLAGS += -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE
$(SOFTPMU): $(SOFTPMU_OBJS)
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-z,relro,-z,now -Wl,--as-needed $(EXTRA_LDFLAGS) -o $@ $^ -lZydis -ldl

include tests/tests.mk

.PHONY: help
help:
	@echo "make          build the server"
	@echo "make demo     install what is missing, build, and find a memory corruption with it"
	@echo "make check    install what the tests need, build, run every test"
	@echo "make bench    measure, with baselines in the same run"
	@echo "make check-clients, check-conformance  real MCP clients and the conformance suite (npm)"
	@echo "make fuzz     fuzz the protocol core (clang)"
	@echo "make check-style  format, include direction, cppcheck, clang-tidy"
	@echo "make install  DESTDIR= PREFIX=$(PREFIX)"
	@echo "make deb      build the Debian package into $(BUILD)/"

.PHONY: install
install: build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/rr-warden $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(SUPERVISOR) $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $(WORKER) $(DESTDIR)$(PREFIX)/libexec/rr-warden/
	install -m 644 $(SOFTPMU) $(DESTDIR)$(PREFIX)/libexec/rr-warden/
	install -m 644 packaging/rr-warden.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -d $(DESTDIR)$(PREFIX)/share/doc/rr-warden
	install -m 644 packaging/rr-warden.conf $(DESTDIR)$(PREFIX)/share/doc/rr-warden/

.PHONY: deb
deb:
	@sh packaging/install-deps.sh deb
	@sh packaging/build-deb.sh $(BUILD)

.PHONY: clean
clean:
	rm -rf $(BUILD) build-*

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
