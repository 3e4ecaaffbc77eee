# SPDX-License-Identifier: GPL-2.0
#
# knc_pmu: see README.md
#
#   make demo            count real programs on the emulated card
#   make check           every test
#   make check-all       and those that take longer: all kernels, long runs,
#                        hostile, fault, kcsan, mutants
#   make fuzz            the fuzzer of the ioctls, for FUZZ_SECONDS (an hour); FUZZ_SEED
#   make mutants         the module's guards, one by one: does a test miss each?
#   make bench           the cost of the operations, in executed instructions
#   make module [KDIR=]  knc_pmu.ko for the running kernel, or the one of KDIR
#   make tools           knc-pmuctl and libkncpmu
#   make install         the tools; modules_install: the module
#   make card            the emulated card alone (build it once)
#   make clean           remove what was built here; the cache stays

KDIR	?= /lib/modules/$(shell uname -r)/build
KERNEL	?= 6.1
O	?= $(CURDIR)/tools/build

all: tools

demo: deps
	tests/demo/run

check: deps
	tests/run $(TESTS)

check-all: deps
	tests/run --all

FUZZ_SECONDS ?= 3600

fuzz: deps
	KNC_FUZZ_SECONDS=$(FUZZ_SECONDS) KNC_FUZZ_SEED=$(FUZZ_SEED) \
		tests/system/run hostile

mutants: deps
	tests/mutants/run $(MUTANTS)

bench: deps
	tests/bench/run

deps:
	tests/machine/install-deps

card: deps
	tests/machine/build-qemu

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

# where the module for a kernel of the emulated card is; builds it
module-path:
	@tests/machine/module $(KERNEL)

tools:
	$(MAKE) -C tools O=$(O) all

install:
	$(MAKE) -C tools O=$(O) install

clean:
	$(MAKE) -C tools O=$(O) clean
	rm -rf src/*.o src/.*.cmd src/*/*.o src/*/.*.cmd *.o *.ko *.mod *.mod.c .*.cmd .module-common.o \
		modules.order Module.symvers .Module.symvers.cmd

.PHONY: all demo check check-all fuzz mutants bench deps card module \
	modules_install module-path tools install clean
