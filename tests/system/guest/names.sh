#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Threads whose names would do something to a terminal, as root sees them: in info, in
# refusals, in counts, in top and in recordings
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/system/guest/lib.sh
. ./lib.sh

shown=$TMPDIR/shown
mkdir -p "$shown"
data=$TMPDIR/names.data

# begin HOW NAME: its process is $program
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

# show FILE COMMAND...: all that it says
show()
{
	local file=$1
	shift
	"$KNC_PMUCTL" "$@" >"$shown/$file" 2>&1
}

# All that names may have: what a terminal obeys, in 7 and 8 bits and as UTF-8; what turns
# the text round; no UTF-8; what ends lines and fields
names=($'\033]0;pwned\a' $'\x9b31mred' $'\xc2\x9b7mC1' $'\u202eoof\u2066' $'a\nok x: y\rb' $'a,"b;c\td\177'
	$'\xe2\x80\xa8\u200f\xff\xc3')
n=0
for name in "${names[@]}"; do
	n=$((n + 1))
	begin hold "$name"
	show $n.info info
	show $n.info-json info --json
	show $n.refused stat -a -- true
	show $n.refused-program stat -e BRANCHES -- true
	show $n.refused-record record -o "$data" -a -- true
	show $n.refused-reset reset -a
	show $n.refused-top top -b -n 1
	end
	begin run "$name"
	show $n.stat stat -p $program -e BRANCHES:u -- sleep 0.1
	show $n.stat-thread stat -p $program --per-thread -e BRANCHES:u -- sleep 0.1
	show $n.stat-csv stat -p $program --per-thread -x, -e BRANCHES:u -- sleep 0.1
	show $n.stat-json stat -p $program --per-thread --json -e BRANCHES:u -- sleep 0.1
	show $n.top top -b -n 2 -d 0.1 -p $program
	show $n.top-all top -b -n 2 -d 0.1 --tasks
	show $n.record record -o "$data" -p $program -e BRANCHES:u@100003 -- sleep 0.3
	end
	for view in "report --sort comm,symbol" 'report --folded' 'report --json' script timeline; do
		# shellcheck disable=SC2086
		show "$n.${view//[ ,]/}" $view -i "$data"
	done
done
# a name with the field's separator is one field
equal names.fields "$(awk -F, '$4 == "BRANCHES:u" { print NF }' "$shown"/*.stat-csv | sort -u)" 9
equal names.shown "$(grep -c 'pid [0-9]* (\\x1b\]0;pwned\\x07)' "$shown/1.info")" 2
has names.recorded "$(cat "$shown/1.reportfolded")" '^\\x1b\]0:pwned\\x07;'
../check-names --clean names "$shown"/* || failed=1
exit $failed
