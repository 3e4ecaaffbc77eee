#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl under Open MPI's mpirun: a file for each rank. tests/host/check-ranks reads them, in
# $KNC_VM_SCRATCH/ranks; $KNC_VM_SCRATCH/ranks/alone is the program without mpirun.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

out=$KNC_VM_SCRATCH/ranks
mkdir -p "$out" && cd "$out" || exit 1
loop=$KNC_TEST_BUILD/loop
events=INSTRUCTIONS_EXECUTED:u,BRANCHES:u
# a code without a name
lack=r1028

# launch ARGUMENT...: run mpirun, with its own files on the card
launch()
{
	TMPDIR=/dev/shm mpirun --allow-run-as-root --oversubscribe "$@"
}

# Ranks of two hosts: mpirun starts them on one, and each sets the name of its host
# shellcheck disable=SC2016 # the ranks' own
on_host='hostname "mic$((OMPI_COMM_WORLD_RANK / 2))" && exec "$@"'

ranks=()
for n in 100000 300000 200000 400000; do
	ranks+=(: -n 1 unshare --uts bash -c "$on_host" - "$KNC_PMUCTL" stat --json -e "$events"
		-o 'r%r.%h.json' -- "$loop" "$n")
done
launch "${ranks[@]:1}" || not_ok ranks.launched "mpirun ended with $?"
"$KNC_PMUCTL" stat --json -e "$events" -o alone -- "$loop" 100000 2>said

# Intervals before the total; an event that the card lacks, and a metric
launch -n 2 "$KNC_PMUCTL" stat --json -I 10 -e "BRANCHES:u,$lack" -M cpi -o 'lack%r.json' -- "$loop" 3000000 ||
	not_ok ranks.intervals "mpirun ended with $?"
# Two ranks that count all hardware threads of the same host
launch -n 2 "$KNC_PMUCTL" stat --json -a -e BRANCHES -o 'all%r.json' -- true ||
	not_ok ranks.all "mpirun ended with $?"
launch -n 2 "$KNC_PMUCTL" record -q -o 'data%r' -e BRANCHES:u@1000 -- "$loop" 100000 ||
	not_ok ranks.record "mpirun ended with $?"
# Recordings, for tests/host/check-recordings: of two hosts, and of another call of mpirun
record=("$KNC_PMUCTL" record -q -e BRANCHES:u@1000 -o)
ranks=()
for n in 100000 300000 200000 400000; do
	ranks+=(: -n 1 unshare --uts bash -c "$on_host" - "${record[@]}" 'record%r.knc' -- "$loop" "$n")
done
launch "${ranks[@]:1}" || not_ok ranks.recorded "mpirun ended with $?"
launch -n 4 "${record[@]}" 'other%r.knc' -- "$loop" 100000 || not_ok ranks.other "mpirun ended with $?"
# If a rank's command fails, mpirun reports it
launch -n 2 "$KNC_PMUCTL" grant --json -e BRANCHES:u -o 'grant%r.json' -- sh -c \
	"exit \$((3 * OMPI_COMM_WORLD_RANK))" >said 2>&1 && not_ok ranks.failed "mpirun ended with 0"

# MPICH, which has commands of its own names beside Open MPI's
ranks=()
for n in 100000 300000 200000 400000 500000; do
	ranks+=(: -n 1 "$KNC_PMUCTL" stat --json -e "$events" -o 'mpich%r.json' -- "$loop" "$n")
done
TMPDIR=/dev/shm mpiexec.hydra "${ranks[@]:1}" || not_ok ranks.mpich "mpiexec ended with $?"
for run in first second; do
	TMPDIR=/dev/shm mpiexec.hydra -n 2 "${record[@]}" "$run%r.knc" -- "$loop" 100000 ||
		not_ok ranks.mpich-record "mpiexec ended with $?"
done
# Ctrl-C: Hydra passes SIGINT on, and itself ends with 0 or 130
TMPDIR=/dev/shm mpiexec.hydra -n 2 "$KNC_PMUCTL" stat --json -e "$events" -o 'ended%r.json' -- \
	sleep 1000 >said 2>&1 &
launcher=$!
begun()
{
	[ "$(grep -l '"type":"begin"' ended?.json | wc -l)" -eq 2 ] && [ "$(pgrep -cx sleep)" -eq 2 ]
}
until_true begun
pause 1
kill -INT $launcher
ended $launcher

# A killed rank: the counts of an earlier run in its file are not taken for this run's
cp r3.mic1.json killed3.json
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 "$KNC_PMUCTL" stat --json -e "$events" \
	-o 'killed%r.json' -- sleep 1000 &
killed=$!
until_true counting $killed || not_ok ranks.killed "stat does not count"
kill -KILL $killed
wait $killed 2>/dev/null
chmod -R a+rX "$out"
ok ranks.ran
