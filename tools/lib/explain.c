// SPDX-License-Identifier: GPL-2.0
/*
 * One line for each failure: what failed, why, and what to do
 *
 * The lines are templates. %D device node, %C hardware thread, %E and %F events
 * (@reason_event and @reason_other), %N the only counter for %E, %K @reason_counter,
 * %P its owner, %O CPUs online, %A CPUs possible, %X this program, %M the device
 * number, %U this CPU, %B the folder of the CPUs in sysfs, %T the thread to follow,
 * %W its number, %S the errno in words.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <knc/regs.h>

#include "private.h"
#include "card.h"
#include "kernel-file.h"
#include "names.h"
#include "sets.h"

#define MODULE_DIR	"/sys/module/knc_pmu"
#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define CLASS_DEV	"/sys/class/misc/knc_pmu/dev"

#define ANY		(-1)

/* Conditions that choose between lines for the same failure */
enum when {
	ALWAYS, LOADED, WRONG_CPU, WATCHDOG_ON, FOR_TASK, FOR_EVENT, FOR_CHAIN, BY_TASKS, OF_KERNEL
};

struct line {
	int op;
	int error;
	int reason;
	enum when when;
	const char *text;
};

/* In order: the first line that matches is used */
static const struct line lines[] = {
	{ KNCPMU_OP_OPEN, ENOENT, ANY, LOADED,
	  "no device node %D although module knc_pmu is loaded: udev has not created it; create it with: mknod %D c %M",
	},
	{ KNCPMU_OP_OPEN, ENOENT, ANY, WRONG_CPU,
	  "no device node %D: this CPU (%U) is not a Knights Corner, module knc_pmu refuses it (ENODEV); without a card use the emulated one: tools/knc-vm -- COMMAND",
	},
	{ KNCPMU_OP_OPEN, ENOENT, ANY, ALWAYS,
	  "no device node %D: module knc_pmu is not loaded; load it with: modprobe knc_pmu, or insmod knc_pmu.ko",
	},
	{ KNCPMU_OP_OPEN, EACCES, ANY, ALWAYS,
	  "permission denied on %D: it is for root and group kncpmu; join with: usermod -aG kncpmu USER and log in again, or run as root",
	},
	{ KNCPMU_OP_OPEN, ENXIO, ANY, ALWAYS,
	  "no device for node %D: module knc_pmu is not loaded; load it with: modprobe knc_pmu, or insmod knc_pmu.ko",
	},
	{ KNCPMU_OP_OPEN, ENODEV, ANY, ALWAYS,
	  "no device for node %D: module knc_pmu is not loaded; load it with: modprobe knc_pmu, or insmod knc_pmu.ko",
	},
	{ KNCPMU_OP_OPEN, EMFILE, ANY, ALWAYS,
	  "can't open %D: %S; raise the limit of open files (ulimit -n)",
	},
	{ KNCPMU_OP_OPEN, ENFILE, ANY, ALWAYS,
	  "can't open %D: %S; end programs that have many files open, or raise fs.file-max",
	},
	{ KNCPMU_OP_OPEN, ANY, ANY, ALWAYS,
	  "can't open %D: %S",
	},

	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PRIVILEGE, FOR_EVENT,
	  "permission denied: event %E counts in ring 0 or for a whole core, which shows others' work and needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); add modifier u and leave k and t out, or run as root",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PRIVILEGE, FOR_CHAIN,
	  "permission denied: call chains in kernel mode need CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); leave KNC_PMU_CONFIG_CHAIN_KERNEL out, or run as root",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PRIVILEGE, FOR_TASK,
	  "permission denied: before Linux 5.0 following a program needs CAP_SYS_ADMIN, because the kernel tells no module when a set-user-ID program begins; run as root",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PRIVILEGE, ALWAYS,
	  "permission denied: counting on whole hardware threads shows everybody's work and needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); count a program of your own instead, run as root, or give it to the tool with: setcap cap_perfmon+ep %X",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_CPU_EMPTY, ALWAYS,
	  "no hardware thread to count on: the CPU list is empty; name at least one, online are %O",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_CPU_NONE, ALWAYS,
	  "CPU %C does not exist: this machine can have CPUs %A; choose from those",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_CPU_OFFLINE, ALWAYS,
	  "CPU %C is offline: online are %O; leave it out, or bring it online as root: echo 1 >%B/cpu%C/online",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_FLAGS, ALWAYS,
	  "event %E: the module does not know one of its flags, or the PMU has no such code, counter mask or counter; if the module is older than this program update it",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_RING, ALWAYS,
	  "event %E: counts in no ring; add modifier u (rings 1 to 3), k (ring 0) or both",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_INV, ALWAYS,
	  "event %E: modifier i inverts the comparison with a counter mask, but there is none; add c=N (1 to 255), or leave i out",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_THREAD_MODE, ALWAYS,
	  "event %E: modifier t is not possible with a core-wide event, which counts for all threads of the core anyway; leave it out",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_COUNTER, ALWAYS,
	  "event %E: only counter %N can count it, but the request does not allow that counter; allow it",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_PAIR, ALWAYS,
	  "events %E and %F can't be counted together: only counter %N can count either; count them in two runs",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_BUSY, FOR_TASK,
	  "counter busy: counter %K of CPU %C, which %E needs, belongs to a session of %P that counts on whole hardware threads, and a program may run on any; wait until that session ends",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_BUSY, BY_TASKS,
	  "counter busy: counter %K of all CPUs, which %E needs, belongs to a session of %P that follows programs on all of them; wait until that session ends",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_BUSY, ALWAYS,
	  "counter busy: counter %K of CPU %C, which %E needs, belongs to a session of %P; wait until that session ends, or count on other CPUs",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SPFLT_BUSY, ALWAYS,
	  "SPFLT busy: a session of %P lets SPFLT gate counter %K of CPU %C, and two sessions can't share the USER_PREF bit; wait until that session ends, or leave modifier s out",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PMU_RESERVED, WATCHDOG_ON,
	  "the kernel has given the counters away, to the NMI watchdog (kernel.nmi_watchdog is 1; on a host it counts cycles with fixed counter 33); turn it off with: sysctl kernel.nmi_watchdog=0",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PMU_RESERVED, ALWAYS,
	  "the kernel has given the counters away, to perf or oprofile (the NMI watchdog is off: kernel.nmi_watchdog is not 1); end the programs that count with them",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SAMPLE_PERIOD, ALWAYS,
	  "event %E: its sample period, frequency or limit is out of range: a period is 1 to 2^39 events, a frequency or limit 1 to 100000 samples a second; choose one in that range",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SAMPLE_FREQ, ALWAYS,
	  "event %E: it has a sample period or frequency without KNC_PMU_EVENT_SAMPLE; set that flag, or leave them out",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SAMPLE_INTERVAL, ALWAYS,
	  "the interval of time samples is out of range: choose 0.1 ms to 1000 s",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RING_SIZE, ALWAYS,
	  "the size of the rings or the watermark is out of range: choose a power of two from 4096 to 4194304 bytes (from 8192 with more than 116 frames; at least two samples with copies of the stack) and a watermark of at most that; without samples, 0 for both",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_FRAMES, ALWAYS,
	  "the depth of call chains is out of range: choose 1 to 127 frames if events are sampled with call chains, else 0",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_CALLCHAIN, ALWAYS,
	  "no call chains on this kernel: its NMI handlers can't read user memory safely; sample without call chains",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_FLAGS, ALWAYS,
	  "hardware threads and a task at once: a session can count only on one or the other; leave out the CPUs, or the task with its flags",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_NONE, OF_KERNEL,
	  "%T is a thread of the kernel, which can't be followed; count on the hardware threads that it runs on",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_NONE, ALWAYS,
	  "no thread %W to follow: it does not exist, or is about to end; list the threads with: ps -eLf",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_DENIED, ALWAYS,
	  "permission denied: %T is not yours to follow: it is another user's, was set-user-ID, can't be read, or has capabilities that you do not have; run as its user, or as root (CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_BUSY, ALWAYS,
	  "counter busy: counter %K, which %E needs, counts for %T, or a thread of its process, in a session of %P already; wait until that session ends",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_SAMPLING, ALWAYS,
	  "no time samples of a program: they are taken only on hardware threads; name those it runs on, or sample events instead",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_KERNEL, ALWAYS,
	  "this kernel lets no module follow a program; count on the hardware threads it runs on",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RDPMC, ALWAYS,
	  "this kernel lets no module grant RDPMC; let the program read its counts with a system call (READ)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RDPMC_BUSY, ALWAYS,
	  "no RDPMC now: it could also read counter %K of CPU %C, which belongs to a session of %P; wait until that session ends, or run as root (CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SET_GROUP, ALWAYS,
	  "event %E: its group has more events than a hardware thread has counters (2); put some of them into another group",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SET_ORDER, ALWAYS,
	  "event %E: its group number skips one: groups are numbered from 0 in the order in which they begin; give it the number of an earlier group, or the next one",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SET_PINNED, ALWAYS,
	  "event %E is pinned: always counting it leaves a counter too few for the other events, or there is none that can count it; pin fewer events, or count in several runs",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SET_SAMPLING, ALWAYS,
	  "event %E takes turns with others and can't be sampled; name at most two events",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RING_MEMLOCK, ALWAYS,
	  "the rings of all hardware threads together are more memory than you may lock (RLIMIT_MEMLOCK): ask for smaller ones (--ring-size), raise the limit (ulimit -l), or run as root (CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_LOCKDOWN, ALWAYS,
	  "the kernel is locked down (/sys/kernel/security/lockdown): samples may not show it, not even to root; count without samples, or sample user mode only (modifier u, no kernel call chains, no time samples)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_UNPRIVILEGED, ALWAYS,
	  "permission denied: the administrator reserves counting for CAP_PERFMON (module parameter unprivileged=none); run as root, or ask for unprivileged=all",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_CORE_WIDE, ALWAYS,
	  "permission denied: event %E may count what other threads of the core do too, and the administrator reserves such events for CAP_PERFMON (module parameter unprivileged=thread); choose an event of the pipelines, or run as root",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RDPMC_OFF, ALWAYS,
	  "this kernel permits RDPMC to no program: /sys/bus/event_source/devices/cpu/rdpmc is 0, or was when the first session began; write 1 to it, and end the sessions that exist ('knc-pmuctl info' says whose)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PMU_NONE, ALWAYS,
	  "this machine has no such PMU: choose one that 'knc-pmuctl info' lists, or 0 for that of the hardware threads",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_NONE, ALWAYS,
	  "event %E: this CPU does not have it (CPUID leaf 0xA, EBX): count another one ('knc-pmuctl list' shows all)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EVENT_EXTRA, ALWAYS,
	  "event %E: its second word is wrong: an offcore event needs one (:x=N), of a request (bits 0 to 7) and a response (bits 8 to 15), and no other event has one",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EXTRA_PAIR, ALWAYS,
	  "events %E and %F can't be in one session: their second words need the same register; count one of them as r01b7 and the other as r01bb, with :x=N, or in another run",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EXTRA_BUSY, BY_TASKS,
	  "the register for the second word of event %E has another one, for a session that follows tasks, of %P: end that session, or count the event as r01bb instead of r01b7, or the reverse, with :x=N",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_EXTRA_BUSY, ALWAYS,
	  "the register for the second word of event %E, on the core of CPU %C, has another one, for a session of %P: end that session, or count the event as r01bb instead of r01b7, or the reverse, with :x=N",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_UNCORE_TASK, ALWAYS,
	  "the uncore can't follow a program: it counts for a whole package; name hardware threads of the packages",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_UNCORE_RING, ALWAYS,
	  "event %E: the uncore counts in all rings, whoever causes it: leave u and k out",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_UNCORE_SAMPLING, ALWAYS,
	  "event %E can't be sampled: overflows of the uncore are no interrupts here, its counters are polled; count it, for instance with -I",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_UNCORE_BUSY, ALWAYS,
	  "the uncore of the package of CPU %C belongs to a session of %P: a package has one session; end that one, or choose another package",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_UNCORE_FOREIGN, ALWAYS,
	  "somebody else counts on the uncore of the package of CPU %C, probably perf: end 'perf stat -e uncore/.../', then try again",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_LEVEL_SAMPLING, ALWAYS,
	  "no samples of a level: nothing overflows when it changes; show it with top, or with stat, -I MS for each interval",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RESCTRL, ALWAYS,
	  "resctrl is mounted, and has the RMIDs: read its mon_data, or unmount it: umount /sys/fs/resctrl",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RMID_BUSY, FOR_TASK,
	  "%T has an RMID already, by a session of %P: end that session",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RMID_BUSY, ALWAYS,
	  "CPU %C has an RMID already, by a session of %P: end that session, or choose other hardware threads",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RMID_NONE, ALWAYS,
	  "no RMID is free: sessions, or programs before them, have all that this CPU has; end one of them ('knc-pmuctl info' shows how many there are)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RMID_DIRTY, ALWAYS,
	  "no RMID is clean: the cache still has lines of sessions that have ended; try again when other programs have replaced them",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SELF, ALWAYS,
	  "permission denied: %T is of another process, and the administrator lets users count only the process that asks (module parameter unprivileged=self); let the program count itself (knc/ring3.h), run as root, or ask for unprivileged=all",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_RDPMC_PRIVATE, ALWAYS,
	  "no RDPMC now: root counts ring 0 or other threads of the core for a thread of this process, which RDPMC could read; wait until that session ends, or run as root (CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_TASK_RDPMC, ALWAYS,
	  "%T may execute RDPMC without privilege, and could read counts of ring 0 or of other threads of the core; count user mode only (:u), or end the session that permits RDPMC ('knc-pmuctl info' says whose)",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_CPU_STUCK, ALWAYS,
	  "CPU %C gives the kernel no time to take the counters over from perf: a real-time program (SCHED_FIFO, SCHED_RR) has had all of it for two seconds; stop that one, or let the kernel have its share (sysctl kernel.sched_rt_runtime_us=950000)",
	},
	{ KNCPMU_OP_CONFIG, EOPNOTSUPP, KNC_PMU_REASON_PIDS, ALWAYS,
	  "several programs can't share a session on this PMU: only levels (cmt) have an RMID to share; make a session for each",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_PIDS, ALWAYS,
	  "the list of programs that share an RMID is wrong: with KNC_PMU_CONFIG_PIDS name 1 to 256, set KNC_PMU_CONFIG_TASK too, and leave the single one out",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_SWITCHES, ALWAYS,
	  "context switches are recorded beside samples: sample an event too, or leave out KNC_PMU_CONFIG_SWITCHES",
	},
	{ KNCPMU_OP_CONFIG, ANY, KNC_PMU_REASON_STACK, ALWAYS,
	  "the size of copies of the stack is out of range: choose a multiple of 8 up to 61440 bytes if events are sampled with KNC_PMU_CONFIG_STACK, else 0",
	},
	{ KNCPMU_OP_CONFIG, EDQUOT, ANY, ALWAYS,
	  "too many of your processes have permission for RDPMC, 1024 times together: end some of them, close their sessions ('knc-pmuctl info' says whose), or run as root (CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)",
	},
	{ KNCPMU_OP_CONFIG, EMFILE, ANY, ALWAYS,
	  "too many permissions for RDPMC: the process has it from 16 sessions already; close one of them",
	},
	{ KNCPMU_OP_CONFIG, ENFILE, ANY, ALWAYS,
	  "too many processes have permission for RDPMC, 8192 times in all: end some of them, or close their sessions ('knc-pmuctl info' says whose)",
	},
	{ KNCPMU_OP_CONFIG, ENOMEM, ANY, FOR_TASK,
	  "not enough memory to follow the program: end something, or follow fewer threads",
	},
	{ KNCPMU_OP_CONFIG, ENOMEM, ANY, ALWAYS,
	  "not enough memory for the session: ask for smaller rings or fewer hardware threads",
	},
	{ KNCPMU_OP_CONFIG, EPERM, ANY, ALWAYS,
	  "permission denied: counting needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); run as root, or give it to the tool with: setcap cap_perfmon+ep %X",
	},
	{ KNCPMU_OP_CONFIG, EALREADY, ANY, ALWAYS,
	  "the session is configured already: a session is configured once; open another",
	},

	{ KNCPMU_OP_RESET, EBUSY, ANY, ALWAYS,
	  "registers in use: only a session that has both counters of its hardware threads may reset them; configure two events",
	},
	{ KNCPMU_OP_STATS, EPERM, ANY, ALWAYS,
	  "permission denied: the statistics show everybody's sampling and need CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); run as root, or give it to the tool with: setcap cap_perfmon+ep %X",
	},
	{ KNCPMU_OP_MAP, EPROTO, ANY, ALWAYS,
	  "the ring of %D is not what this program expects: the module is of another version; update it",
	},
	{ KNCPMU_OP_MAP, EINVAL, ANY, ALWAYS,
	  "no such ring: the session does not sample, or has fewer hardware threads, or another ring size",
	},
	{ KNCPMU_OP_MAP, ENOMEM, ANY, ALWAYS,
	  "not enough memory to map the rings: ask for smaller ones or fewer hardware threads",
	},
	{ KNCPMU_OP_PAGE, EPROTO, ANY, ALWAYS,
	  "the page of %D is not what this program expects: the module is of another version; update it",
	},
	{ KNCPMU_OP_PAGE, EINVAL, ANY, ALWAYS,
	  "no page to read counts from: it takes a session that follows one thread with KNC_PMU_CONFIG_RDPMC, without _PROCESS, _INHERIT, samples and groups",
	},
	{ KNCPMU_OP_REGS, EPERM, ANY, ALWAYS,
	  "permission denied: the registers show everybody's work and need CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); run as root, or give it to the tool with: setcap cap_perfmon+ep %X",
	},
	{ KNCPMU_OP_REGS, ENXIO, ANY, ALWAYS,
	  "no hardware thread %C: it does not exist or is offline; online are %O",
	},
	{ KNCPMU_OP_OWNER, ENXIO, ANY, ALWAYS,
	  "no hardware thread %C, or no such counter there: choose from CPUs %A and their counters",
	},
	{ KNCPMU_OP_EVICT, EPERM, ANY, ALWAYS,
	  "permission denied: taking counters away from others needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN); run as root, or give it to the tool with: setcap cap_perfmon+ep %X",
	},
	{ KNCPMU_OP_EVICT, ENXIO, ANY, ALWAYS,
	  "no hardware thread %C, or no such counter there: choose from CPUs %A and their counters",
	},

	{ KNCPMU_OP_START, EBUSY, ANY, ALWAYS,
	  "resctrl was mounted meanwhile, and has the RMIDs: the session has ended; unmount it (umount /sys/fs/resctrl), and start again",
	},
	{ KNCPMU_OP_READ, EBUSY, ANY, ALWAYS,
	  "resctrl was mounted meanwhile, and has the RMIDs: the session has ended; unmount it (umount /sys/fs/resctrl), and start again",
	},
	{ ANY, ECANCELED, ANY, ALWAYS,
	  "evicted: a privileged user has taken the counters away ('knc-pmuctl reset --force' does that); the counts until then are right; start again to go on",
	},
	{ ANY, ENODATA, ANY, ALWAYS,
	  "the session is not configured: configure it first",
	},
	{ ANY, ENOTTY, ANY, ALWAYS,
	  "%D does not know this request: it is not the device of knc_pmu, or the module is older than this program; update it",
	},
	{ ANY, E2BIG, ANY, ALWAYS,
	  "the module is older than this program and does not know a part of the request; update it",
	},
	{ ANY, ANY, ANY, ALWAYS,
	  "the request to %D failed: %S",
	},
};

static int wrong_cpu(void)
{
	struct kncpmu_cpu cpu;

	kncpmu_cpu_read(&cpu);
	return cpu.family && (cpu.family != KNC_CPU_FAMILY || cpu.model != KNC_CPU_MODEL);
}

static int watchdog_on(void)
{
	char line[16];

	return !kncpmu_read_line(WATCHDOG, line, sizeof(line)) && line[0] == '1';
}

/* Does the event of the failure count more than one thread's user mode? */
static int takes_privilege(const struct kncpmu_failure *f)
{
	const struct knc_pmu_config *config = f->config;

	return f->events && config->reason_event < config->nr_events &&
	       f->events[config->reason_event].flags &
	       (KNC_PMU_EVENT_OS | KNC_PMU_EVENT_THREAD_MODE);
}

static int has_flag(const struct kncpmu_failure *f, unsigned int flag)
{
	return f->config && f->config->flags & flag;
}

static int holds(enum when when, const struct kncpmu_failure *f)
{
	switch (when) {
	case FOR_TASK:
		return has_flag(f, KNC_PMU_CONFIG_TASK);
	case FOR_EVENT:
		return has_flag(f, KNC_PMU_CONFIG_TASK) && takes_privilege(f);
	case FOR_CHAIN:
		return has_flag(f, KNC_PMU_CONFIG_TASK) &&
		       has_flag(f, KNC_PMU_CONFIG_CHAIN_KERNEL);
	case BY_TASKS:
		return f->config && f->config->reason_cpu == KNC_PMU_NO_CPU;
	case LOADED:
		return !access(MODULE_DIR, F_OK);
	case WRONG_CPU:
		return wrong_cpu();
	case OF_KERNEL:
		return kncpmu_is_kernel_thread(kncpmu_followed_pid(f->config));
	case WATCHDOG_ON:
		return watchdog_on();
	default:
		return 1;
	}
}

static const char *find_line(const struct kncpmu_failure *f)
{
	int reason = f->config ? (int)f->config->reason : KNC_PMU_REASON_NONE;
	const struct line *line;

	for (line = lines; line->op != ANY || line->error != ANY; line++) {
		if ((line->op == ANY || line->op == (int)f->op) &&
		    (line->error == ANY || line->error == -f->error) &&
		    (line->reason == ANY || line->reason == reason) &&
		    holds(line->when, f))
			break;
	}
	return line->text;
}

static void event_text(const struct kncpmu_failure *f, unsigned int which,
		       char *text, size_t size)
{
	unsigned int i = 0;

	if (f->config)
		i = which ? f->config->reason_other : f->config->reason_event;
	if (f->events && f->config && i < f->config->nr_events)
		kncpmu_spec_format(f->pmu, &f->events[i], text, size);
	else
		snprintf(text, size, "%u", i);
}

static void counter_text(const struct kncpmu_failure *f, char *text, size_t size)
{
	unsigned int i = f->config ? f->config->reason_event : 0;
	const struct kncpmu_event_desc *desc = NULL;
	unsigned int mask = 1;

	if (f->events && f->config && i < f->config->nr_events) {
		desc = f->pmu ? kncpmu_event_of(f->pmu, &f->events[i]) : NULL;
		mask = f->events[i].counters;
	}
	if (desc && (!mask || desc->counters == 1))
		mask = desc->counters;
	snprintf(text, size, "%u", mask == 2 ? 1 : 0);
}

static void cpus_text(int (*get)(struct kncpmu_cpus *cpus), char *text,
		      size_t size)
{
	struct kncpmu_cpus cpus;

	if (get(&cpus))
		snprintf(text, size, "unknown");
	else
		kncpmu_cpus_format(&cpus, text, size);
}

static void program_text(char *text, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", text, size);

	/* a truncated path would name another file */
	if (n <= 0 || (size_t)n == size)
		snprintf(text, size, "PROGRAM");
	else
		text[n] = '\0';
}

static void thread_text(const struct kncpmu_failure *f, char *text, size_t size)
{
	int pid = kncpmu_followed_pid(f->config);

	if (pid)
		kncpmu_process_name(pid, text, size);
	else
		snprintf(text, size, "this program");
}

/* "MAJOR MINOR", as mknod expects them */
static void devno_text(char *text, size_t size)
{
	char *colon;

	if (kncpmu_read_line(CLASS_DEV, text, size))
		snprintf(text, size, "10 MINOR (see /proc/misc)");
	colon = strchr(text, ':');
	if (colon)
		*colon = ' ';
}

static void cpu_text(char *text, size_t size)
{
	struct kncpmu_cpu cpu;

	kncpmu_cpu_read(&cpu);
	snprintf(text, size, "family %u model %u", cpu.family, cpu.model);
}

/* Expand %@letter if it depends on the failure; return 0 if it does not */
static int expand_failure(const struct kncpmu_failure *f, char letter, char *text, size_t size)
{
	const struct knc_pmu_config *config = f->config;

	switch (letter) {
	case 'D':
		snprintf(text, size, "%s", f->path ? f->path : KNC_PMU_DEVICE);
		return 1;
	case 'C':
		snprintf(text, size, "%u", config ? config->reason_cpu : f->cpu);
		return 1;
	case 'E':
	case 'F':
		event_text(f, letter - 'E', text, size);
		return 1;
	case 'N':
		counter_text(f, text, size);
		return 1;
	case 'K':
		snprintf(text, size, "%u", config ? config->reason_counter : 0);
		return 1;
	case 'P':
		kncpmu_process_name(config ? config->reason_pid : 0, text, size);
		return 1;
	case 'T':
		thread_text(f, text, size);
		return 1;
	case 'W':
		snprintf(text, size, "%d", kncpmu_followed_pid(config));
		return 1;
	}
	return 0;
}

/* Expand %@letter by a property of the system; unknown letters become the errno's text */
static void expand_system(const struct kncpmu_failure *f, char letter, char *text, size_t size)
{
	switch (letter) {
	case 'O':
		cpus_text(kncpmu_cpus_online, text, size);
		break;
	case 'A':
		cpus_text(kncpmu_cpus_possible, text, size);
		break;
	case 'X':
		program_text(text, size);
		break;
	case 'M':
		devno_text(text, size);
		break;
	case 'U':
		cpu_text(text, size);
		break;
	case 'B':
		snprintf(text, size, KNCPMU_SYSFS_CPU);
		break;
	default:
		snprintf(text, size, "%s", strerror(-f->error));
	}
}

void kncpmu_explain(const struct kncpmu_failure *failure,
		    struct kncpmu_error *err)
{
	const char *in = find_line(failure);
	char text[sizeof(err->text)], word[sizeof(err->text)];
	size_t len = 0, size = sizeof(text);

	for (; *in && len < size - 1; in++) {
		if (*in != '%') {
			text[len++] = *in;
			continue;
		}
		if (!expand_failure(failure, *++in, word, sizeof(word)))
			expand_system(failure, *in, word, sizeof(word));
		len += snprintf(text + len, size - len, "%s", word);
	}
	kncpmu_clean(text, len < size ? len : size - 1, err->text, sizeof(err->text));
}

const char *kncpmu_strerror(enum kncpmu_op op, int error, struct kncpmu_error *err)
{
	const struct kncpmu_failure failure = { .op = op, .error = error };

	kncpmu_explain(&failure, err);
	return err->text;
}
