#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# LIKWID on an emulated Westmere, a third opinion beside Linux and this project: likwid.sh PROGRAM
#
# PROGRAM: tests/arch/likwid.c. N times {dec, jnz} are 2 N instructions and N branches, and a cycle
# is an instruction or a data access.
cd "$(dirname "$0")/../card/guest" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh
# shellcheck source=tests/arch/lib.sh
. ../../arch/lib.sh

program=$1
branches=BR_INST_RETIRED_ALL_BRANCHES:PMC0
general=$branches,INST_RETIRED_ANY_P:PMC1,CPU_CLOCK_UNHALTED_THREAD_P:PMC2,INST_RETIRED_ANY_P:PMC3

# ours EVENTS: count with knc-pmuctl on CPU 0
ours()
{
	"$ctl" stat -C 0 -e "$1" -- true >"$out" 2>&1
	equal "ours.$1" $? 0
}

# Erratum BD53: a new event counts nothing unless the counters have settled. LIKWID does not let
# them settle; the module and Linux do.
ours r010e/0:u,r010e/1:u,r010e/2:u,r010e/3:u
"$program" 1000000 0 "$general" >"$out" 2>&1
equal likwid.erratum "$(grep -c '^0 .*:PMC[0-3]$' "$out")" 4

# if a session has selected the same events before, LIKWID counts exactly
ours r04c4/0:u,r01c0/1:u,r003c/2:u,r01c0/3:u
"$program" 1000000 0 "INSTR_RETIRED_ANY:FIXC0,CPU_CLK_UNHALTED_CORE:FIXC1,$general" >"$out" 2>&1
equal likwid.pmc0 "$(count_of "$branches")" 1000000
for counter in INST_RETIRED_ANY_P:PMC1 CPU_CLOCK_UNHALTED_THREAD_P:PMC2 INST_RETIRED_ANY_P:PMC3 INSTR_RETIRED_ANY:FIXC0 \
	CPU_CLK_UNHALTED_CORE:FIXC1; do
	equal "likwid.${counter#*:}" "$(count_of $counter)" 2000000
done

# 2 MB are read through a cache of 512 KB; other programs read too
"$program" 0 32768 UNC_QMC_NORMAL_READS_ANY:UPMC0,UNC_L3_MISS_ANY:UPMC1,UNCORE_CLOCK:UPMCFIX >"$out" 2>&1
within likwid.uncore.reads "$(count_of UNC_QMC_NORMAL_READS_ANY:UPMC0)" 32000 65536
within likwid.uncore.misses "$(count_of UNC_L3_MISS_ANY:UPMC1)" 32000 65536

# the command likwid-perfctr counts all programs on the CPU
ours r04c4/0:u
likwid-perfctr -f -M 0 -C 0 -O -g "$branches,INSTR_RETIRED_ANY:FIXC0" "$loop" 1000000 >"$TMPDIR/perfctr" 2>&1
tr , ' ' <"$TMPDIR/perfctr" | awk '$2 ~ /^(PMC0|FIXC0)$/ { print $3, $2 }' >"$out"
within likwid.perfctr.branches "$(count_of PMC0)" 1000000 10000000
within likwid.perfctr.instructions "$(count_of FIXC0)" 2000000 20000000

# LIKWID leaves nothing that disturbs a session
"$ctl" stat -e instructions:u -- "$loop" 0001000 >/dev/null 2>"$out"
few=$(count_of instructions:u)
"$ctl" stat -e instructions:u -- "$loop" 1001000 >/dev/null 2>"$out"
equal likwid.ours-after $(($(count_of instructions:u) - few)) 2000000
exit $failed
