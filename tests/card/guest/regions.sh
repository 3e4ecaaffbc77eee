#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Regions of ring3.h in recordings: the samples of --time REGION are those of the region's function
# (regions.c)
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

cd "$KNC_VM_SCRATCH" || exit 1
rdpmc=/sys/bus/event_source/devices/cpu/rdpmc
user=(setpriv --reuid 65534 --regid 4242 --clear-groups)
mkdir -m 777 marked

# record NAME OPTION... -- PROGRAM WORD...: record marked/NAME.data
record()
{
	local name=$1
	shift
	"${as[@]}" "$KNC_PMUCTL" record -e INSTRUCTIONS_EXECUTED:u@20011 -o "marked/$name.data" "$@" \
		>"marked/$name.out" 2>"marked/$name.said"
	sed "s/^/# $name: /" "marked/$name.said"
}

# samples NAME FUNCTION OPTION...: print the number of samples of the function
samples()
{
	"$KNC_PMUCTL" script -i "marked/$1.data" -F sym --symbol "$2" "${@:3}" 2>/dev/null | grep -c "^[[:space:]]*$2\$"
}

# inside NAME FUNCTION REGION: a test: the function has many samples, all in the region
inside()
{
	local all
	all=$(samples "$1" "$2")
	echo "# $1: $all samples in $2"
	equal "regions.$1.$2.in-$3" "$((all > 50)) $(samples "$1" "$2" --time "$3")" "1 $all"
}

# none NAME FUNCTION REGION: a test: no sample of the function is in the region
none()
{
	equal "regions.$1.$2.not-$3" "$(($(samples "$1" "$2") > 50)) $(samples "$1" "$2" --time "$3")" "1 0"
}

as=()
regions=$KNC_TEST_BUILD/regions
for how in regions regions-static; do
	record "$how" -- "$KNC_TEST_BUILD/$how" phases 40
	has "regions.$how.said" "$(cat "marked/$how.said")" '; 120 visits of 3 regions$'
	inside "$how" solve solve
	inside "$how" solve step
	inside "$how" assemble assemble
	none "$how" assemble solve
	none "$how" outside solve
	none "$how" solve assemble
	none "$how" outside assemble
	inside "$how" assemble solve,assemble
	equal "regions.$how.some-outside" "$(($(samples "$how" outside --time step) > 50)) \
$(($(samples "$how" outside --time step) < $(samples "$how" outside)))" '1 1'
done
# 40 times 600,000 instructions, to within the instructions of the marks and half a period
events=$("$KNC_PMUCTL" report -i marked/regions.data --time solve --folded | awk '{ sum += $NF } END { print sum }')
echo "# regions: $events events in solve, of 24000000"
equal regions.known-count "$((events > 23500000 && events < 24500000))" 1
equal regions.report "$("$KNC_PMUCTL" report -i marked/regions.data | sed -n 's/^regions *//p' |
	sed 's/, /\n/g' | sort | paste -sd,)" 'assemble (40 visits),solve (40 visits),step (40 visits)'
has regions.sort "$("$KNC_PMUCTL" report -i marked/regions.data --sort region)" '^ +[0-9.]+% .* solve *$'

# script names the innermost region of each sample
equal regions.script "$("$KNC_PMUCTL" script -i marked/regions.data -F sym,region 2>/dev/null | grep -A 1 '^solve$' |
	grep -cE "^[[:space:]]+solve\$")" "$(samples regions solve)"

# two threads are in the same region at the same time, each for its own time
record threads -- "$regions" threads
has regions.threads.said "$(cat marked/threads.said)" '; 40 visits of 1 region$'
inside threads solve part
inside threads assemble part
none threads outside part

# a child continues the region in which it was forked, with a ring of its own
record fork -- "$regions" fork
has regions.fork.said "$(cat marked/fork.said)" '; 3 visits of 2 regions$'
inside fork solve parent
inside fork assemble child
none fork solve child
none fork assemble parent
none fork outside parent

# exec ends the program's region; exit does too
record exec -- "$regions" exec
has regions.exec.said "$(cat marked/exec.said)" '; 61 visits of 4 regions$'
inside exec solve solve
none exec solve before
record open -- "$regions" open
inside open solve open

# names made at run time; the first region ends before the second, which began within it
record names -- "$regions" names
inside names solve first
inside names assemble first
inside names assemble second
inside names outside second
none names outside first
none names solve second

# a user without any permission; then regions that may count, which they do only with --no-marks
as=("${user[@]}")
record user -- "$regions" phases 40
inside user solve solve
as=()
setting=$(<$rdpmc)
echo 2 >$rdpmc
record rdpmc -- "$regions" phases 40
inside rdpmc solve solve
lacks regions.rdpmc.uncounted "$(cat marked/rdpmc.said)" 'solve.*visits|^solve' 'visits of 3 regions'
record counted --no-marks -- "$regions" phases 40
has regions.counted.report "$(cat marked/counted.said)" '^ *solve '
lacks regions.counted.said "$(cat marked/counted.said)" 'visits? of' 'samples? of'
echo "$setting" >$rdpmc
has regions.none "$("$KNC_PMUCTL" report -i marked/counted.data --time solve 2>&1; echo "$?")" \
	"no region 'solve', and no other: "

# More visits than a ring holds between two readings are lost, and counted
record many -- "$regions" many 300000
has regions.many.said "$(cat marked/many.said)" '; [0-9]+ visits of 1 region; [0-9]+ visits of regions lost: '
lost=$("$KNC_PMUCTL" report -i marked/many.data | sed -n 's/^lost *\([0-9]*\) visits.*/\1/p')
kept=$("$KNC_PMUCTL" report -i marked/many.data | sed -n 's/^regions *empty (\([0-9]*\) visits)$/\1/p')
equal regions.many.sum "$((lost + kept)) $((lost > 0 && kept >= 8192))" "300000 1"

# The instructions of a mark: the difference of 7,000 more visits
instructions()
{
	"$KNC_PMUCTL" record -q -e CPU_CLK_UNHALTED:u@100003 -o marked/cost.data -- \
		"$KNC_PMUCTL" stat -x , -e INSTRUCTIONS_EXECUTED:u -o marked/cost -- "$regions" many "$1"
	sed -n 's/^\([0-9]*\),.*INSTRUCTIONS_EXECUTED.*/\1/p' marked/cost
}
least=$(instructions 1000)
most=$(instructions 8000)
cost=$(((most - least) / 7000))
echo "# regions: a visit that is marked executes $cost instructions"
equal regions.cost "$((cost > 40 && cost <= 130))" 1
exit $failed
