#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl and levels on an emulated Haswell-EP with two packages of two hardware threads
cd "$(dirname "$0")/../card/guest" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

ctl=$KNC_PMUCTL
loop=$KNC_TEST_BUILD/loop
out=$TMPDIR/out
level=cmt/llc_occupancy/

# A command that brings in some 300 KB, and goes on for half a second
# shellcheck disable=SC2016 # for another shell
program=(sh -c 'text=$(head -c 200000 /dev/zero | tr "\0" x); sleep 0.5; : "$text"')

# The columns least, mean, most, percent of the L3 of CPU $1
row()
{
	awk -v cpu="$1" 'NF > 2 && $(NF - 1) == "CPU" && $NF == cpu && /%/ { gsub(",", ""); print $1, $2, $3, $4 }' "$out"
}

# figures NAME CPU: least <= mean <= most, in steps of 4096, and the share of 2 MB
figures()
{
	equal "$1" "$(row "$2" | awk '{
		share = 100 * $2 / (2 * 1024 * 1024)
		print ($1 <= $2 && $2 <= $3 && $1 % 4096 == 0 && $3 % 4096 == 0 && $3 >= 200000 &&
		       $4 - share < 0.01 && share - $4 < 0.01) ? "right" : $0
	}')" right
}

has info "$("$ctl" info 2>&1)" '^cache monitoring  cmt: 31 RMIDs; L3 of 2097152 bytes, in steps of 4096$'
has info.json "$("$ctl" info --json | tr -d ' \n')" '"cmt":\{"rmids":31,"l3_bytes":2097152,"unit":4096\}'
has doctor "$("$ctl" doctor 2>&1)" '^cpu +ok +a host .* with PMUs arch and cmt$'
has list "$("$ctl" list --pmu cmt 2>&1)" '^cmt/llc_occupancy/  bytes of an L3'
has list.json "$("$ctl" list --pmu cmt --json | tr -d ' \n')" '"levels":\[\{"name":"cmt/llc_occupancy/"'

"$ctl" stat -e $level --pin 0 -- "${program[@]}" 2>"$out"
equal command.status "$?" 0
has command.head "$(cat "$out")" "^ Level of 'sh -c"
figures command 0
"$ctl" stat -e $level -- sh -c 'exit 3' 2>"$out"
equal command.fails "$?" 3

"$ctl" stat -e $level -C 2,3 -I 100 -o "$out" -- taskset 8 "${program[@]}"
figures cpus 2
has cpus.intervals "$(cat "$out")" '^ +[0-9]+\.[0-9]{9} +[0-9,]+  cmt/llc_occupancy/ of CPU 2$'
has cpus.readings "$(cat "$out")" '^ bytes, in steps of 4,?096; [0-9]+ readings$'
equal cpus.others "$(row 0)" ''

"$ctl" stat -e $level -C 2 --json -I 100 -o "$out" -- taskset 4 "${program[@]}"
has json.interval "$(cat "$out")" '^\{"schema":"knc-pmuctl-level/1","type":"interval","level":"cmt/llc_occupancy/","time":[0-9.]+,"l3":\[\{"cpu":2,"bytes":[0-9]+\}\]\}$'
has json.total "$(cat "$out")" '"type":"total",.*"unit":4096,"l3_bytes":2097152,"partial":false,"l3":\[\{"cpu":2,"readings":[1-9][0-9]*,"missing":0,"least":[0-9]+,"mean":[0-9.]+,"most":[0-9]{6,},"share":0\.[0-9]+\}\],"exit_status":0\}$'

"${program[@]}" &
"$ctl" stat -e $level -p $! 2>"$out"
equal process.status "$?" 0
has process.head "$(cat "$out")" '^ Level of pid '

printf '\0\0\0\0\0\0\0\x40' >"$TMPDIR/bit"
# no value is no figure: bit 62 of IA32_QM_CTR
# shellcheck disable=SC2016 # for another shell
"$ctl" stat -e $level -C 0 -I 50 -o "$out" -- sh -c '
	sleep 0.3
	dd if="$TMPDIR/bit" of=/dev/cpu/0/msr bs=8 seek=1263420161 oflag=seek_bytes conv=notrunc 2>/dev/null
	sleep 0.3'
has no-value "$(cat "$out")" '^ +[0-9]+\.[0-9]{9} +no value  cmt/llc_occupancy/ of CPU 0$'
has no-value.counted "$(cat "$out")" '^ [1-9][0-9]* readings of an L3 had no value'
"$ctl" stat -e $level -C 1 -- true 2>"$out"
has unknown "$(cat "$out")" 'no RMID is clean'
printf '\0\0\0\0\0\0\0\0' |
	dd of=/dev/cpu/0/msr bs=8 seek=1263420161 oflag=seek_bytes conv=notrunc 2>/dev/null

"$ctl" record -e $level -o "$TMPDIR/data" -- true 2>"$out"
has record "$(cat "$out")" 'it is a level, which nothing can count or sample'
"$ctl" stat -e cmt/other/ -- true 2>"$out"
has other "$(cat "$out")" "unknown level 'cmt/other/'"
"$ctl" stat -e $level -e instructions:u -- true 2>"$out"
has mixed "$(cat "$out")" 'other events can.t be with cmt/llc_occupancy/'
"$ctl" stat -e $level -x , -- true 2>"$out"
has csv "$(cat "$out")" '^knc-pmuctl: -x can.t be with'
"$ctl" grant -e $level -- true 2>"$out"
has grant "$(cat "$out")" 'is a level, which no counter has'

mount -t resctrl resctrl /sys/fs/resctrl
"$ctl" stat -e $level -C 0 -- true 2>"$out"
equal resctrl.status "$?" 1
has resctrl "$(cat "$out")" 'resctrl is mounted'
umount /sys/fs/resctrl
"$ctl" stat -e $level -C 0 -I 50 -o "$out" -- sh -c '
	sleep 0.3
	mount -t resctrl resctrl /sys/fs/resctrl
	sleep 0.3' 2>"$out.error"
equal resctrl.meanwhile.status "$?" 1
has resctrl.meanwhile "$(cat "$out.error")" 'resctrl was mounted meanwhile'
umount /sys/fs/resctrl
# the module can go when nothing is left
rmmod knc_pmu
equal unload "$?" 0
"$ctl" stat -e $level -C 0 -- "$loop" 10 2>"$out"
has unloaded "$(cat "$out")" 'module knc_pmu is not loaded|no device'
exit $failed
