# SPDX-License-Identifier: GPL-2.0
#
# knc_pmu: see README.md
#
#   make demo            count real programs on the emulated card
#   make demo-cluster    count the ranks of an MPI program on three of them
#   make check           every test
#   make quick           those that need no card, in less than a minute
#   make check-all       and those that take longer: all kernels, long runs,
#                        hostile, fault, kcsan, mutants, coverage
#   make check-kernels   the tests of the module on Debian's 5.10, 6.1, 6.12 and 7.2
#   make fuzz            the fuzzer of the ioctls, for FUZZ_SECONDS (an hour); FUZZ_SEED
#   make mutants         the module's guards, one by one: does a test miss each?
#   make coverage        the lines of src/ that the tests run, by folder; those that they do not run
#   make bench           the cost of the operations, in executed instructions; BENCH=arch3: those
#                        of a host only, BENCH=knc: of the card
#   make bench-scale     the same on 4 to 244 hardware threads
#   make module [KDIR=]  knc_pmu.ko for the running kernel, or the one of KDIR; PMU=arch: for a
#                        host with the architectural PMU; VMLINUX: of a kernel to compare with
#   make tools           knc-pmuctl and libkncpmu; V=1 shows the commands
#   make static          tools/build/static/knc-pmuctl, which needs no library
#   make install         the tools; modules_install: the module; uninstall: the tools
#   make install-dkms    the module's source, for DKMS; uninstall-dkms
#   make sign [KDIR=]    sign knc_pmu.ko with SIGN_KEY and SIGN_CERT
#   make deb             Debian packages, in tools/build/deb
#   make rpm             RPM packages, in tools/build/rpm
#   make dist            the source of a release, tools/build/knc-pmu-VERSION.tar.gz
#   make docs            the book, tools/build/book/index.html
#   make card            the emulated card alone (build it once)
#   make clean           remove what was built here; the cache stays

KDIR	?= /lib/modules/$(shell uname -r)/build
KERNEL	?= 6.1
PMU	?= knc
O	?= tools/build
override O := $(abspath $(O))
Q	:= $(if $(filter 1,$(V)),,@)

# Lists of Debian packages: what the emulated card takes with a kernel of Debian's and the tools,
# with kernels that are built, and a test on it
INSTALL		:= tests/machine/install-deps
CARD_DEPS	:= $(addsuffix /build-deps,tools tests/machine/qemu tests/machine/kernels)
KERNEL_DEPS	:= $(CARD_DEPS) tests/machine/kernels/build-deps.source
TEST_DEPS	:= $(KERNEL_DEPS) tests/build-deps tests/card/build-deps

all: tools

demo:
	@$(INSTALL) $(CARD_DEPS)
	tests/demo/run

demo-cluster:
	@$(INSTALL) $(CARD_DEPS) tests/demo/build-deps
	tests/demo/cluster

check: deps
	tests/run $(TESTS)

quick:
	@$(INSTALL) tools/build-deps tests/build-deps tests/host/build-deps tests/card/build-deps
	tests/run --quick

check-all: deps
	@$(INSTALL) tests/packaging/release-deps tests/card/slurm-deps
	tests/run --all

check-kernels:
	@$(INSTALL) $(TEST_DEPS)
	tests/card/check-kernels $(KERNELS)

FUZZ_SECONDS ?= 3600

fuzz:
	@$(INSTALL) $(TEST_DEPS)
	KNC_FUZZ_SECONDS=$(FUZZ_SECONDS) KNC_FUZZ_SEED=$(FUZZ_SEED) \
		tests/card/run hostile

mutants: deps
	tests/mutants/run $(MUTANTS)

coverage: deps
	tests/coverage/run

bench:
	@$(INSTALL) $(KERNEL_DEPS) tests/bench/build-deps
	tests/bench/run $(BENCH)

bench-scale:
	@$(INSTALL) $(KERNEL_DEPS) tests/bench/build-deps
	tests/bench/scale

# of every test
deps:
	@$(INSTALL)

# each warning is an error
docs:
	@command -v sphinx-build >/dev/null || \
		{ echo "make docs takes Debian's packages $$(grep -E 'sphinx|furo|mandoc|bs4' tests/book/build-deps | tr '\n' ' ')"; exit 1; }
	@sphinx-build -q -n -W --keep-going -d $(O)/book.cache -b html Documentation $(O)/book

card:
	@$(INSTALL) tests/machine/qemu/build-deps
	tests/machine/build-qemu

# what make says of a directory that is not there tells nobody what to do
headers:
	@tools/check-kdir '$(KDIR)' headers

# what is missing, or LLVM=1, before Kbuild fails for it; the structs are compared with a vmlinux
module:
	+@more=$$(tools/check-kdir '$(KDIR)' $(if $(LLVM),LLVM=$(LLVM)) \
		$(if $(filter command,$(origin CC)),CC=given) $(if $(VMLINUX),VMLINUX='$(VMLINUX)')) && \
		$(MAKE) -C $(KDIR) M=$(CURDIR) PMU=$(PMU) $$more modules && \
		tools/check-vmlinux '$(KDIR)' PMU=$(PMU) $$more

modules_install: headers
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

# For kernels that load only signed modules; the file of the key can be a URI of PKCS#11.
SIGN_HASH ?= sha256
KO	?= knc_pmu.ko

sign: headers
	$(KDIR)/scripts/sign-file $(SIGN_HASH) $(SIGN_KEY) $(SIGN_CERT) $(KO)

# where the module for a kernel of the emulated card is; builds it
module-path:
	@tests/machine/module $(KERNEL) $(if $(filter-out knc,$(PMU)),PMU=$(PMU))

tools:
	+$(Q)$(MAKE) --no-print-directory -C tools O=$(O) all

# after tools: two at once would build the same objects
static: tools
	$(MAKE) -C tools O=$(O) static

install uninstall install-dkms uninstall-dkms:
	$(MAKE) -C tools O=$(O) $@

deb:
	tools/packaging/build-deb $(O)/deb

rpm:
	tools/packaging/build-rpm $(O)/rpm

dist:
	@tools/packaging/dist $(O)

clean:
	$(MAKE) -C tools O=$(O) clean
	rm -rf src/*.o src/.*.cmd src/*/*.o src/*/.*.cmd *.o *.ko *.mod *.mod.c .*.cmd .module-common.o \
		modules.order Module.symvers .Module.symvers.cmd

.PHONY: all demo demo-cluster check quick check-all check-kernels fuzz mutants coverage bench bench-scale deps docs card headers module \
	modules_install sign module-path tools static install uninstall dist \
	install-dkms uninstall-dkms deb rpm clean
