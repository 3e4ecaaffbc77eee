#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl under Slurm's srun: a file for each rank. tests/host/check-ranks reads them,
# in $KNC_VM_SCRATCH/ranks.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

out=$KNC_VM_SCRATCH/ranks
mkdir -p "$out" && cd "$out" || exit 1
loop=$KNC_TEST_BUILD/loop
events=INSTRUCTIONS_EXECUTED:u,BRANCHES:u
own=/run/slurm
export PATH=$PATH:/usr/sbin SLURM_CONF=$own/slurm.conf
host=$(hostname)

# munged, slurmctld and slurmd as the machine's services would run them
mkdir -p $own/state $own/spool $own/munge /run/munge
chmod 711 $own
chmod 700 $own/munge
head -c 128 /dev/urandom >$own/munge/key
chmod 400 $own/munge/key
cat >$own/slurm.conf <<END
ClusterName=$host
SlurmctldHost=$host
SlurmUser=root
AuthInfo=socket=/run/munge/munge.socket.2
StateSaveLocation=$own/state
SlurmdSpoolDir=$own/spool
SlurmctldPidFile=$own/slurmctld.pid
SlurmdPidFile=$own/slurmd.pid
SlurmctldLogFile=$out/slurmctld.log
SlurmdLogFile=$out/slurmd.log
ProctrackType=proctrack/cgroup
TaskPlugin=task/affinity,task/cgroup
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
TmpFS=/dev/shm
ReturnToService=2
NodeName=$host CPUs=4
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
cat >$own/cgroup.conf <<END
CgroupPlugin=cgroup/v1
CgroupMountpoint=/run/cgroup
ConstrainCores=yes
END
mkdir /run/cgroup
mount -t tmpfs cgroup /run/cgroup
for controller in cpuset freezer memory cpuacct; do
	mkdir /run/cgroup/$controller
	mount -t cgroup -o $controller cgroup /run/cgroup/$controller
done
munged --force --key-file=$own/munge/key --socket=/run/munge/munge.socket.2 \
	--pid-file=$own/munged.pid --seed-file=$own/munge/seed --log-file=$own/munged.log
slurmctld
slurmd
# shellcheck disable=SC2317 # until_true calls it
idle()
{
	sinfo -h -o %T | grep -q idle
}
until_true idle || cat "$out"/*.log

# each rank has its own number of turns
cat >turns <<'END'
n=(100000 300000 200000 400000)
exec "$@" "${n[SLURM_PROCID]}"
END
counted()
{
	local name=$1
	shift
	srun "$@" -n 4 bash ./turns "$KNC_PMUCTL" stat --json -e "$events" -o "$name%r.json" -- "$loop" ||
		not_ok "$name" "srun ended with $?"
}
"$KNC_PMUCTL" stat --json -e "$events" -o alone -- "$loop" 100000
counted srun
counted pmi2 --mpi=pmi2
counted pmix --mpi=pmix
for run in first second; do
	srun -n 2 "$KNC_PMUCTL" record -q -e BRANCHES:u@1000 -o "srun-$run%r.knc" -- "$loop" 100000 ||
		not_ok srun.record "srun ended with $?"
	srun --mpi=pmi2 -n 2 "$KNC_PMUCTL" record -q -e BRANCHES:u@1000 -o "pmi2-$run%r.knc" -- "$loop" 100000 ||
		not_ok pmi2.record "srun ended with $?"
done
export KNC_PMUCTL loop events
cat >job <<'END'
#!/bin/sh
srun -n 4 bash ./turns "$KNC_PMUCTL" stat --json -e "$events" -o 'batch%r.json' -- "$loop"
END
sbatch --wait -n 4 -o said job >/dev/null || not_ok batch "sbatch ended with $?: $(<said)"
kill "$(<$own/slurmd.pid)" "$(<$own/slurmctld.pid)" "$(<$own/munged.pid)"
chmod -R a+rX "$out"
ok ran
exit $failed
