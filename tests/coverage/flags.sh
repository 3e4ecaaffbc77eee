# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034 # for the scripts that include this
#
# Options of make for a module that counts how often each branch runs. The counters are in the
# module's .bss; nothing of libgcov is linked, but its objects name a function of it. Atomic, because
# gcov computes other counts from these.
coverage_flags='-fprofile-arcs -ftest-coverage -fprofile-update=atomic -fprofile-info-section -fno-tree-loop-im -Wno-maybe-uninitialized'
coverage_ldflags=--defsym=__gcov_merge_add=0
