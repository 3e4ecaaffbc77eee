# shellcheck shell=bash
# shellcheck disable=SC2154 # here: the caller's
# SPDX-License-Identifier: GPL-2.0
#
# Recipe for tests/machine/kernel: as source.sh, by clang and lld.

# shellcheck source=tests/machine/kernels/source.sh
. "$here/kernels/source.sh"
need clang ld.lld llvm-ar llvm-objcopy

make()
{
	command make LLVM=1 "$@"
}
