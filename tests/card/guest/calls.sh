#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A static knc-pmuctl works the same with only the system calls of MPSS's Linux 2.6.38
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

old=$KNC_TEST_BUILD/calls
loop=("$KNC_TEST_BUILD/loop" 1000000)
data=$TMPDIR/calls.data
event=INSTRUCTIONS_EXECUTED:u

# same NAME ARG...: a test: output and status are the same with and without the filter
same()
{
	local name=$1 text
	shift
	text=$("$KNC_PMUCTL" "$@" 2>&1; echo "status $?")
	equal "calls.$name" "$("$old" "$KNC_PMUCTL" "$@" 2>&1; echo "status $?")" "$text"
}

# proof that the filter works: glibc's own fstat() fails
has calls.filter "$("$old" /usr/bin/stat - 2>&1 </dev/null)" "cannot stat standard input|can't stat|Invalid argument"

same version --version
same list list
same help help BRANCHES
same metrics list --metrics
same refused stat -e BRANCHES:x -- true
same topology info --topology

# -o truncates an existing longer file: nothing of it is left after the counts
for run in "" "$old"; do
	seq 1000 >"$TMPDIR/calls.out"
	$run "$KNC_PMUCTL" stat -x, -e $event,BRANCHES:u -o "$TMPDIR/calls.out" -- "${loop[@]}"
	cut -d, -f1,3 "$TMPDIR/calls.out" >"$TMPDIR/calls.out$((${#run} > 0))"
done
equal calls.stat "$(<"$TMPDIR/calls.out1")" "$(<"$TMPDIR/calls.out0")"
equal calls.stat-lines "$(wc -l <"$TMPDIR/calls.out1")" 2

# a recording, its build ids, and its report
"$old" "$KNC_PMUCTL" record -o "$data" -e $event -c 10007 -- "${loop[@]}" >"$TMPDIR/said" 2>&1
equal calls.record "$?" 0
id=$(readelf -n "${loop[0]}" | sed -n 's/.*Build ID: //p')
has calls.build-id "$(od -An -v -tx1 "$data" | tr -d ' \n')" "${id:-none}"
same report report -i "$data" --stdio
same script script -i "$data"

# commands that read directories: running programs have names, and can be chosen
text=$("$old" "$KNC_PMUCTL" record -C 1 -o "$data" -e $event -c 10007 -- "${loop[@]}" 2>&1)
equal calls.record-cpu "$? $(grep -c "can't read" <<<"$text")" "0 0"
has calls.record-cpu-names "$(strings "$data")" '^init$'
text=$("$old" "$KNC_PMUCTL" top --tasks -b -n 1 -d 0.1 2>&1)
equal calls.top-status "$?" 0
has calls.top "$text" '^ +1 init '
verdicts()
{
	"$@" "$KNC_PMUCTL" doctor --json | grep -E '"(name|verdict)"'
}
equal calls.doctor "$(verdicts "$old")" "$(verdicts)"
rm -f "$data" "$TMPDIR"/calls.out*
exit $failed
