#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317 # functions by name
#
# Call chains of programs without frame pointers: two with known chains (tests/card/callers), a
# program of Debian, a 32-bit one, a user's; and chains where tables or the stack's copy end
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

cd "$KNC_VM_SCRATCH" || exit 1
as=()
ring=(--ring-size 4M)
user=(setpriv --reuid 65534 --regid 4242 --clear-groups)
mkdir -m 777 callers

# record NAME ARGUMENTS...: record callers/NAME.data; the recorder runs on another CPU. Throttled
# samples have whole chains, too.
record()
{
	local name=$1
	shift
	taskset -c 0 "${as[@]}" "$KNC_PMUCTL" record -o "callers/$name.data" --pin 4 "${ring[@]}" "$@" \
		>/dev/null 2>"callers/$name.said"
	sed "s/^/# $name: /" "callers/$name.said"
}

folded()
{
	"$KNC_PMUCTL" report -i "callers/$1.data" --folded >"callers/$1.folded" 2>"callers/$1.warned"
	sed "s/^/# $1: /" "callers/$1.warned"
}

# whole NAME [ABOVE [RAISE]]: print how many of 1000 samples in the program's loops have the chain of
# its source, and the number of loops. ABOVE is the caller of main, RAISE the functions of raise()
whole()
{
	awk -v above="^[^;]+;${2-_start;__libc_start_main;(__libc_start_call_main|[[]libc.so.6[]]);}main;" \
		-v raise="${3-[^;]+;[^;]+;}" '
	BEGIN {
		some = "[.a-z0-9]*;"
		twice = "recurse" some "recurse" some
		chain["at_depth"] = twice twice twice
		chain["called_back"] = "call_back;pass_on" some "by_callback;"
		chain["past_alloca"] = "with_alloca" some
		chain["in_handler"] = "with_signal" some raise "[^;]+;handler;"
		chain["past_jump"] = "with_jump" some
		chain["past_tail"] = "after_tail" some
		chain["by_thread()"] = "work\\(void\\*\\);"
		chain["past_catch()"] = "catches\\(\\)[^;]*;"
		chain["in_cleanup()"] = "catches\\(\\)[^;]*;(throws\\([^;]*;)?(throws\\([^;]*;)?throws\\([^;]*;cleanup::~cleanup\\(\\);"
		thread = "^[^;]+;(clone3?|\\[libc.so.6\\]);(start_thread|\\[libc.so.6\\]);"
	}
	{
		events = $NF
		line = $0
		sub(/ [0-9]+$/, "", line)
		leaf = line
		sub(/.*;/, "", leaf)
		sub(/[.].*/, "", leaf)
		from = leaf ~ /by_thread/ ? thread : above
		loop = leaf
		gsub(/[()]/, "\\\\&", loop)
		if (!(leaf in chain))
			next
		loops[leaf]++
		all += events
		if (line ~ from chain[leaf] loop "[.a-z0-9]*$")
			good += events
		else
			print "wrong: " $0 >"/dev/stderr"
	}
	END {
		print all ? int(1000 * good / all) : 0, length(loops)
	}' "callers/$1.folded" 2>"callers/$1.wrong"
}

for program in "$KNC_TEST_BUILD"/callers-*; do
	name=${program##*/callers-}
	record "$name" -g -e INSTRUCTIONS_EXECUTED:u@20011 -- "$program" 500
	folded "$name"
	equal "callers.$name.whole" "$(whole "$name")" '1000 6'
	grep -v ';_start;' "callers/$name.folded" | sed "s/^/# $name: no beginning: /"
	head -n 3 "callers/$name.wrong" | sed "s/^/# $name: /"
	# one or two samples in a thousand may be in __longjmp(), which has no table
	has "callers.$name.begins" "$(grep -vc ';_start;' "callers/$name.folded")" '^[01]$'
done
# A static program. musl has no tables for the caller of main, nor for its signal trampoline
record static -g -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/static-gcc" 200
folded static
equal callers.static "$(whole static)" '1000 6'
record musl -g -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/static-musl-gcc" 200
folded musl
equal callers.musl "$(whole musl '([^;]*;)*' '')" '1000 6'
head -n 3 "callers/musl.wrong" | sed "s/^/# musl: /"
# knc-pmuctl script shows the same chains
has callers.script "$("$KNC_PMUCTL" script -i callers/gcc-O2.data -F ip,sym | tr -d '\n' |
	grep -oE 'past_alloca[^a-z]*[0-9a-f]+ with_alloca[^a-z]*[0-9a-f]+ main' | wc -l)" '^[1-9][0-9]'

# --call-graph dwarf, perf's name of the option, gives the same chains
record dwarf --call-graph dwarf -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/callers-gcc-O2" 100
folded dwarf
equal callers.dwarf "$(whole dwarf)" '1000 6'

# C++, with threads and exceptions
for how in g++ clang++; do
	# the ring has room for all copies, even if the recorder is starved
	record "throws-$how" -g -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/throws-$how" 100
	folded "throws-$how"
	equal "callers.throws-$how" "$(whole "throws-$how")" '1000 3'
	head -n 3 "callers/throws-$how.wrong" | sed "s/^/# $how: /"
done

# Functions without tables are unwound by their frame pointers
record no-tables -g -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/no-tables" 100
folded no-tables
equal callers.no-tables "$(whole no-tables)" '1000 6'

# chains NAME: the line of the report that says how the chains were found
chains()
{
	"$KNC_PMUCTL" report -i "callers/$1.data" 2>/dev/null | sed -n 's/^chains *//p'
}

# by_tables NAME: were at least 999 of 1000 chains found by tables alone? One sample may be at the
# kernel's entry, where the stack can't be copied.
by_tables()
{
	chains "$1" | awk -F ', ' '{ for (i = 1; i <= NF; i++) all += $i; print ($1 + 1 >= 0.999 * all) }'
}

has callers.no-tables-said "$(chains no-tables)" \
	'^[1-9][0-9]* by unwinding tables, [1-9][0-9]* by frame pointers from some function on'

# Where the copy of the stack ends, frame pointers continue. A few instructions are outside of c.
record above --call-graph dwarf,64 -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/frames64" 2000
folded above
has callers.above "$(awk '{ all += $NF; if (/;main;a;b;c [0-9]+$/) whole += $NF } END {
	printf "%d", all ? 100 * whole / all : 0 }' callers/above.folded)" '^(9[5-9]|100)$'

# The default copy of the stack fits even a small ring
ring=(--ring-size 8K)
record small -g -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/callers-gcc-O2" 30
ring=(--ring-size 4M)
has callers.small "$(<callers/small.said)" 'record: [1-9][0-9]* samples '
has callers.small-stack "$(grep -ao '"stack_size": *[0-9]*' callers/small.data)" '[ :]1024$'

# With frame pointers alone the chains of the same program are wrong
record fp -g=fp -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/callers-gcc-O2" 100
folded fp
has callers.frame-pointers "$(whole fp)" '^[0-9]{1,2} 6$'

# A user's own program
as=("${user[@]}")
ring=()
paranoid=$(</proc/sys/kernel/perf_event_paranoid)
echo 2 >/proc/sys/kernel/perf_event_paranoid
record user -g -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/callers-gcc-O2" 100
folded user
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
equal callers.user "$(whole user)" '1000 6'
as=()
ring=(--ring-size 4M)

# A copy of 64 bytes is too short for most chains, and the report says so
record short --call-graph dwarf,64 -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/callers-gcc-O2" 30
folded short
has callers.short "$(<callers/short.warned)" \
	'[1-9][0-9]* of [0-9]+ call chains end early: the stack is larger than its copy'

# Print the thousandths of events below the first function of a program or of the dynamic linker
from_start()
{
	awk '{ all += $NF; if (/;(__libc_start_main|_dl_start)[; ]/) good += $NF } END {
		print all ? int(1000 * good / all) : 0 }' "callers/$1.folded"
}

# Print the thousandths of events whose address is in no file
unknown()
{
	awk '{ all += $NF; if (/;\[unknown\]/) bad += $NF } END {
		print all ? int(1000 * bad / all) : 1000 }' "callers/$1.folded"
}

# Debian's programs have no frame pointers; gzip is stripped, too
head -c 400000 "$KNC_TEST_BUILD/phases" >callers/input
for how in fp both; do
	record gzip-$how --call-graph $how -e INSTRUCTIONS_EXECUTED:u@50021 -- gzip -c callers/input
	record python3-$how --call-graph $how -e INSTRUCTIONS_EXECUTED:u@50021 -- \
		/usr/bin/python3 -S -c 'print(sum(sorted(range(1000))))'
	record import-$how --call-graph $how -e INSTRUCTIONS_EXECUTED:u@50021 -- \
		/usr/bin/python3 -c 'import json, re; json.loads("[1, 2, [3]]")'
	for name in gzip python3 import; do
		folded $name-$how
		echo "# $name: by $how: $(from_start $name-$how) of 1000 events below the first function," \
			"$(unknown $name-$how) with an unknown caller"
	done
done
for name in gzip python3 import; do
	equal callers.$name-whole "$(by_tables $name-both)" 1
	has callers.$name-both "$(from_start $name-both)" '^(9[89][0-9]|1000)$'
	equal callers.$name-unknown "$(unknown $name-both)" 0
	has callers.$name-fp "$(from_start $name-fp)" '^[0-9]{1,2}$'
done

# 32-bit programs have other registers. A few instructions in a thousand are outside of c.
record bits32 --call-graph dwarf -e INSTRUCTIONS_EXECUTED:u@20011 -- "$KNC_TEST_BUILD/frames32" 2000
folded bits32
has callers.bits32 "$(awk '{ all += $NF; if (/;main;a;b;c [0-9]+$/) whole += $NF } END {
	printf "%d", all ? 100 * whole / all : 0 }' callers/bits32.folded)" '^(9[5-9]|100)$'
exit "$failed"
