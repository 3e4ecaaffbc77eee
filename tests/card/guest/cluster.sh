#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl under mpirun on three cards, of which this is the first. tests/host/check-ranks reads the
# files: cluster.sh DIRECTORY PROGRAM
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

kernel_log_begins
cd "$1" || exit 1
uneven=$2
loop=$KNC_TEST_BUILD/loop
events=INSTRUCTIONS_EXECUTED:u,BRANCHES:u
cards=mic0:4,mic1:4,mic2:4

# counted PREFIX COMMAND...: have mpirun count each rank into PREFIX.RANK.json
counted()
{
	local prefix=$1
	shift
	ranks+=(: -n 1 "$KNC_PMUCTL" stat --json -e "$events" -o "$prefix.%r.json" -- "$@")
}

"$KNC_PMUCTL" stat --json -e "$events" -o alone -- "$loop" 100000
ranks=()
for r in {0..11}; do
	counted whole "$loop" $((100000 + 50000 * r))
done
mpirun --host "$cards" "${ranks[@]:1}" || not_ok whole.launched "mpirun ended with $?"

# An MPI program that counts itself between the messages that the cards exchange
mpirun --host "$cards" --mca mpi_yield_when_idle 1 "$KNC_PMUCTL" grant --json -e "$events" \
	-o 'uneven.%r.json' -- "$uneven" >said.uneven || not_ok uneven.launched "mpirun ended with $?"

# mic2 dies after all ranks have written counts, while its own ranks still count
ranks=()
for r in {0..7}; do
	counted dead "$loop" $((100000 + 50000 * r))
done
for r in {8..11}; do
	counted dead sleep 1000
done
all_there()
{
	[ "$(grep -l '"type":"total"' dead.?.json | wc -l)" -eq 8 ] &&
		[ "$(grep -l '"type":"begin"' dead.{8,9,10,11}.json | wc -l)" -eq 4 ]
}
mpirun --host "$cards" "${ranks[@]:1}" >said 2>&1 &
launcher=$!
until_true all_there
touch "$KNC_VM_SCRATCH/cluster/mic2.kill"
began=$SECONDS
wait $launcher && not_ok dead.launched "mpirun ended with 0"
echo "# dead: mpirun missed the card after $((SECONDS - began)) s"
chmod -R a+rX .
ok ran
