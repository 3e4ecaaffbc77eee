#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Multiplexed events, metrics and JSON of knc-pmuctl stat, on a card where a tick of the clock is
# one instruction: a program's speed does not depend on its events
#
# KNC_TEST_LONG: 24 events over 3 s, not 8 over 0.4 s
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

json=$TMPDIR/json
mkdir -p "$json"

# counts NAME OPTION... -- COMMAND...: run stat --json; NAME gets its output
counts()
{
	local name=$1

	shift
	"$KNC_PMUCTL" stat --json -o "$json/$name" "$@" || not_ok "stat.$name" "it ended with $?"
}

four=INSTRUCTIONS_EXECUTED:u,BRANCHES:u,DATA_READ:u,DATA_WRITE:u
metrics=cpi,ipc,unnamed,unnamed_both
# events that the card lacks get codes without a name
cat >"$TMPDIR/own.json" <<END
{"version": 1, "metrics": [
 {"name": "unnamed", "title": "none", "formula": "r1028 / BRANCHES", "unit": "events/branch", "source": "none"},
 {"name": "unnamed_both", "title": "none", "formula": "r1028 / r00ff", "unit": "ratio", "source": "none"}],
 "groups": [{"name": "half", "title": "not on this card", "metrics": ["ipc"],
  "events": ["BRANCHES", "DATA_READ", "r1028", "r00ff"]}]}
END
own=(--metrics "$TMPDIR/own.json")
many=$four,$four
times=2.5
[ -z "${KNC_TEST_LONG-}" ] || {
	many=$many,$many,$many
	times=20.0
}
steady=("$KNC_TEST_BUILD/copy" "$((${times/./} * 4000000))")
long=("$KNC_TEST_BUILD/copy" 40000000)
few=("$KNC_TEST_BUILD/copy" 10000000)
short=("$KNC_TEST_BUILD/copy" 1000000)

counts scaled -e $many -- "${steady[@]}"
counts exact-long --passes -e $four -- "${long[@]}"
counts pinned -e ${four/INSTRUCTIONS_EXECUTED:u/INSTRUCTIONS_EXECUTED:uD} -- "${long[@]}"
counts rough --per-thread -M ipc -e $four -- "${long[@]}"
counts metrics "${own[@]}" --passes -M $metrics -- "${short[@]}"
counts repeat "${own[@]}" -r 3 --passes -M $metrics -- "${short[@]}"
counts cpus -a --per-cpu --passes -e $four -M cpi -- "${short[@]}"
counts interval -I 10 -M cpi -- "${long[@]}"
counts cores -a --per-core --passes -e $four -M ipc -- "${short[@]}"
counts ended --per-thread -e BRANCHES:u,DATA_READ:u -- "${long[@]}"
"$KNC_TEST_BUILD/loop" 100000000000 &
first=$!
"$KNC_TEST_BUILD/loop" 100000000000 &
second=$!
for program in $first $second; do
	until_true runs "$program" loop
done
counts threads --per-thread -p $first,$second -e BRANCHES:u -- sleep 0.1
counts threads-interval --per-thread -I 20 -t $first,$second -e BRANCHES:u -- sleep 0.1
kill $first $second
counts group "${own[@]}" -G half -- "${long[@]}"
counts process -p $$ -e BRANCHES -- true
counts off-cpu --off-cpu -- sh -c "${short[*]}; sleep 0.1"
counts seconds -e cycles:u,FE_STALLED:u,insts:u,BRANCHES:c=1 -- "${short[@]}"
../check-stat "$json" $times || failed=1

# rates in perf's format
"$KNC_PMUCTL" stat -- "${short[@]}" >"$json/rates" 2>&1
has stat.rates.no-ghz "$(<"$json/rates")" '^ +[0-9]+ +CPU_CLK_UNHALTED +core-wide  # [0-9.]+ s$'
# cycles are also shown in seconds; a tick of the time stamp counter is one instruction here
has stat.seconds.clock "$(<"$json/rates")" '^ s: seconds .* at the rate of the time stamp counter, 1\.000 GHz$'
equal stat.seconds.table "$(sed -nE 's/^ +([0-9]+) +CPU_CLK_UNHALTED .* ([0-9.]+) s$/\1 \2/p' "$json/rates" |
	awk '{ d = $1 / 1e9 - $2; print (d < 5e-6 && d > -5e-6) ? "equal" : $0 }')" equal
"$KNC_PMUCTL" stat -x, -e DATA_READ:u,CPU_CLK_UNHALTED:u -- "${short[@]}" >"$json/rates" 2>&1
has stat.rates.csv "$(<"$json/rates")" '^[0-9]+,,DATA_READ:u,[0-9]+,100.00,[0-9]+\.[0-9]{6},M/sec$'
# the cycles of one ring are not the core's clock
has stat.rates.ring "$(<"$json/rates")" ',CPU_CLK_UNHALTED:u,.*,[GM]/sec$'

# Named periods have a limit, numbers do not. A tick of the clock is an instruction: the 5e8
# branches a second are two and a half times what each name allows
branches=("$KNC_TEST_BUILD/loop" 200000000)
# samples INTERVAL [EVENT]: print the number of samples, and report's line about their period
samples()
{
	"$KNC_PMUCTL" record -q -e "${2-BRANCHES}:u@$1" -o "$json/data" -- "${branches[@]}"
	"$KNC_PMUCTL" report -i "$json/data" >"$json/report" 2>&1
	"$KNC_PMUCTL" report --json -i "$json/data" | tr -d ' \n' | sed -nE 's/.*"samples":([0-9]+),.*/\1/p'
}
# slowed NAME LIMIT PERIOD: a test: as many samples as in 0.4 s, plus a tenth before the limit takes
# effect
slowed()
{
	local n
	n=$(samples "$1")
	equal "record.limit.$1" "$((n > $2 * 38 / 100 && n < $2 * 46 / 100))" 1
	has "record.limit.$1.said" "$(<"$json/report")" \
		"^event +BRANCHES:u, a sample each $3 events, slowed to each [0-9]+: limit $2/s: $n samples\$"
}
slowed on 2000 100003
slowed hi 20000 10007
slowed lo 200 1000003
n=$(samples 100003)
equal record.limit.number "$((n >= 1999 && n <= 2000))" 1
has record.limit.number.said "$(<"$json/report")" "^event +BRANCHES:u, a sample each 100003 events: $n samples\$"
# 1e9 instructions a second are half of the limit of "on": no effect
fixed=$(samples 1000003 INSTRUCTIONS_EXECUTED)
equal record.limit.slow "$(samples on INSTRUCTIONS_EXECUTED)" "$fixed"
has record.limit.slow.said "$(<"$json/report")" \
	"^event +INSTRUCTIONS_EXECUTED:u, a sample each 1000003 events: $fixed samples\$"

# stat marks estimates from few turns as rough, and no others
"$KNC_PMUCTL" stat -e $four -- "${few[@]}" >"$json/few" 2>&1
has stat.few-turns.marked "$(<"$json/few")" '^ +\?[0-9]+ +BRANCHES:u '
has stat.few-turns.said "$(<"$json/few")" '^ \?: a rough estimate, no count: from fewer than 20 turns; run longer'
"$KNC_PMUCTL" stat -C 0 -x, -e $four -- "${few[@]}" >"$json/csv" 2>&1
has stat.turns.csv "$(<"$json/csv")" '^[0-9]+,rough,BRANCHES:u,'
"$KNC_TEST_BUILD/loop" 100000000000 &
first=$!
"$KNC_PMUCTL" top -b -n 1 -d 1 -C 0 -e $four >"$json/top" 2>&1
has stat.top.many-turns "$(<"$json/top")" '^ +0 .* ~[0-9]+ +~[0-9]+$'
"$KNC_PMUCTL" top -b -n 1 -d 0.1 -C 0 -e $four >"$json/top" 2>&1
has stat.top.few-turns "$(<"$json/top")" '^ +0 .* \?[0-9]+ +\?[0-9]+$'
has stat.top.few-turns-said "$(<"$json/top")" '^\?: a rough estimate, from fewer than 20 turns'
kill $first
exit $failed
