#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Threads with names that a terminal would obey, as root sees them: in info, in refusals,
# in counts, in top and in recordings. tests/card/run looks at what was shown.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

shown=$TMPDIR/shown
mkdir -p "$shown"
data=$TMPDIR/names.data

# begin HOW NAME: start "named HOW NAME" in the background; $program is its pid
begin()
{
	rm -f "$TMPDIR/said"
	"$KNC_TEST_BUILD/named" "$1" "$2" >"$TMPDIR/said" &
	program=$!
	until_true test -s "$TMPDIR/said"
}

end()
{
	kill -KILL "$program"
	wait "$program" 2>/dev/null
}

# show FILE COMMAND...: store its whole output
show()
{
	local file=$1
	shift
	"$KNC_PMUCTL" "$@" >"$shown/$file" 2>&1
}

# Characters that a terminal obeys, in 7 and 8 bits and as UTF-8; characters that reverse the text's
# direction; invalid UTF-8; ends of lines and fields. tests/host/check-names tests others.
names=($'\033]0;pwned\a\x9b' $'\xc2\x9b7m\xff\u202e\u2066\xc3' $'a\nok x\ry,"b;\177')
n=0
for name in "${names[@]}"; do
	n=$((n + 1))
	begin hold "$name"
	show $n.info info
	show $n.doctor doctor
	show $n.refused stat -a -- true
	show $n.refused-program stat -e BRANCHES -- true
	show $n.refused-record record -o "$data" -a -- true
	show $n.refused-reset reset -a
	end
	begin run "$name"
	show $n.stat stat -p $program -e BRANCHES:u -- true
	show $n.stat-thread stat -p $program --per-thread -e BRANCHES:u -- true
	show $n.stat-csv stat -p $program --per-thread -x, -e BRANCHES:u -- true
	show $n.stat-json stat -p $program --per-thread --json -e BRANCHES:u -- true
	show $n.top top -b -n 1 -d 0.1 -p $program
	show $n.record record -o "$data" -p $program -e BRANCHES:u@100003 -- sleep 0.3
	end
	for view in report-comm folded script; do
		case $view in
		report-comm) show $n.$view report --sort comm,symbol -i "$data" ;;
		folded) show $n.$view report --folded -i "$data" ;;
		script) show $n.$view script -i "$data" ;;
		esac
	done
done
# a name with the field's separator is one field
equal names.fields "$(awk -F, '$4 == "BRANCHES:u" { print NF }' "$shown"/*.stat-csv | sort -u)" 8
equal names.shown "$(grep -c 'pid [0-9]* (\\x1b\]0;pwned\\x07\\x9b)' "$shown/1.info")" 2
has names.recorded "$(<"$shown/1.folded")" '^\\x1b\]0:pwned\\x07\\x9b;'
cp -r "$shown" "$KNC_VM_SCRATCH/names"
exit $failed
