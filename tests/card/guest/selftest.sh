#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl selftest: the card passes as it is; with each emulated defect only the check for that
# defect fails
#
#   selftest.sh [none | crash | half-rate | DEFECT]...	without arguments: all
#
# Defects need the card's monitor, see tests/card/run.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

export LC_ALL=C
report=$TMPDIR/selftest.json

# The check that each defect fails
declare -A fails=(
	[dead-counter]=counter1 [crosstalk]=isolation [wrong-counter]=event-counters
	[dead-event]=events [width]=width [no-pmi]=pmi [pmi-sibling]=pmi-target
	[stuck-status]=status [skid]=skid [spflt-inverted]=spflt [spflt-halt]=spflt-idle
	[siblings]=siblings [half-tsc]=clock
)

# This check is skipped where the card's clock follows the host's, not the model's cycles
unclocked=clock
if grep -qw 'knc_vm.icount=1' /proc/cmdline; then
	unclocked=
else
	unset "fails[half-tsc]"
fi

selftest()
{
	rm -f "$report" "$report.part"
	said=$("$KNC_PMUCTL" selftest -o "$report" 2>&1)
	status=$?
}

# failing: the names of the checks that failed
failing()
{
	sed -n 's/^not ok [0-9]* //p' <<<"$said" | tr '\n' ' '
}

# passes NAME: a test: all checks pass, and the report contains them
passes()
{
	local checks

	selftest
	equal "$1.status" "$status" 0
	equal "$1.failing" "$(failing)" ""
	equal "$1.skipped" "$(sed -n 's/^ok [0-9]* \(.*\) # SKIP.*/\1/p' <<<"$said")" "$unclocked"
	checks=$("$KNC_PMUCTL" selftest --list | wc -l)
	has "$1.plan" "$said" "^1\\.\\.$checks\$"
	[ -z "$unclocked" ] || checks=$((checks - 1))
	equal "$1.numbers" "$(grep -cE '^ok [0-9]+ [a-z0-9-]+$' <<<"$said")" "$checks"
	equal "$1.report" "$(grep -c '"result": "passed"' "$report")" "$checks"
	has "$1.kernel" "$(cat "$report")" "\"release\": \"$(uname -r)\""
	equal "$1.no-journal" "$(ls "$report.part" 2>/dev/null)" ""
}

# finds DEFECT CHECK: a test: with the defect only this check fails
finds()
{
	ask "qom-set /machine fault $1"
	selftest
	ask 'qom-set /machine fault none'
	# clear a state that the defect has left in the card
	ask 'qom-set /machine core-power c6 0'
	ask 'qom-set /machine core-power c6 1'
	equal "selftest.$1" "$(failing)" "$2 "
	equal "selftest.$1.status" "$status" 1
	grep -A 1 '^not ok' <<<"$said" | sed "s/^/# $1: /"
}

# A time stamp counter whose rate has changed since boot is no defect: the module measures the rate
half_rate()
{
	ask 'qom-set /machine fault half-tsc'
	selftest
	ask 'qom-set /machine fault none'
	equal selftest.half-rate "$(failing)" ""
	equal selftest.half-rate.status "$status" 0
	grep -A 1 '^not ok' <<<"$said" | sed 's/^/# half-rate: /'
}

# begun CHECK: does the journal say that it has begun?
# shellcheck disable=SC2317 # it is called by name
begun()
{
	grep -q "\"begin\":\"$1\"" "$report.part" 2>/dev/null
}

# The tool is killed during a check, as by a crash: the next run skips that check
crash()
{
	local tool

	rm -f "$report" "$report.part"
	"$KNC_PMUCTL" selftest -o "$report" >/dev/null 2>&1 &
	tool=$!
	until_true begun events
	kill -KILL $tool
	wait $tool 2>/dev/null
	said=$("$KNC_PMUCTL" selftest -o "$report" 2>&1)
	status=$?
	equal selftest.crash.status $status 1
	equal selftest.crash.failing "$(failing)" 'events '
	has selftest.crash.why "$said" 'stopped during this check'
	has selftest.crash.needs "$said" '^ok [0-9]+ event-counters # SKIP events did not pass'
	has selftest.crash.kept "$(cat "$report")" '"instructions of calls": 400000'
	# a journal that another kernel has written
	echo '{"machine":{"kernel":{"release":"2.6.38"}}}' >"$report.part"
	echo '{"begin":"width"}' >>"$report.part"
	said=$("$KNC_PMUCTL" selftest -o "$report" 2>&1)
	status=$?
	equal selftest.crash.other-kernel.status $status 0
	equal selftest.crash.other-kernel "$(failing)" ""
}

[ $# -gt 0 ] || set -- none crash "${!fails[@]}"
for what; do
	case $what in
	none) passes selftest ;;
	crash) crash ;;
	half-rate) half_rate ;;
	*) finds "$what" "${fails[$what]}" ;;
	esac
done
exit $failed
