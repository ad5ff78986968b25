# Installation and packages; included by the top Makefile.
#
# `install` is the one list of files: each package is made from what it puts into a staging folder.
# The version is the one at the top of packaging/debian/changelog.

# ---- Installing -----------------------------------------------------------------------------------

# The manual of the settings is made from what the program says about them.
CONF_MANUAL := $(BUILD)/share/rr-warden.conf.5
$(CONF_MANUAL): packaging/rr-warden.conf.5.in packaging/settings-manual.sh $(SUPERVISOR)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	@sh packaging/settings-manual.sh $(SUPERVISOR) packaging/rr-warden.conf.5.in >$@.new && mv $@.new $@

INSTALL_TO = "$(DESTDIR)$(PREFIX)"
BASH_COMPLETIONS = $(INSTALL_TO)/share/bash-completion/completions
EXAMPLES         = $(INSTALL_TO)/share/doc/rr-warden/examples
ZSH_SITE        ?= vendor-completions
ZSH_COMPLETIONS  = $(INSTALL_TO)/share/zsh/$(ZSH_SITE)
EXAMPLE_FILES   := $(shell cd packaging && find examples -type f | LC_ALL=C sort)
PLUGIN_FILES    := $(shell cd packaging && find claude-plugin -type f | LC_ALL=C sort)
# $(call install_as_is,FILE,TARGET): scripts stay executable
install_as_is = mode=644; [ ! -x packaging/$(1) ] || mode=755; install -Dm $$mode packaging/$(1) $(2)
.PHONY: install uninstall
install: build $(CONF_MANUAL) ## install into PREFIX (/usr/local), below DESTDIR
	install -d $(INSTALL_TO)/bin $(INSTALL_TO)/libexec/rr-warden $(INSTALL_TO)/share/man/man1 \
		$(INSTALL_TO)/share/man/man5 $(EXAMPLES) \
		$(BASH_COMPLETIONS) $(ZSH_COMPLETIONS)
	install -m 755 $(SUPERVISOR) $(INSTALL_TO)/bin/
	install -m 755 $(WORKER) $(INSTALL_TO)/libexec/rr-warden/
	install -m 644 $(LIBEXEC)/*.so* $(INSTALL_TO)/libexec/rr-warden/
	install -m 644 packaging/rr-warden.1 $(INSTALL_TO)/share/man/man1/
	install -m 644 $(CONF_MANUAL) $(INSTALL_TO)/share/man/man5/
	install -m 644 packaging/completion/rr-warden.bash $(BASH_COMPLETIONS)/rr-warden
	install -m 644 packaging/completion/_rr-warden $(ZSH_COMPLETIONS)/
	install -m 644 packaging/rr-warden.conf packaging/rr-warden.apparmor $(EXAMPLES)/
	for file in $(EXAMPLE_FILES); do $(call install_as_is,$$file,$(INSTALL_TO)/share/doc/rr-warden/$$file) || exit 1; done
	for file in $(PLUGIN_FILES); do $(call install_as_is,$$file,$(INSTALL_TO)/share/rr-warden/$$file) || exit 1; done

uninstall: ## remove what install put there
	rm -f $(INSTALL_TO)/bin/rr-warden $(INSTALL_TO)/share/man/man1/rr-warden.1 \
		$(INSTALL_TO)/share/man/man5/rr-warden.conf.5 $(BASH_COMPLETIONS)/rr-warden \
		$(ZSH_COMPLETIONS)/_rr-warden $(INSTALL_TO)/libexec/rr-warden/rr-warden-worker \
		$(INSTALL_TO)/libexec/rr-warden/*.so* $(EXAMPLES)/rr-warden.conf $(EXAMPLES)/rr-warden.apparmor
	for file in $(EXAMPLE_FILES); do rm -f $(INSTALL_TO)/share/doc/rr-warden/$$file; done
	rm -rf $(INSTALL_TO)/share/rr-warden/claude-plugin
	rmdir --ignore-fail-on-non-empty $(INSTALL_TO)/libexec/rr-warden $(INSTALL_TO)/share/rr-warden $(EXAMPLES) \
		$(INSTALL_TO)/share/doc/rr-warden

# ---- Debian ---------------------------------------------------------------------------------------

.PHONY: deb check-deb
deb: ## build the Debian package into build/
	@sh packaging/deps.sh look deb
	@sh packaging/build-deb.sh $(BUILD)

check-deb: ## lint the Debian package, build it twice, and use it in bare roots of Debian 12 and 13
	@sh packaging/deps.sh look deb bare
	@sh tests/packages/deb.sh $(BUILD) $(RELEASE)

# ---- Source release, RPM, Arch ----------------------------------------------------------------------

URL     ?= https://rr-warden.invalid/
RELEASE_NAME := rr-warden-$(VERSION)
DIST    := $(BUILD)/dist
SOURCES := $(DIST)/$(RELEASE_NAME).tar.xz
export SOURCE_DATE_EPOCH ?= $(shell date -u -d "$$(sed -n 's/^ -- .*>  //p' packaging/debian/changelog | head -n 1)" +%s)

# $(call fill,FILE,HOW TO RUN IT)
fill = sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@URL@|$(URL)|g' -e 's|@REGISTRY_NAME@|$(REGISTRY_NAME)|g' \
	-e 's|@GLIBC@|$(GLIBC)|g' -e 's|@RUN@|$(2)|g' -e 's|@RR@|$(RR_RELEASE)|g' \
	-e 's|@GDB@|$(GDB_RELEASE)|g' -e 's|@IMAGE@|$(IMAGE_NAME)|g' $(1)

.PHONY: dist check-dist
dist: build ## the source archive, its bill of materials (SPDX), spec file, PKGBUILD and checksums, in build/dist/
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@sh packaging/dist/source.sh $(RELEASE_NAME) $(SOURCES)
	@python3 packaging/dist/sbom.py $(VERSION) $(SOURCES) $(SUPERVISOR) $(WORKER) $(SOFTPMU) $(GUARDHEAP) >$(DIST)/$(RELEASE_NAME).spdx.json
	@sh packaging/changelog.sh packaging/debian/changelog >$(DIST)/changelog
	@printf 'BuildRequires:  pkgconfig(%s)\n' $(PKGS) >$(DIST)/requires
	@$(call fill,packaging/rpm/rr-warden.spec.in) | sed -e '/^@CHANGELOG@$$/{r $(DIST)/changelog' -e 'd}' \
		-e '/^@PKGCONFIG@$$/{r $(DIST)/requires' -e 'd}' >$(DIST)/rr-warden.spec
	@sum=$$(sha256sum <$(SOURCES)) && $(call fill,packaging/arch/PKGBUILD.in) | sed "s/@SHA256@/$${sum%% *}/" >$(DIST)/PKGBUILD
	@rm $(DIST)/changelog $(DIST)/requires
	@cd $(DIST) && sha256sum -- * >SHA256SUMS && cat SHA256SUMS

check-dist: ## the release: equal bytes from two trees, RPM built and linted, PKGBUILD built
	@sh packaging/deps.sh look dist
	@sh tests/packages/dist.sh $(BUILD)

# ---- Wheel, npm packages, entry of the MCP registry -------------------------------------------------
#
# Both carry the libraries that the programs need, because they go to systems that may not have them.
# The lowest glibc that is enough is read from the programs, so build on the oldest system to support.

# There is no public home yet, so whoever publishes gives the name that the registry grants.
REGISTRY_NAME ?= invalid.rr-warden/rr-warden
IMAGE_NAME    ?= registry.invalid/rr-warden
PORTABLE := $(BUILD)/portable
STAGE    := $(PORTABLE)/stage

# DT_RPATH and not RUNPATH, because it also serves the libraries that the bundled ones need.
.PHONY: portable
portable: export EXTRA_LDFLAGS = -Wl,--disable-new-dtags -Wl,-rpath,'$$$$ORIGIN:$$$$ORIGIN/../libexec/rr-warden'
portable: ## the server with the libraries it needs, for the wheel and npm
	@rm -rf $(STAGE)
	@$(MAKE) --no-print-directory BUILD=$(PORTABLE) CARRY_ZYDIS=yes DESTDIR="$(call whole_path,$(STAGE))" PREFIX= install >/dev/null
	@sh packaging/bundle.sh $(STAGE)

GLIBC = $(shell sh packaging/glibc.sh $(STAGE))

# rr and gdb go into packages of their own, for systems that have none: the Debian packages of the build
# machine.
RR_STAGE    := $(PORTABLE)/rr-stage
RR_PARTS    := $(RR_STAGE)/libexec/rr-warden/rr
RR_LICENCES := $(RR_STAGE)/share/doc/rr-warden-rr/licences
RR_RELEASE   = $(shell sed -n 's/^rr //p' $(RR_PARTS)/VERSIONS 2>/dev/null)
RR_GLIBC     = $(shell sh packaging/glibc.sh $(RR_STAGE))
.PHONY: portable-rr
portable-rr: ## rr with the libraries it needs, for its wheel and npm package
	@sh packaging/deps.sh look carry
	@sh packaging/carry-tool.sh rr $(RR_PARTS) $(RR_LICENCES)

GDB_STAGE    := $(PORTABLE)/gdb-stage
GDB_PARTS    := $(GDB_STAGE)/libexec/rr-warden/gdb
GDB_LICENCES := $(GDB_STAGE)/share/doc/rr-warden-gdb/licences
GDB_RELEASE   = $(shell sed -n 's/^gdb //p' $(GDB_PARTS)/VERSIONS 2>/dev/null)
GDB_GLIBC     = $(shell sh packaging/glibc.sh $(GDB_STAGE))
.PHONY: portable-gdb
portable-gdb: ## gdb with its Python and the libraries it needs, for its wheel and npm package
	@sh packaging/deps.sh look carry
	@sh packaging/carry-tool.sh gdb $(GDB_PARTS) $(GDB_LICENCES)

.PHONY: wheel npm server-json check-packages check-installed
wheel: portable-rr portable-gdb portable ## build the Python wheels of rr-warden, rr and gdb into build/
	@rm -f $(BUILD)/rr_warden-*.whl $(BUILD)/rr_warden_rr-*.whl $(BUILD)/rr_warden_gdb-*.whl
	@{ $(call fill,packaging/wheel/METADATA.in); $(call fill,packaging/GETTING-STARTED.md,rr-warden); } >$(PORTABLE)/METADATA
	@python3 packaging/wheel/build_wheel.py $(STAGE) $(PORTABLE)/METADATA $(BUILD) rr-warden $(VERSION) $(GLIBC)
	@{ $(call fill,packaging/wheel/METADATA-rr.in); $(call fill,packaging/RR.md); } >$(PORTABLE)/METADATA-rr
	@python3 packaging/wheel/build_wheel.py $(RR_STAGE) $(PORTABLE)/METADATA-rr $(BUILD) rr-warden-rr $(VERSION) $(RR_GLIBC)
	@{ $(call fill,packaging/wheel/METADATA-gdb.in); $(call fill,packaging/GDB.md); } >$(PORTABLE)/METADATA-gdb
	@python3 packaging/wheel/build_wheel.py $(GDB_STAGE) $(PORTABLE)/METADATA-gdb $(BUILD) rr-warden-gdb $(VERSION) $(GDB_GLIBC)

NPM      := $(PORTABLE)/npm
NPM_PACK := rr-warden rr-warden-linux-x64 rr-warden-rr-linux-x64 rr-warden-gdb-linux-x64
npm: portable-rr portable-gdb portable ## build the four npm packages into build/
	@sh packaging/deps.sh look clients
	@rm -rf $(NPM) $(foreach name,$(NPM_PACK),$(BUILD)/$(name)-$(VERSION).tgz)
	@mkdir -p $(NPM)/rr-warden/bin $(NPM)/rr-warden-linux-x64 $(NPM)/rr-warden-rr-linux-x64 $(NPM)/rr-warden-gdb-linux-x64
	@cp packaging/npm/rr-warden $(NPM)/rr-warden/bin/
	@cp -r $(STAGE)/bin $(STAGE)/libexec $(STAGE)/share/doc/rr-warden/licences $(NPM)/rr-warden-linux-x64/
	@cp -r $(RR_PARTS)/. $(RR_LICENCES) $(NPM)/rr-warden-rr-linux-x64/
	@cp -r $(GDB_PARTS)/. $(GDB_LICENCES) $(NPM)/rr-warden-gdb-linux-x64/
	@$(call fill,packaging/npm/package.json.in) >$(NPM)/rr-warden/package.json
	@$(call fill,packaging/npm/linux-x64.json.in) >$(NPM)/rr-warden-linux-x64/package.json
	@$(call fill,packaging/npm/rr-linux-x64.json.in) >$(NPM)/rr-warden-rr-linux-x64/package.json
	@$(call fill,packaging/npm/gdb-linux-x64.json.in) >$(NPM)/rr-warden-gdb-linux-x64/package.json
	@for name in rr-warden rr-warden-linux-x64; do \
		cp LICENSE $(NPM)/$$name/ && \
		$(call fill,packaging/GETTING-STARTED.md,npx rr-warden) >$(NPM)/$$name/README.md || exit 1; \
	done
	@$(call fill,packaging/RR.md) >$(NPM)/rr-warden-rr-linux-x64/README.md
	@$(call fill,packaging/GDB.md) >$(NPM)/rr-warden-gdb-linux-x64/README.md
	@for name in $(NPM_PACK); do \
		npm pack --silent --pack-destination $(BUILD) ./$(NPM)/$$name || exit 1; \
	done

# One file with server, rr and gdb for hosts that take MCP bundles: they unpack it and start the program.
BUNDLE := $(BUILD)/rr-warden-$(VERSION).mcpb
.PHONY: mcpb
mcpb: portable-rr portable-gdb portable ## build the MCP bundle into build/
	@$(call fill,packaging/mcpb/manifest.json.in) >$(PORTABLE)/manifest.json
	@python3 packaging/mcpb/build_mcpb.py $(PORTABLE)/manifest.json $(BUNDLE) $(STAGE) $(RR_STAGE) $(GDB_STAGE)

# ---- Container ------------------------------------------------------------------------------------

IMAGE := $(BUILD)/rr-warden-$(VERSION).oci.tar
.PHONY: container check-container
container: portable ## the OCI image with server, rr and gdb into build/ (mmdebstrap; no container engine)
	@sh packaging/deps.sh look bare
	@sh packaging/container/build.sh $(STAGE) $(VERSION) $(REGISTRY_NAME) $(IMAGE)

check-container: container $(TEST_BIN)/programs/crash ## the image's entry point, unpacked and run in a user namespace
	@sh tests/packages/container.sh $(IMAGE) $(TEST_BIN)/programs/crash

server-json: mcpb ## write the entry of the MCP registry into build/, with the bundle's checksum
	@sum=$$(sha256sum <$(BUNDLE)) && $(call fill,packaging/server.json.in) | sed "s/@SHA256@/$${sum%% *}/" >$(BUILD)/server.json
	@echo $(BUILD)/server.json

check-packages: wheel npm server-json deps-clients $(TEST_BIN)/programs/crash ## the wheel, the npm packages and the MCP bundle, installed from the files and used by a real client
	@sh packaging/deps.sh look packages
	@sh tests/packages/check.sh $(BUILD) "$(CLIENTS)" "$(call whole_path,$(TEST_BIN))/programs/crash"

check-installed: deps-clients ## all packages built in one bare root and used by real clients in another, which has only them
	@sh packaging/deps.sh look bare
	@BARE_CACHE="$(call whole_path,$(BUILD))/bare" sh tests/packages/newcomers.sh "$(CLIENTS)" $(RELEASE)

.PHONY: check-apparmor
check-apparmor: ## the AppArmor profiles on a kernel of Ubuntu 24.04, in a virtual machine (root, mmdebstrap, qemu)
	@sh packaging/deps.sh look vm
	@sh tests/packages/apparmor.sh "$(call whole_path,$(BUILD))/bare"

HOSTS = $(foreach host,claude codex gemini,"$(CLIENTS)/agents/node_modules/.bin/$(host)")
.PHONY: check-plugin
check-plugin: build deps-clients $(TEST_BIN)/programs/crash ## the plugin's skills against the tools, and in Claude Code, Codex and Gemini CLI
	@cp tests/packages/*.mjs "$(CLIENTS)/"
	@PATH="$(CLIENTS)/node_modules/.bin:$$PATH" node "$(CLIENTS)/plugin.mjs" "$(call whole_path,$(SUPERVISOR))" \
		"$(call whole_path,$(TEST_BIN))/programs/crash" $(VERSION) "$(CURDIR)/packaging/claude-plugin" $(HOSTS)

.PHONY: check-readme check-examples
check-readme: build deps-clients $(DEMO) $(TEST_BIN)/programs/list_corruption ## the commands and configuration of README and manuals, with the hosts' own command lines
	@python3 -B tests/packages/readme.py "$(call whole_path,$(SUPERVISOR))" . "$(CLIENTS)"

check-examples: build deps-clients ## run packaging/examples with a flaky test; with sshd and Slurm on loopback where installed
	@sh packaging/deps.sh look packages
	@python3 -B tests/packages/examples.py "$(call whole_path,$(SUPERVISOR))" packaging/examples "$(CLIENTS)"
