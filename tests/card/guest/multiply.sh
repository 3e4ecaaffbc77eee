#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All metrics on the emulated card, with the pipe model as its clock and with stand-ins for the
# vector unit. Two ways to multiply matrices have different bottlenecks, which tests/card/run
# checks. Then tests that a stand-in is marked wherever it is shown.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

groups=memory,l1,tlb,latency,vector,branches
others=l2_compute_intensity,ipc,cpi,pairing_ratio,v_pipe_share,cores_active,threads_active,bytes_read,bytes_written,stall_length

# Run as a user, whose counts have user mode only: on a busy host the kernel's part grows, because
# the kernel's ticks follow real time.
user=(setpriv --reuid 65534 --regid 4242 --clear-groups)
chmod 777 "$TMPDIR"
cp "$KNC_TEST_BUILD/multiply" "$TMPDIR/multiply"
for way in naive blocked; do
	"${user[@]}" "$KNC_PMUCTL" stat --passes --json -o "$TMPDIR/$way" -G $groups -M $others -- \
		"$TMPDIR/multiply" $way >"$TMPDIR/product.$way" || not_ok "multiply.$way" "it ended with $?"
done
equal multiply.product "$(sort -u "$TMPDIR"/product.*)" 5313504
"$KNC_PMUCTL" list metrics --json >"$TMPDIR/metrics"
mkdir "$KNC_VM_SCRATCH/multiply"
cp "$TMPDIR"/{naive,blocked,metrics} "$KNC_VM_SCRATCH/multiply"

# every output that shows a stand-in's figure marks it
stand_in=VPU_ELEMENTS_ACTIVE
program=("$KNC_TEST_BUILD/multiply" blocked)
text=$("$KNC_PMUCTL" stat -e $stand_in,BRANCHES -- "${program[@]}" 2>&1)
has stand-in.table "$text" "^ +[0-9]{6,} +$stand_in +stand-in\$"
has stand-in.table-says "$text" "^ stand-in: packed SSE operations of the program, counted in the place of the vector unit's\$"
has stand-in.not-others "$text" '^ +[0-9]+ +BRANCHES$'
text=$("$KNC_PMUCTL" stat -x, -e $stand_in -M l1_compute_intensity -- "${program[@]}" 2>&1)
has stand-in.csv "$text" "^[0-9]+,stand-in,$stand_in,"
has stand-in.csv-metric "$text" '^[0-9.]+,elements/access,l1_compute_intensity,,stand-in,,metric$'
text=$("$KNC_PMUCTL" stat -M l1_compute_intensity -- "${program[@]}" 2>&1)
has stand-in.metric "$text" ' l1_compute_intensity +elements/access +stand-in'
text=$("$KNC_PMUCTL" stat --json -e $stand_in,BRANCHES -- "${program[@]}" 2>&1)
has stand-in.json "$text" "\"event\":\"$stand_in\",.*\"stand_in\":true"
has stand-in.json-others "$text" '"event":"BRANCHES",.*"stand_in":false'
text=$("$KNC_PMUCTL" record -e $stand_in@100003 -o "$TMPDIR/data" -- "${program[@]}" 2>&1)
has stand-in.record "$text" " samples of $stand_in \(stand-in\) in multiply written"
has stand-in.report "$("$KNC_PMUCTL" report -i "$TMPDIR/data" 2>&1)" \
	"^event +$stand_in \\(stand-in\\), a sample each 100003 events"
has stand-in.report-json "$("$KNC_PMUCTL" report --json -i "$TMPDIR/data" 2>&1)" '"stand_in": *true'
has stand-in.script "$("$KNC_PMUCTL" script -i "$TMPDIR/data" 2>&1)" " $stand_in\\(stand-in\\): "
has stand-in.diff "$("$KNC_PMUCTL" diff "$TMPDIR/naive" "$TMPDIR/blocked" 2>&1)" "^$stand_in(:u)? \\(stand-in\\) +[0-9]"
text=$("$KNC_PMUCTL" top -b -d 0.2 -n 1 -C 1 -e $stand_in 2>&1)
has stand-in.top "$text" " $stand_in\\+"
has stand-in.top-says "$text" "^\\+: a stand-in, "
exit $failed
