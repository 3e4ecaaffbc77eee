/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * knc_pmu: performance counters through /dev/knc_pmu, version 1 of the ABI
 *
 * An open file is a session: it counts events on a set of hardware threads, or for a task and the
 * tasks that it creates. If the events need more counters than there are, they are multiplexed in
 * groups. The commands, KNC_PMU_IOC_*, and who may use them:
 *
 *   INFO     list the PMUs, and what module and machine can do    everybody
 *   CONFIG   say what to count where, and get the counters        everybody (1)
 *   START    count                                                holders of the session's file
 *   STOP     count no more                                        holders of the session's file
 *   RESET    set counts and times to 0                            holders of the session's file
 *   READ     copy all counts and times                            holders of the session's file
 *   REGS     copy the registers of a hardware thread              CAP_PERFMON
 *   OWNER    say which process has a counter                      everybody
 *   STATS    copy the statistics of overflow interrupts           CAP_PERFMON
 *   GRANTS   list the processes that may execute RDPMC            everybody (2)
 *   EVICT    take counters away from other sessions               CAP_PERFMON
 *
 * Without CAP_PERFMON (1) is for user mode of the caller's own tasks only, and (2) lists only
 * processes of the caller's user. "Everybody" can open the device: root, and the group kncpmu where
 * the udev rule is installed. Before Linux 5.8 CAP_SYS_ADMIN takes the place of CAP_PERFMON.
 *
 * To count the instructions of the caller in user mode:
 *
 *	struct knc_pmu_event event = {
 *		.event = KNC_PMU_EVENT_CODE(0x16, 0), .flags = KNC_PMU_EVENT_USR,
 *	};
 *	struct knc_pmu_config config = {
 *		.flags = KNC_PMU_CONFIG_TASK, .events = (uintptr_t)&event, .nr_events = 1,
 *		.event_size = sizeof(event),
 *	};
 *	struct knc_pmu_thread count;
 *	struct knc_pmu_read read = { .buffer = (uintptr_t)&count, .buffer_size = sizeof(count) };
 *
 *	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
 *	ioctl(fd, KNC_PMU_IOC_CONFIG, &config);
 *	ioctl(fd, KNC_PMU_IOC_START, 0);
 *	... the work ...
 *	ioctl(fd, KNC_PMU_IOC_STOP, 0);
 *	ioctl(fd, KNC_PMU_IOC_READ, &read);		count.value[0] is the count
 *
 * A session can also sample, into a ring for each hardware thread (struct knc_pmu_ring), and let a
 * program read its counts with RDPMC (struct knc_pmu_page).
 *
 * A session ends when its file is closed and unmapped, also by exit or kill -9. After the last
 * session the registers hold what they held before the first.
 *
 * Rules of all structs:
 *
 * - A field of a command's argument is an input unless its description ends in "out". The module
 *   writes all fields of records, statistics, rings and the page, except @tail of a ring. Masks of
 *   counters have 64 bits.
 * - The number of a command contains the size of its struct. A shorter struct is extended by
 *   zeros. A longer one is accepted if the fields that the module does not know are 0. Elements of
 *   @events follow the same rule; their size is a field beside the address. Entries of a struct
 *   knc_pmu_list are cut to its @size, or extended by zeros.
 * - Records of READ and of rings have a fixed layout: a new field needs a new flag of READ, or a
 *   new type of record.
 * - Structs have no holes, and are the same in 32-bit programs.
 *
 * Every command fails with EFAULT for a bad address, EINVAL for a flag that is not defined or a
 * reserved field that is not 0, E2BIG for a longer struct with unknown fields in use, and ENOTTY
 * for an unknown command. The other errors of a command are described at its definition, at the end
 * of this file.
 */
#ifndef KNC_PMU_H
#define KNC_PMU_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KNC_PMU_DEVICE		"/dev/knc_pmu"

/* Bounds of what one session may ask for */
#define KNC_PMU_MAX_EVENTS	16	/* of a group */
#define KNC_PMU_MAX_SET		32	/* of a session, in all its groups */
#define KNC_PMU_MAX_KEPT	1024	/* ended tasks of a session with KEEP */
#define KNC_PMU_NAME_SIZE	16	/* bytes of a name, with READ_NAMES */
#define KNC_PMU_MAX_CPUS	8192	/* bits of a hardware thread mask */
#define KNC_PMU_MAX_PIDS	256	/* tasks or processes that share an RMID */
#define KNC_PMU_MAX_PERIOD	(1ULL << 39)	/* events between two samples */
#define KNC_PMU_MAX_FREQ	100000	/* samples a second of a hardware thread */
#define KNC_PMU_MAX_FRAMES	127	/* of each call chain of a sample */
#define KNC_PMU_MAX_STACK	61440	/* bytes of the user's stack in a sample */
#define KNC_PMU_MIN_RING	4096	/* bytes of records in a ring */
#define KNC_PMU_MAX_RING	(4U << 20)
#define KNC_PMU_MIN_INTERVAL	100000ULL	/* between time samples, ns */
#define KNC_PMU_MAX_INTERVAL	1000000000000ULL
/* A grant: one process may execute RDPMC because of one session */
#define KNC_PMU_MAX_GRANTS	16	/* of a process */
#define KNC_PMU_MAX_ALL_GRANTS	8192	/* of all processes; above that, a process that
					 * is forked gets none
					 */
#define KNC_PMU_MAX_USER_GRANTS	1024	/* from all sessions of one user without
					 * CAP_PERFMON; as many are reserved for callers
					 * with CAP_PERFMON
					 */

/* In place of a number: no hardware thread, or all of them; all counters */
#define KNC_PMU_NO_CPU		(~0U)
#define KNC_PMU_NO_COUNTER	(~0U)

/**
 * struct knc_pmu_list - an array of the caller, into which a command writes entries
 * @entries: address of the array
 * @nr: number of entries that it has room for
 * @size: bytes of an entry
 *
 * The command returns the number of entries that exist, which may be more than @nr.
 */
struct knc_pmu_list {
	__u64 entries;
	__u32 nr;
	__u32 size;
};

/* @features: what the module can do on this kernel, and on a PMU */
#define KNC_PMU_FEATURE_THREADS	(1ULL << 0)	/* sessions on hardware threads */
#define KNC_PMU_FEATURE_SPFLT	(1ULL << 1)	/* events gated by SPFLT */
#define KNC_PMU_FEATURE_SAMPLING (1ULL << 2)	/* event and time samples */
#define KNC_PMU_FEATURE_CALLCHAIN (1ULL << 3)	/* call chains of samples */
#define KNC_PMU_FEATURE_PMI_IRQ	(1ULL << 4)	/* overflow interrupts can be vectors */
#define KNC_PMU_FEATURE_TASKS	(1ULL << 5)	/* sessions that follow tasks */
#define KNC_PMU_FEATURE_RDPMC	(1ULL << 6)	/* RDPMC in ring 3 can be granted */
#define KNC_PMU_FEATURE_SETS	(1ULL << 7)	/* more events than counters */
#define KNC_PMU_FEATURE_EVICT	(1ULL << 8)	/* KNC_PMU_IOC_EVICT */
#define KNC_PMU_FEATURE_PMI_NMI	(1ULL << 9)	/* overflow interrupts can be NMIs */
#define KNC_PMU_FEATURE_ON_EXEC	(1ULL << 10)	/* ON_EXEC works; following tasks
						 * needs no CAP_SYS_ADMIN
						 */
#define KNC_PMU_FEATURE_LEVELS	(1ULL << 11)	/* its events are levels in bytes,
						 * not counts
						 */
/* The module was loaded with any_counter=1: @counters of an event may be any, to try them */
#define KNC_PMU_FEATURE_ANY_COUNTER (1ULL << 12)
#define KNC_PMU_FEATURE_LIMIT	(1ULL << 13)	/* KNC_PMU_EVENT_LIMIT works */
#define KNC_PMU_FEATURE_STACK	(1ULL << 14)	/* KNC_PMU_CONFIG_STACK works */
#define KNC_PMU_FEATURE_SWITCHES (1ULL << 15)	/* KNC_PMU_CONFIG_SWITCHES works */

/* @pmu of all structs: the core PMU of the hardware threads. Each other value is an @id of INFO */
#define KNC_PMU_DEFAULT		0

/* The part of the machine that has a PMU of its own */
enum knc_pmu_scope {
	KNC_PMU_SCOPE_THREAD, KNC_PMU_SCOPE_CORE, KNC_PMU_SCOPE_PACKAGE, KNC_PMU_SCOPE_L3
};

/**
 * struct knc_pmu_desc - a PMU of this machine, as INFO lists them
 * @id: the number for @pmu of other structs, from 1, out
 * @scope: enum knc_pmu_scope, out
 * @name: of hardware threads "knc", "arch" or "westmere"; "uncore"; "cmt", out
 * @counters: mask of its counters; on a PMU with levels 0, out
 * @features: KNC_PMU_FEATURE_* that its sessions can use, out
 * @nr_counters: number of programmable counters; on a PMU with levels, of RMIDs for sessions, out
 * @width: bits of a programmable counter, out
 * @nr_fixed: number of fixed counters, each of which counts one event only, out
 * @fixed_width: bits of a fixed counter, out
 * @unit: on a PMU with levels: every level is a multiple of this, bytes, out
 * @size: on a PMU with levels: the largest level, the size of an L3, bytes, out
 *
 * The first PMU is that of the hardware threads. A host has "uncore" if the module knows the uncore
 * PMU of its packages, and "cmt" if CPUID leaf 0xF reports monitoring of the L3. A session on "cmt"
 * has an RMID. Its only event, 1, is how many bytes of each L3 hold lines that the session's
 * hardware threads or tasks have brought in.
 */
struct knc_pmu_desc {
	__u32 id;
	__u32 scope;
	char name[16];
	__u64 counters;
	__u64 features;
	__u32 nr_counters;
	__u32 width;
	__u32 nr_fixed;
	__u32 fixed_width;
	__u64 unit;
	__u64 size;
};

/**
 * struct knc_pmu_info - what this machine and the module offer (KNC_PMU_IOC_INFO)
 * @pmus: an array of struct knc_pmu_desc
 * @features: KNC_PMU_FEATURE_*, out
 * @nr_threads: highest possible CPU number + 1, out
 * @nr_online: hardware threads online, out
 * @threads_per_core: hardware threads of a core, out
 * @nr_sessions: number of sessions on the machine that are configured and not evicted; out
 * @tsc_khz: rate of the time stamp counter where the caller runs: as last measured if a session has
 *	counters, otherwise as the kernel found it at boot, out
 * @reserved: 0
 */
struct knc_pmu_info {
	struct knc_pmu_list pmus;
	__u64 features;
	__u32 nr_threads;
	__u32 nr_online;
	__u32 threads_per_core;
	__u32 nr_sessions;
	__u32 tsc_khz;
	__u32 reserved;
};

/* struct knc_pmu_event @flags */
#define KNC_PMU_EVENT_USR	(1U << 0)	/* count in rings 1 to 3 */
#define KNC_PMU_EVENT_OS	(1U << 1)	/* count in ring 0 */
#define KNC_PMU_EVENT_EDGE	(1U << 2)	/* count transitions from deasserted to asserted */
#define KNC_PMU_EVENT_INV	(1U << 3)	/* invert the comparison with cmask */
#define KNC_PMU_EVENT_THREAD_MODE (1U << 4)	/* all threads of the core */
#define KNC_PMU_EVENT_SPFLT	(1U << 5)	/* count only while USER_PREF is set */
#define KNC_PMU_EVENT_SAMPLE	(1U << 6)	/* take a sample every @sample_period */
#define KNC_PMU_EVENT_FREQ	(1U << 7)	/* @sample_period is samples a second */
#define KNC_PMU_EVENT_PINNED	(1U << 8)	/* always counted, never multiplexed */
#define KNC_PMU_EVENT_LIMIT	(1U << 9)	/* @sample_period is KNC_PMU_LIMITED() */
#define KNC_PMU_EVENT_FLAGS	((1U << 10) - 1)

/*
 * @sample_period with LIMIT: one sample every @period events. While that would be more than @hz
 * samples a second of a hardware thread or task, the period is longer. LIMITED_PERIOD() and
 * LIMITED_HZ() take it apart; the rate of a @sample_period without LIMIT is 0.
 */
#define KNC_PMU_LIMITED(period, hz)	((__u64)(period) | (__u64)(hz) << 40)
#define KNC_PMU_LIMITED_PERIOD(limited)	((limited) & ((1ULL << 40) - 1))
#define KNC_PMU_LIMITED_HZ(limited)	((__u32)((limited) >> 40))

/* @event of a PMU whose codes consist of event select and unit mask (327357 table 1-6) */
#define KNC_PMU_EVENT_CODE(select, umask)				\
	((__u64)(select) | (__u64)(umask) << 8)

/**
 * struct knc_pmu_event - one event of a session
 * @event: its code; for knc KNC_PMU_EVENT_CODE()
 * @extra: second word of the code; 0 for knc. Westmere: the contents of MSR_OFFCORE_RSP_0 or 1 for
 *	code 0x01B7 or 0x01BB, a register that the threads of a core share
 * @counters: mask of the counters that may count it; 0: any counter that can
 * @sample_period: with SAMPLE: events from one sample to the next, 1 to KNC_PMU_MAX_PERIOD; with
 *	SAMPLE and FREQ: samples a second, 1 to KNC_PMU_MAX_FREQ; with SAMPLE and LIMIT:
 *	KNC_PMU_LIMITED() of a period and a rate; otherwise 0
 * @flags: KNC_PMU_EVENT_*; at least one of USR and OS; INV only with a cmask; THREAD_MODE not with
 *	a core-wide event
 * @cmask: counter mask: count cycles with at least this many events; 0: count the events
 *	themselves
 * @group: events with the same number are counted together, one on each counter; the first event
 *	of each group has the next number, from 0. Ignored for a pinned event
 * @counter: the counter that counts it, out
 *
 * Several groups take turns of some milliseconds: on each hardware thread, or in the running time
 * of each task. READ says how long each event was counted.
 *
 * A code that 327357 does not list is accepted; the PMU counts nothing for a code that it does not
 * know (table 1-5). An event that only counter 0 can count is never put on another counter.
 */
struct knc_pmu_event {
	__u64 event;
	__u64 extra;
	__u64 counters;
	__u64 sample_period;
	__u32 flags;
	__u32 cmask;
	__u32 group;
	__u32 counter;
};

/* Why CONFIG refused: its errno, and the reason. Append only: a reason's number never changes */
enum knc_pmu_reason {
	/* no refusal, or no reason besides the errno */
	KNC_PMU_REASON_NONE = 0,
	/*
	 * EPERM: whole hardware threads need CAP_PERFMON. With TASK, so do OS and THREAD_MODE of
	 * @reason_event, CHAIN_KERNEL, and before Linux 5.0 every session
	 */
	KNC_PMU_REASON_PRIVILEGE = 1,
	/* EINVAL: the mask names no hardware thread */
	KNC_PMU_REASON_CPU_EMPTY = 2,
	/* ENXIO: @reason_cpu does not exist */
	KNC_PMU_REASON_CPU_NONE = 3,
	/* ENXIO: @reason_cpu is offline */
	KNC_PMU_REASON_CPU_OFFLINE = 4,
	/*
	 * EINVAL: @reason_event has undefined flags, or a code, a cmask or counters that the PMU
	 * does not have
	 */
	KNC_PMU_REASON_EVENT_FLAGS = 5,
	/* EINVAL: @reason_event has neither USR nor OS */
	KNC_PMU_REASON_EVENT_RING = 6,
	/* EINVAL: @reason_event has INV without a cmask */
	KNC_PMU_REASON_EVENT_INV = 7,
	/* EINVAL: @reason_event is core-wide and has THREAD_MODE */
	KNC_PMU_REASON_EVENT_THREAD_MODE = 8,
	/* EOPNOTSUPP: no counter that @counters names can count @reason_event */
	KNC_PMU_REASON_EVENT_COUNTER = 9,
	/* EOPNOTSUPP: @reason_event and @reason_other need the same counter */
	KNC_PMU_REASON_EVENT_PAIR = 10,
	/*
	 * EBUSY: @reason_event needs @reason_counter on @reason_cpu, which belongs to a session of
	 * process @reason_pid. @reason_cpu is KNC_PMU_NO_CPU if that session follows tasks: it has
	 * the counter on all hardware threads
	 */
	KNC_PMU_REASON_BUSY = 11,
	/*
	 * EBUSY: like BUSY, but SPFLT gates that counter: a hardware thread has one USER_PREF,
	 * which two sessions can't share
	 */
	KNC_PMU_REASON_SPFLT_BUSY = 12,
	/* EBUSY: the kernel has given the counters to perf, oprofile or the NMI watchdog */
	KNC_PMU_REASON_PMU_RESERVED = 13,
	/*
	 * EINVAL: @sample_period of @reason_event, or its rate with LIMIT, is out of range; or it
	 * has both LIMIT and FREQ
	 */
	KNC_PMU_REASON_SAMPLE_PERIOD = 14,
	/*
	 * EINVAL: @reason_event has FREQ, LIMIT or a @sample_period without SAMPLE, or there is no
	 * clock for a rate
	 */
	KNC_PMU_REASON_SAMPLE_FREQ = 15,
	/* EINVAL: @sample_interval is out of range */
	KNC_PMU_REASON_SAMPLE_INTERVAL = 16,
	/*
	 * EINVAL: @ring_size is not a power of two in its range, or has no room for two samples
	 * with @max_frames and @stack_size (KNC_PMU_SAMPLE_SIZE, KNC_PMU_STACK_SIZE); or @watermark
	 * is larger than @ring_size; or one of both is not 0 in a session that does not sample
	 */
	KNC_PMU_REASON_RING_SIZE = 17,
	/*
	 * EINVAL: @max_frames is out of range; or not 0 without CHAIN_*; or CHAIN_* without a
	 * sampled event
	 */
	KNC_PMU_REASON_FRAMES = 18,
	/* EOPNOTSUPP: no KNC_PMU_FEATURE_CALLCHAIN; or STACK without KNC_PMU_FEATURE_STACK */
	KNC_PMU_REASON_CALLCHAIN = 19,
	/* EINVAL: PROCESS, INHERIT, ON_EXEC, SWITCHES or @pid without TASK, or TASK with @cpus */
	KNC_PMU_REASON_TASK_FLAGS = 20,
	/* ESRCH: there is no thread @pid, or it is about to end, or it is a kernel thread */
	KNC_PMU_REASON_TASK_NONE = 21,
	/*
	 * EPERM: the caller lacks CAP_PERFMON, and thread @pid belongs to another user, was
	 * set-user-ID, executes a file that its user may not read, or has more capabilities than
	 * the caller
	 */
	KNC_PMU_REASON_TASK_DENIED = 22,
	/*
	 * EBUSY: like BUSY: @reason_counter already counts for @pid, or for another thread of its
	 * process
	 */
	KNC_PMU_REASON_TASK_BUSY = 23,
	/*
	 * EOPNOTSUPP: @sample_interval with TASK: only sessions on hardware threads take time
	 * samples
	 */
	KNC_PMU_REASON_TASK_SAMPLING = 24,
	/* EOPNOTSUPP: no KNC_PMU_FEATURE_TASKS, or ON_EXEC before Linux 5.0 */
	KNC_PMU_REASON_TASK_KERNEL = 25,
	/* EOPNOTSUPP: no KNC_PMU_FEATURE_RDPMC */
	KNC_PMU_REASON_RDPMC = 26,
	/*
	 * EBUSY: like BUSY: with RDPMC the caller could also read @reason_counter, for which it
	 * needs CAP_PERFMON
	 */
	KNC_PMU_REASON_RDPMC_BUSY = 27,
	/* EINVAL: the group of @reason_event has more events than there are counters */
	KNC_PMU_REASON_SET_GROUP = 28,
	/* EINVAL: @group of @reason_event is neither a group that has begun nor the next one */
	KNC_PMU_REASON_SET_ORDER = 29,
	/*
	 * EINVAL: @reason_event is pinned and leaves no counter for the other groups, or a group
	 * leaves none for it
	 */
	KNC_PMU_REASON_SET_PINNED = 30,
	/* EOPNOTSUPP: a session with several groups can't sample */
	KNC_PMU_REASON_SET_SAMPLING = 31,
	/*
	 * ENOMEM: all rings together are more memory than the caller may lock without CAP_PERFMON
	 * (RLIMIT_MEMLOCK, and perf's share)
	 */
	KNC_PMU_REASON_RING_MEMLOCK = 32,
	/*
	 * EPERM: the kernel is locked down (confidentiality): no samples of ring 0, no time
	 * samples, no CHAIN_KERNEL
	 */
	KNC_PMU_REASON_LOCKDOWN = 33,
	/* EPERM: the module parameter is unprivileged=none, and the caller lacks CAP_PERFMON */
	KNC_PMU_REASON_UNPRIVILEGED = 34,
	/*
	 * EPERM: the module parameter is unprivileged=thread, the caller lacks CAP_PERFMON, and
	 * @reason_event may count what other threads of the core do
	 */
	KNC_PMU_REASON_CORE_WIDE = 35,
	/*
	 * EOPNOTSUPP: perf's setting (see KNC_PMU_CONFIG_RDPMC) is 0, or was 0 when the module last
	 * took the counters from perf. That happens at the first session after a time without any,
	 * and when a hardware thread comes online
	 */
	KNC_PMU_REASON_RDPMC_OFF = 36,
	/* ENODEV: this machine has no @pmu */
	KNC_PMU_REASON_PMU_NONE = 37,
	/*
	 * EINVAL: the CPU does not have @reason_event (CPUID leaf 0xA, EBX), or the PMU has no such
	 * level
	 */
	KNC_PMU_REASON_EVENT_NONE = 38,
	/*
	 * EINVAL: @extra of @reason_event has reserved bits, or names no request or no response; or
	 * the event takes no second word
	 */
	KNC_PMU_REASON_EVENT_EXTRA = 39,
	/*
	 * EOPNOTSUPP: @reason_event and @reason_other need the same register for different second
	 * words
	 */
	KNC_PMU_REASON_EXTRA_PAIR = 40,
	/*
	 * EBUSY: a session of @reason_pid has another second word in the register that
	 * @reason_event needs, on the core of @reason_cpu (KNC_PMU_NO_CPU: on all cores)
	 */
	KNC_PMU_REASON_EXTRA_BUSY = 41,
	/* EOPNOTSUPP: TASK on an uncore, which counts for a whole package */
	KNC_PMU_REASON_UNCORE_TASK = 42,
	/* EINVAL: @reason_event lacks USR or OS: an uncore counts in all rings */
	KNC_PMU_REASON_UNCORE_RING = 43,
	/* EOPNOTSUPP: samples on an uncore: the module does not handle its overflow interrupts */
	KNC_PMU_REASON_UNCORE_SAMPLING = 44,
	/* EBUSY: the uncore of @reason_cpu's package belongs to a session of @reason_pid */
	KNC_PMU_REASON_UNCORE_BUSY = 45,
	/* EBUSY: Linux's own driver (perf) or the firmware uses the uncore of that package */
	KNC_PMU_REASON_UNCORE_FOREIGN = 46,
	/* EOPNOTSUPP: samples of a level, which does not overflow */
	KNC_PMU_REASON_LEVEL_SAMPLING = 47,
	/* EBUSY: resctrl is mounted and uses the RMIDs */
	KNC_PMU_REASON_RESCTRL = 48,
	/* EBUSY: @reason_cpu, or with TASK the task, has an RMID of a session of @reason_pid */
	KNC_PMU_REASON_RMID_BUSY = 49,
	/*
	 * EBUSY: all RMIDs belong to sessions, or were on hardware threads before the first session
	 */
	KNC_PMU_REASON_RMID_NONE = 50,
	/*
	 * EBUSY: every free RMID still has too many lines of its earlier users in an L3: more than
	 * the size of the L3 divided by the number of RMIDs
	 */
	KNC_PMU_REASON_RMID_DIRTY = 51,
	/*
	 * EPERM: the module parameter is unprivileged=self, the caller lacks CAP_PERFMON, and the
	 * thread belongs to another process
	 */
	KNC_PMU_REASON_SELF = 52,
	/*
	 * EBUSY: a session with CAP_PERFMON counts ring 0, or other threads of the core, for a
	 * thread of the caller's process: RDPMC needs CAP_PERFMON while it does
	 */
	KNC_PMU_REASON_RDPMC_PRIVATE = 53,
	/*
	 * EBUSY: a session without CAP_PERFMON has permitted RDPMC to the process of @pid, which
	 * could therefore read what these events count in ring 0 or of other threads of the core
	 */
	KNC_PMU_REASON_TASK_RDPMC = 54,
	/*
	 * EBUSY: a kernel thread got no time on hardware thread @reason_cpu for two seconds: a
	 * real-time program uses all of it
	 */
	KNC_PMU_REASON_CPU_STUCK = 55,
	/*
	 * EINVAL: PIDS without TASK, or with @pid, or with no or too many numbers; EOPNOTSUPP: PIDS
	 * on a PMU without levels
	 */
	KNC_PMU_REASON_PIDS = 56,
	/*
	 * EINVAL: @stack_size is out of range or no multiple of 8; or not 0 without STACK; or STACK
	 * without a sampled event
	 */
	KNC_PMU_REASON_STACK = 57,
	/* EINVAL: SWITCHES without a sampled event */
	KNC_PMU_REASON_SWITCHES = 58
};

/* struct knc_pmu_config @flags */
/* USER_PREF is set at the start: events gated by SPFLT count until SPFLT clears it */
#define KNC_PMU_CONFIG_USER_PREF (1U << 0)
/* Samples have a call chain of user mode, or of kernel mode, found by frame pointers */
#define KNC_PMU_CONFIG_CHAIN_USER (1U << 1)
#define KNC_PMU_CONFIG_CHAIN_KERNEL (1U << 2)
/* Follow thread @pid instead of counting on hardware threads */
#define KNC_PMU_CONFIG_TASK	(1U << 3)
/* ... with all other threads of its process, also those that are created until CONFIG returns */
#define KNC_PMU_CONFIG_PROCESS	(1U << 4)
/*
 * ... and all threads and processes that they and their descendants create. Since Linux 5.12 that
 * includes workers of io_uring, which the kernel creates as threads of the process.
 */
#define KNC_PMU_CONFIG_INHERIT	(1U << 5)
/*
 * START when @pid executes a program. If another followed task runs at that moment, its counts
 * begin at its next context switch.
 */
#define KNC_PMU_CONFIG_ON_EXEC	(1U << 6)
/*
 * The caller's process may execute RDPMC, or with ON_EXEC the program that @pid executes. If the
 * session follows tasks, children of that process by fork() may too, even after they have changed
 * their user. A program that the process or a child executes later may not. The permission ends
 * with the session. It also ends when perf's setting (/sys/bus/event_source/devices/cpu/rdpmc)
 * becomes 0: RDPMC gives SIGSEGV then. While that setting is 2 every process may execute RDPMC.
 */
#define KNC_PMU_CONFIG_RDPMC	(1U << 7)
/* READ_TASKS returns the counts of ended tasks too, of the first KNC_PMU_MAX_KEPT */
#define KNC_PMU_CONFIG_KEEP	(1U << 8)
/*
 * With TASK, on a PMU with levels: follow a group of threads, or with PROCESS of processes, that
 * shares one RMID. @cpus is the address of an array of __s32 with their numbers, as in @pid, and
 * @cpus_size its bytes. If one of them is refused, none is followed.
 */
#define KNC_PMU_CONFIG_PIDS	(1U << 9)
/*
 * Samples have the registers of user mode and a copy of the user's stack (struct knc_pmu_stack):
 * from them and the tables of its file a reader finds the callers of a program that was compiled
 * without frame pointers
 */
#define KNC_PMU_CONFIG_STACK	(1U << 10)
/*
 * The rings have a record when a followed task leaves its hardware thread, and when it is back on
 * one: KNC_PMU_RECORD_SWITCH_OUT and _IN
 */
#define KNC_PMU_CONFIG_SWITCHES	(1U << 11)
#define KNC_PMU_CONFIG_FLAGS	((1U << 12) - 1)

/**
 * struct knc_pmu_config - what to count where (KNC_PMU_IOC_CONFIG)
 * @pmu: which PMU counts; KNC_PMU_DEFAULT or an @id of INFO
 * @flags: KNC_PMU_CONFIG_*
 * @cpus: address of a mask of hardware threads: bit n % 8 of byte n / 8 is CPU n of the kernel.
 *	With PIDS, address of an array of __s32; with TASK and no PIDS, 0
 * @events: address of an array of struct knc_pmu_event; CONFIG writes @counter of each element
 * @cpus_size: bytes of the mask, 1 to KNC_PMU_MAX_CPUS / 8. With PIDS, bytes of the array of 1 to
 *	KNC_PMU_MAX_PIDS elements; with TASK and no PIDS, 0
 * @nr_events: number of events, 1 to KNC_PMU_MAX_SET
 * @event_size: sizeof(struct knc_pmu_event)
 * @pid: with TASK, the id of the thread to follow, in the caller's pid namespace; 0: the calling
 *	thread. With PIDS, or without TASK, 0
 * @sample_interval: ns from one time sample to the next, KNC_PMU_MIN_INTERVAL to
 *	KNC_PMU_MAX_INTERVAL; 0: none
 * @max_frames: frames of each call chain, 1 to KNC_PMU_MAX_FRAMES; 0 without CHAIN_*
 * @ring_size: bytes of records in each ring, a power of two from KNC_PMU_MIN_RING to
 *	KNC_PMU_MAX_RING; 0 without samples
 * @watermark: poll() reports a ring with at least this many unread bytes, 1 to @ring_size; 0: half
 *	of @ring_size
 * @reserved: 0
 * @reason: enum knc_pmu_reason; it names those of the following fields that have a meaning, out
 * @reason_event: index of an event in @events, out
 * @reason_other: index of a second event; with PIDS, index of the refused task in @cpus, out
 * @reason_cpu: a hardware thread, out
 * @reason_counter: a counter, out
 * @reason_pid: a process, in the caller's pid namespace; 0: not visible from there, out
 * @stack_size: with STACK, the most bytes of a copy of the user's stack, a multiple of 8 up to
 *	KNC_PMU_MAX_STACK; otherwise 0
 * @reserved1: 0
 *
 * After CONFIG the counts are 0, and the session is stopped. A session is configured once.
 *
 * A core-wide event also counts what other tasks do on the other hardware threads of the core, as
 * it does in perf.
 *
 * Every followed task has its own USER_PREF, from CONFIG on, whether the session is started or not:
 * SPFLT of one task never changes the counts of another. A new task begins with its creator's
 * USER_PREF. A task is followed until it ends. A session that was configured without CAP_PERFMON
 * also leaves a task that executes a program which is set-user-ID, or which its user may not read
 * (KNC_PMU_THREAD_PARTIAL). The session keeps what it counted until then.
 *
 * Sessions that follow tasks share counters with each other, on all hardware threads, because a
 * hardware thread runs one task at a time. They never share one with a session on hardware threads.
 */
struct knc_pmu_config {
	__u32 pmu;
	__u32 flags;
	__u64 cpus;
	__u64 events;
	__u32 cpus_size;
	__u32 nr_events;
	__u32 event_size;
	__s32 pid;
	__u64 sample_interval;
	__u32 max_frames;
	__u32 ring_size;
	__u32 watermark;
	__u32 reserved;
	__u32 reason;
	__u32 reason_event;
	__u32 reason_other;
	__u32 reason_cpu;
	__u32 reason_counter;
	__s32 reason_pid;
	__u32 stack_size;
	__u32 reserved1;
};

/* struct knc_pmu_thread @flags */
#define KNC_PMU_THREAD_OFFLINE	(1U << 0)	/* offline: the counts end when it went */
/*
 * time_running is less than time_enabled, because counts are missing:
 * - the hardware thread was offline, or
 * - it lost its registers while it counted, because its core was switched off or reset: up to a
 *   tenth of a second of counts is missing
 */
#define KNC_PMU_THREAD_GAP	(1U << 1)
/*
 * The task has ended. Of a sum: no task is followed any more, because each has ended, or was left
 * at an exec (then with PARTIAL)
 */
#define KNC_PMU_THREAD_ENDED	(1U << 2)
/*
 * Something of a task, or of a level, was not counted:
 * - a new task is not followed: there was no memory, or another session has its counter
 * - the session left a task at an exec (struct knc_pmu_config)
 * - a task ran on a hardware thread that was not online for the module
 * - a hardware thread lost its registers while a task ran there
 * - the program for which ON_EXEC waited got no permission for RDPMC
 * - of a level: another program has changed the RMID of a hardware thread
 */
#define KNC_PMU_THREAD_PARTIAL	(1U << 3)
#define KNC_PMU_THREAD_EVICTED	(1U << 4)	/* evicted: the counts end there */
/* Of a level: the hardware has no reading now, or none for this RMID; @value is 0, and no answer */
#define KNC_PMU_THREAD_UNAVAILABLE (1U << 5)
#define KNC_PMU_THREAD_ERROR	(1U << 6)	/* of a level: the hardware reports an error */

/**
 * struct knc_pmu_thread - counts of one hardware thread or task, a record of READ
 * @cpu: CPU number of the hardware thread. With KNC_PMU_READ_TASKS, the thread id of the task in
 *	the caller's pid namespace, 0 if it is not visible there. In a sum, KNC_PMU_NO_CPU
 * @flags: KNC_PMU_THREAD_*
 * @nr_events: number of events of the session
 * @tsc: time stamp counter of the hardware thread when it was read, core clock cycles; 0 if it is
 *	offline, or in records of tasks
 * @time: CLOCK_MONOTONIC of READ, the same in all records, ns
 * @time_enabled: time for which the session was started, ns; of a task only while it ran
 * @time_running: the part of @time_enabled in which the counters counted, ns
 * @value: a count for each event, in the order of CONFIG; it can have more than 16 elements
 *
 * A record may be shorter or longer than this struct. @value has @nr_events elements, up to
 * KNC_PMU_MAX_SET: in a session with several groups that can be more than the 16 declared here. A
 * record has KNC_PMU_THREAD_SIZE(@nr_events) bytes, and the next one begins right after it. With
 * several groups it has KNC_PMU_SET_SIZE(@nr_events) bytes: after the counts comes for each event
 * the time for which it was counted, ns (__u64), by the time stamp counter. A compiler may assume
 * that an index of @value is below 16, therefore:
 *
 *	const __u64 *value = record->value;
 *	count = value[20];
 *	time_counted = value[record->nr_events + 20];
 *
 * A session that follows tasks has one record, the sum of all tasks.
 *
 * A session on a PMU with levels has a record for each L3 that its hardware threads use, or for
 * each L3 if it follows tasks. @cpu is then a hardware thread that uses that L3, and @value a level
 * in bytes.
 */
struct knc_pmu_thread {
	__u32 cpu;
	__u16 flags;
	__u16 nr_events;
	__u64 tsc;
	__u64 time;
	__u64 time_enabled;
	__u64 time_running;
	__u64 value[KNC_PMU_MAX_EVENTS];
};

/* Bytes of a record of a session with n events in one group; in several groups */
#define KNC_PMU_THREAD_SIZE(n)						\
	(sizeof(struct knc_pmu_thread) - 8 * KNC_PMU_MAX_EVENTS + 8 * (n))
#define KNC_PMU_SET_SIZE(n)	KNC_PMU_THREAD_SIZE(2 * (n))

/* struct knc_pmu_read @flags */
/* Leave @time, @time_enabled and @time_running 0, which saves about a fifth of the cost */
#define KNC_PMU_READ_COUNTS	(1U << 0)
/*
 * A record for each task, with its thread id as @cpu. First the tasks that are followed now, in the
 * order in which the session began to follow them. Then, in a session with KEEP, the ended tasks in
 * the order in which they ended, with KNC_PMU_THREAD_ENDED. The last record is the sum of all other
 * tasks that are not followed any more.
 */
#define KNC_PMU_READ_TASKS	(1U << 1)
/*
 * With READ_TASKS: each record is followed by the name of its task, KNC_PMU_NAME_SIZE bytes, the
 * last of which is 0. The name of the sum is empty.
 */
#define KNC_PMU_READ_NAMES	(1U << 2)
/* STOP first, in the same call: the session stopped at these counts */
#define KNC_PMU_READ_STOP	(1U << 3)
/* START afterwards, in the same call: the session goes on from these counts */
#define KNC_PMU_READ_START	(1U << 4)
#define KNC_PMU_READ_FLAGS	((1U << 5) - 1)

/**
 * struct knc_pmu_read - read all counts (KNC_PMU_IOC_READ)
 * @buffer: address of memory for the records (struct knc_pmu_thread): one for each hardware thread
 *	of the session, in ascending order, or the records of tasks
 * @buffer_size: bytes of that memory
 * @flags: KNC_PMU_READ_*
 * @reserved: 0
 *
 * All hardware threads read their counters in parallel. The session may be started or stopped.
 *
 * READ_STOP and READ_START exclude each other, and READ_TASKS excludes both. STOP of a stopped
 * session and START of a started one do nothing: READ is as without the flag. If the records can't
 * be written (EFAULT, or ENOMEM if a page of @buffer is not there yet), the session is stopped, or
 * started, nevertheless. After any other error it is as it was.
 */
struct knc_pmu_read {
	__u64 buffer;
	__u64 buffer_size;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct knc_pmu_page - lets a task read its own counts without a system call
 * @seq: changes whenever another field does; odd: use READ instead
 * @nr_events: number of events of the session
 * @time_enabled: add it to the time stamp counter: the sum is the ticks in which the task was on a
 *	hardware thread while the session was started
 * @time_running: likewise: the ticks in which the task was counted
 * @tsc_khz: ticks of the time stamp counter in a millisecond, at present: it counts core clocks
 *	(327357 1.3.1)
 * @width: bits of a counter
 * @counter: for each event, the counter that counts it now
 * @offset: for each event, add it to that counter, read with RDPMC and sign-extended from @width to
 *	64 bits
 *
 * A session has a page if it has RDPMC and TASK, neither PROCESS nor INHERIT, one group of events
 * and no samples. The page is mapped with
 *
 *	mmap(NULL, page size, PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET)
 *
 * Only the task that is followed may use it: another task would read its own counters. A process
 * that the task forks does not have the mapping. The kernel changes the page only while the task
 * does not run in user mode: values that are read between two equal, even values of @seq belong
 * together. knc_read() of knc/ring3.h does that, and so does:
 *
 *	static int knc_page_read(const struct knc_pmu_page *page, unsigned int event, __u64 *count)
 *	{
 *		__u32 seq, low, high, n, unused = 64 - page->width;
 *
 *		do {
 *			seq = __atomic_load_n(&page->seq, __ATOMIC_ACQUIRE);
 *			if (seq & 1)
 *				return -1;
 *			n = page->counter[event];
 *			if (n >= 32)
 *				n += 0x40000000 - 32;
 *			__asm__ __volatile__("rdpmc" : "=a" (low), "=d" (high) : "c" (n)
 *					     : "memory");
 *			*count = ((__u64)high << 32 | low) << unused;
 *			*count = (__u64)((__s64)*count >> unused) + page->offset[event];
 *			__atomic_signal_fence(__ATOMIC_ACQUIRE);
 *		} while (__atomic_load_n(&page->seq, __ATOMIC_RELAXED) != seq);
 *		return 0;
 *	}
 *
 * -1 tells the caller to use READ. Counters from 32 on are the fixed ones of a host.
 *
 * mmap() errors: ENODATA: not configured; EINVAL: no page, or a wrong offset or length; EPERM: not
 * MAP_SHARED, or PROT_WRITE.
 */
struct knc_pmu_page {
	__u32 seq;
	__u32 nr_events;
	__u64 time_enabled;
	__u64 time_running;
	__u32 tsc_khz;
	__u32 width;
	__u32 counter[KNC_PMU_MAX_EVENTS];
	__u64 offset[KNC_PMU_MAX_EVENTS];
};

#define KNC_PMU_PAGE_OFFSET	(1ULL << 40)	/* beyond every ring */

/**
 * struct knc_pmu_grant - a process that may execute RDPMC (KNC_PMU_IOC_GRANTS)
 * @pid: the process, in the caller's pid namespace, out
 * @session_pid: the process that configured the session; 0: not visible from there, out
 */
struct knc_pmu_grant {
	__s32 pid;
	__s32 session_pid;
};

/* What the number of a register is: an MSR, an offset in the local APIC, a control register */
enum knc_pmu_space { KNC_PMU_SPACE_MSR, KNC_PMU_SPACE_APIC, KNC_PMU_SPACE_CR };

/**
 * struct knc_pmu_reg - a register and its value
 * @number: its number, out; KNC_REGISTERS of knc/registers.h has the names
 * @space: enum knc_pmu_space, out
 * @value: its value, out
 */
struct knc_pmu_reg {
	__u32 number;
	__u32 space;
	__u64 value;
};

/**
 * struct knc_pmu_regs - the registers of a PMU (KNC_PMU_IOC_REGS)
 * @pmu: which PMU; KNC_PMU_DEFAULT
 * @cpu: the hardware thread
 * @regs: an array of struct knc_pmu_reg
 */
struct knc_pmu_regs {
	__u32 pmu;
	__u32 cpu;
	struct knc_pmu_list regs;
};

#define KNC_PMU_OWNER_SESSION	(1U << 0)	/* the counter belongs to a session */
/* The counter belongs to sessions that follow tasks, or they keep it free because of RDPMC */
#define KNC_PMU_OWNER_TASKS	(1U << 1)

/**
 * struct knc_pmu_owner - the owner of a counter (KNC_PMU_IOC_OWNER)
 * @pmu: which PMU; KNC_PMU_DEFAULT
 * @cpu: the hardware thread
 * @counter: the counter
 * @flags: KNC_PMU_OWNER_*, out
 * @pid: the process that configured the session, in the caller's pid namespace; 0: not visible
 *	there. The process may have ended and left the session to a child. If several sessions that
 *	follow tasks have the counter, the process of the oldest of them; out
 * @reserved: 0
 */
struct knc_pmu_owner {
	__u32 pmu;
	__u32 cpu;
	__u32 counter;
	__u32 flags;
	__s32 pid;
	__u32 reserved;
};

/**
 * struct knc_pmu_ring - the first page of a ring
 * @data_offset: bytes from here to the records
 * @data_size: bytes of records: @ring_size of CONFIG
 * @cpu: CPU number of the hardware thread
 * @nr_events: number of events of the session
 * @head: bytes written so far; the kernel writes it after the records
 * @samples: event samples produced so far, in the ring or lost
 * @lost: event samples that were lost because the ring was full. A time sample is never lost: the
 *	next one includes its counts, and @missed counts it
 * @throttles: how often samples of this hardware thread were throttled, the sum over events
 * @reserved: 0
 * @tail: bytes read so far; the reader writes it after it has read the records, and writes nothing
 *	else here. A wrong value harms only the session's own records
 * @reserved1: 0
 * @lost_events: for each event, the sum of @period of the lost samples
 * @unsampled: for each event, what was counted while its samples were throttled, or at the very
 *	moment of STOP. A session that may not look at the kernel also has overflows here at which
 *	the program's address is not known: while the kernel is entered, switches to the task, or
 *	executes a new program
 * @switches: records of context switches produced so far, in the ring or lost
 * @lost_switches: those of them that were lost because the ring was full
 *
 * A session that samples has a ring for each of its hardware threads. If it follows tasks it has
 * one for each possible hardware thread, with the samples of the tasks while they ran there. Ring
 * i, in ascending order of hardware threads, is mapped with
 *
 *	mmap(NULL, page + ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *	     i * (page + ring_size))
 *
 * where page is the size of a page. A reader acquires @head before it reads records, and releases
 * @tail after that. Sizes are multiples of 8 bytes, and no record wraps around, because
 * KNC_PMU_RECORD_PAD fills the end:
 *
 *	static void knc_ring_read(struct knc_pmu_ring *ring,
 *				  void (*use)(const struct knc_pmu_record *record))
 *	{
 *		const char *data = (const char *)ring + ring->data_offset;
 *		__u64 head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
 *		__u64 tail = ring->tail;
 *		const struct knc_pmu_record *record;
 *
 *		while (tail != head) {
 *			record = (const struct knc_pmu_record *)(data + tail % ring->data_size);
 *			if (record->type != KNC_PMU_RECORD_PAD)
 *				use(record);
 *			tail += record->size;
 *		}
 *		__atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
 *	}
 *
 * When a session is stopped, the counts add up: for each sampled event, the sum of @period of all
 * its samples, @lost_events and @unsampled differs by less than one period from its count since
 * CONFIG. In a session that follows tasks, take the sum over all rings; it differs by less than one
 * period for each task. (With pmi=irq a sample that was due while interrupts were off may come just
 * after STOP.)
 *
 * Losses are reported before the next sample that has room, or at STOP (struct knc_pmu_lost).
 *
 * mmap() errors: ENODATA: not configured; EINVAL: the session does not sample, or a wrong offset or
 * length; EPERM: not MAP_SHARED.
 */
struct knc_pmu_ring {
	__u64 data_offset;
	__u64 data_size;
	__u32 cpu;
	__u32 nr_events;
	__u64 head;
	__u64 samples;
	__u64 lost;
	__u64 throttles;
	__u64 reserved;
	__u64 tail;
	__u64 reserved1[7];
	__u64 lost_events[KNC_PMU_MAX_EVENTS];
	__u64 unsampled[KNC_PMU_MAX_EVENTS];
	__u64 switches;
	__u64 lost_switches;
};

/**
 * enum knc_pmu_record_type - types of records in a ring
 * @KNC_PMU_RECORD_PAD: fills the ring up to its end; skip it
 * @KNC_PMU_RECORD_SAMPLE: struct knc_pmu_sample
 * @KNC_PMU_RECORD_TIME: struct knc_pmu_time_sample
 * @KNC_PMU_RECORD_LOST: struct knc_pmu_lost
 * @KNC_PMU_RECORD_THROTTLE: struct knc_pmu_throttle: an event has no samples from here on
 * @KNC_PMU_RECORD_UNTHROTTLE: struct knc_pmu_throttle: the event has samples again
 * @KNC_PMU_RECORD_SWITCH_OUT: struct knc_pmu_sample: a followed task leaves the hardware thread
 * @KNC_PMU_RECORD_SWITCH_IN: struct knc_pmu_sample: a followed task is on the hardware thread
 *
 * A reader skips records of types that it does not know.
 */
enum knc_pmu_record_type {
	KNC_PMU_RECORD_PAD,
	KNC_PMU_RECORD_SAMPLE,
	KNC_PMU_RECORD_TIME,
	KNC_PMU_RECORD_LOST,
	KNC_PMU_RECORD_THROTTLE,
	KNC_PMU_RECORD_UNTHROTTLE,
	KNC_PMU_RECORD_SWITCH_OUT,
	KNC_PMU_RECORD_SWITCH_IN
};

/**
 * struct knc_pmu_record - the head of every record
 * @type: enum knc_pmu_record_type
 * @size: bytes of the record, a multiple of 8
 * @cpu: the hardware thread; undefined in a KNC_PMU_RECORD_PAD
 */
struct knc_pmu_record {
	__u16 type;
	__u16 size;
	__u32 cpu;
};

/* struct knc_pmu_sample, knc_pmu_time_sample @flags */
#define KNC_PMU_SAMPLE_USER	(1U << 0)	/* @ip is an address of user mode */
/* Only of struct knc_pmu_sample: after the addresses follows a struct knc_pmu_stack */
#define KNC_PMU_SAMPLE_STACK	(1U << 1)
/*
 * Only of KNC_PMU_RECORD_SWITCH_OUT: the task could run on: it was preempted, or has yielded. Or it
 * waits and no signal wakes it, for a disk for example. With neither flag it sleeps
 */
#define KNC_PMU_SAMPLE_RUNNABLE	(1U << 2)
#define KNC_PMU_SAMPLE_BLOCKED	(1U << 3)

/**
 * struct knc_pmu_sample - an event has occurred @period times
 * @record: KNC_PMU_RECORD_SAMPLE
 * @ip: address of the first or second instruction after the one that caused the last occurrence
 *	(327357: the interrupt comes between instructions). In a session that may not look at the
 *	kernel, the address at which the task continues in user mode
 * @pid: process, in the pid namespace of the process that configured the session (0: idle, or not
 *	visible there)
 * @tid: thread, likewise. In a session that follows tasks, @pid and @tid are of the followed task
 *	even if the kernel was just switching to it; such a sample has no call chain
 * @counter: the counter
 * @event: index of the event in CONFIG
 * @flags: KNC_PMU_SAMPLE_*. The mode of @ip need not be one in which the event counts: the
 *	instruction before may have changed the mode
 * @reserved: 0
 * @nr_kernel: frames of the call chain in kernel mode; the first is @ip, if @ip is in the kernel
 * @nr_user: frames of the call chain in user mode
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns; computed from @tsc, whose rate is measured every hundredth of a
 *	second. It may be some microseconds off, and then earlier than in the record before
 * @period: number of occurrences that the sample stands for
 *
 * @nr_kernel and then @nr_user addresses (__u64) follow, innermost first. They begin right after
 * @period: this struct never grows. @flags say what follows them; a reader skips the rest of
 * @record.size.
 *
 * With KNC_PMU_CONFIG_SWITCHES it is the record of a context switch too: @counter is 0, and @event
 * the number of events of the session. KNC_PMU_RECORD_SWITCH_OUT: @period is 0; @ip is the address
 * at which the task continues in user mode, 0 if that is not known; the chain of user mode and the
 * copy of the stack are those of a sample, and there is no chain of kernel mode.
 * KNC_PMU_RECORD_SWITCH_IN: @ip is 0 and no address follows; @period is the time since the task has
 * left a hardware thread, ns, also if the record of that was lost; 0: this is the first record of
 * the task since START. A task that ends, and STOP, write none.
 */
struct knc_pmu_sample {
	struct knc_pmu_record record;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u8 counter;
	__u8 event;
	__u8 flags;
	__u8 reserved;
	__u16 nr_kernel;
	__u16 nr_user;
	__u64 tsc;
	__u64 time;
	__u64 period;
};

/* Bytes that a sample with call chains of up to n frames may need in the ring */
#define KNC_PMU_SAMPLE_SIZE(n)	(sizeof(struct knc_pmu_sample) + 8 * (2 * (n) + 16))

/* struct knc_pmu_stack @flags: why there is no copy, or less of it than asked for */
#define KNC_PMU_STACK_32BIT	(1U << 0)	/* no such reason: it is a 32-bit program */
/* The kernel was just entered or left, and not all registers were saved: @regs are 0 */
#define KNC_PMU_STACK_NO_REGS	(1U << 1)
#define KNC_PMU_STACK_NO_ROOM	(1U << 2)	/* the ring had no room for the copy */
#define KNC_PMU_STACK_ABSENT	(1U << 3)	/* the rest was not in memory, or not mapped */

/* Elements of @regs have DWARF's numbers: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15 rip */
#define KNC_PMU_STACK_REGS	17
#define KNC_PMU_STACK_BP	6
#define KNC_PMU_STACK_SP	7
#define KNC_PMU_STACK_IP	16

/**
 * struct knc_pmu_stack - the registers of user mode, and a copy of the user's stack
 * @flags: KNC_PMU_STACK_*
 * @size: bytes of the copy, which follows: a multiple of 8, at most @stack_size of CONFIG
 * @regs: the registers; of a program of 32 bits, their lower halves
 *
 * The copy begins at the stack pointer, @regs[KNC_PMU_STACK_SP]. It ends with the stack that the
 * program was started with, at a page that is not in memory, or with @stack_size. If the kernel was
 * interrupted, @regs are those with which the program continues.
 */
struct knc_pmu_stack {
	__u32 flags;
	__u32 size;
	__u64 regs[KNC_PMU_STACK_REGS];
};

/* Bytes that a copy of up to n bytes needs in the ring, besides KNC_PMU_SAMPLE_SIZE */
#define KNC_PMU_STACK_SIZE(n)	(sizeof(struct knc_pmu_stack) + (n))

/**
 * struct knc_pmu_time_sample - @sample_interval has passed
 * @record: KNC_PMU_RECORD_TIME
 * @ip: address of the instruction that was interrupted
 * @pid: process, as in struct knc_pmu_sample
 * @tid: thread
 * @flags: KNC_PMU_SAMPLE_*
 * @nr_events: events of the session
 * @missed: intervals without a record since the last time sample: the interrupt came late, or the
 *	ring was full
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns
 * @delta: for each event, its count since the last time sample in the ring, or since CONFIG
 *
 * The record has KNC_PMU_TIME_SIZE(@nr_events) bytes.
 */
struct knc_pmu_time_sample {
	struct knc_pmu_record record;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u16 flags;
	__u16 nr_events;
	__u32 missed;
	__u64 tsc;
	__u64 time;
	__u64 delta[KNC_PMU_MAX_EVENTS];
};

#define KNC_PMU_TIME_SIZE(n)						\
	(sizeof(struct knc_pmu_time_sample) - 8 * KNC_PMU_MAX_EVENTS + 8 * (n))

/**
 * struct knc_pmu_lost - samples are missing here because the ring was full
 * @record: KNC_PMU_RECORD_LOST
 * @samples: number of lost samples
 * @time: CLOCK_MONOTONIC when the first of them was lost, ns
 * @nr_events: events of the session
 * @reserved: 0
 * @events: for each event, the sum of @period of the lost samples
 *
 * The record has KNC_PMU_LOST_SIZE(@nr_events) bytes.
 */
struct knc_pmu_lost {
	struct knc_pmu_record record;
	__u64 samples;
	__u64 time;
	__u32 nr_events;
	__u32 reserved;
	__u64 events[KNC_PMU_MAX_EVENTS];
};

#define KNC_PMU_LOST_SIZE(n)						\
	(sizeof(struct knc_pmu_lost) - 8 * KNC_PMU_MAX_EVENTS + 8 * (n))

/**
 * struct knc_pmu_throttle - samples of an event are throttled, or no longer: PMIs come too fast
 * @record: KNC_PMU_RECORD_THROTTLE or KNC_PMU_RECORD_UNTHROTTLE
 * @time: CLOCK_MONOTONIC, ns
 * @event: index of the event in CONFIG
 * @reserved: 0
 * @unsampled: in KNC_PMU_RECORD_UNTHROTTLE, how many events were counted without a sample; the
 *	count stays exact
 */
struct knc_pmu_throttle {
	struct knc_pmu_record record;
	__u64 time;
	__u32 event;
	__u32 reserved;
	__u64 unsampled;
};

/**
 * struct knc_pmu_stats - overflow interrupts of a hardware thread since the module was loaded
 * (KNC_PMU_IOC_STATS)
 * @cpu: the hardware thread
 * @reserved: 0
 * @pmis: overflow interrupts handled
 * @samples: samples produced, of all sessions
 * @lost: samples that were lost because a ring was full
 * @throttles: how often samples were throttled, the sum over events
 * @spurious: overflow interrupts that found nothing to do, or that reported an overflow of another
 *	thread of the core; @pmis of that thread counts the overflow
 * @foreign: NMIs of others, passed on to the kernel's other handlers
 * @handler_max: the longest time in the handler, time stamp counter ticks
 * @handler_total: the time in the handler, time stamp counter ticks; divided by @pmis: the mean
 */
struct knc_pmu_stats {
	__u32 cpu;
	__u32 reserved;
	__u64 pmis;
	__u64 samples;
	__u64 lost;
	__u64 throttles;
	__u64 spurious;
	__u64 foreign;
	__u64 handler_max;
	__u64 handler_total;
};

/**
 * struct knc_pmu_evict - take counters away from sessions (KNC_PMU_IOC_EVICT)
 * @pmu: which PMU; KNC_PMU_DEFAULT
 * @cpu: the hardware thread; KNC_PMU_NO_CPU: all
 * @counter: the counter; KNC_PMU_NO_COUNTER: all
 * @flags: 0
 *
 * Every other session that has one of these counters is stopped and loses everything that CONFIG
 * gave it: all its counters on all hardware threads, and RDPMC. Sessions that follow tasks have
 * their counters on all hardware threads. A session that is configured while the command runs is
 * not evicted. A program that reads its page (struct knc_pmu_page) meanwhile finds @seq odd before
 * RDPMC is refused: EVICT waits up to 2 seconds for such programs.
 *
 * An evicted session keeps what it counted. READ returns it with KNC_PMU_THREAD_EVICTED, and with
 * KNC_PMU_READ_TASKS only the sum and the ended tasks of KEEP. If it samples, its rings can be read
 * and poll() reports POLLHUP; without rings poll() reports POLLERR, evicted or not. To count again,
 * open another session.
 */
struct knc_pmu_evict {
	__u32 pmu;
	__u32 cpu;
	__u32 counter;
	__u32 flags;
};

/*
 * Flag of RESET: when the session is closed, the registers become 0, as after a reset of the card,
 * instead of what they were before the session.
 */
#define KNC_PMU_RESET_REGISTERS	(1U << 0)

#define KNC_PMU_IOC_TYPE	0xbd

/*
 * Sessions on a PMU with levels need CAP_PERFMON (EPERM, without a reason). From START to STOP the
 * RMID of the session is on its hardware threads, or goes with its tasks. If resctrl is mounted
 * after CONFIG, the next READ, START or STOP fails with EBUSY, and all later ones with ECANCELED.
 * RESET, and for that PMU OWNER, REGS and EVICT, fail with EOPNOTSUPP.
 */

/*
 * The commands, with the errors of each. Errors of several commands:
 *
 * ENODEV: there is no such @pmu. ENXIO: there is no such hardware thread or counter, or for REGS
 * the hardware thread is offline. ENODATA: START, STOP, RESET or READ of a session that is not
 * configured (the other commands need no configured session). ECANCELED: START, STOP, RESET, or
 * READ with KNC_PMU_READ_STOP or _START, of a session that was evicted.
 */

/* Returns the number of PMUs. */
#define KNC_PMU_IOC_INFO	_IOWR(KNC_PMU_IOC_TYPE, 0x00, struct knc_pmu_info)

/*
 * Errors with a reason: see enum knc_pmu_reason. Without a reason: EALREADY: the session was
 * configured before, or evicted; EBUSY: another session follows a thread that was created during
 * CONFIG; EMFILE, EDQUOT, ENFILE: too many grants, beyond KNC_PMU_MAX_GRANTS,
 * KNC_PMU_MAX_USER_GRANTS or KNC_PMU_MAX_ALL_GRANTS (or the rest is reserved for CAP_PERFMON);
 * EINTR: the caller was killed while CONFIG searched for the threads of a process; ENOMEM. EFAULT
 * also if @events or the struct can't be written; EINVAL also for an @event_size of 0, E2BIG for
 * one above a page. After any error but EALREADY the session is not configured.
 */
#define KNC_PMU_IOC_CONFIG	_IOWR(KNC_PMU_IOC_TYPE, 0x01, struct knc_pmu_config)

/*
 * Start and stop counting on every hardware thread of the session or for every task that it
 * follows. START of a started session and STOP of a stopped one do nothing. The argument is 0.
 */
#define KNC_PMU_IOC_START	_IO(KNC_PMU_IOC_TYPE, 0x02)
#define KNC_PMU_IOC_STOP	_IO(KNC_PMU_IOC_TYPE, 0x03)

/*
 * Sets counts and times to 0; the session remains started, or stopped. The argument is
 * KNC_PMU_RESET_*. Errors: EBUSY: KNC_PMU_RESET_REGISTERS, but the session does not have all
 * counters of its hardware threads.
 */
#define KNC_PMU_IOC_RESET	_IO(KNC_PMU_IOC_TYPE, 0x04)

/*
 * Returns the number of records. Errors: ENOSPC: @buffer_size is too small; EINVAL: also for
 * KNC_PMU_READ_TASKS of a session on hardware threads, and for flags that exclude each other;
 * ENOMEM.
 */
#define KNC_PMU_IOC_READ	_IOW(KNC_PMU_IOC_TYPE, 0x05, struct knc_pmu_read)

/*
 * Returns the number of registers; none of them is written. Errors: EPERM: the caller lacks
 * CAP_PERFMON; EOPNOTSUPP: the PMU is not that of the hardware threads.
 */
#define KNC_PMU_IOC_REGS	_IOW(KNC_PMU_IOC_TYPE, 0x06, struct knc_pmu_regs)

#define KNC_PMU_IOC_OWNER	_IOWR(KNC_PMU_IOC_TYPE, 0x07, struct knc_pmu_owner)

/*
 * The entries are a struct knc_pmu_stats for each possible hardware thread, in ascending order.
 * Returns their number. Errors: EPERM: the caller lacks CAP_PERFMON.
 */
#define KNC_PMU_IOC_STATS	_IOW(KNC_PMU_IOC_TYPE, 0x08, struct knc_pmu_list)

/*
 * The entries are a struct knc_pmu_grant for each process that may execute RDPMC, by ascending pid:
 * with CAP_PERFMON all processes in the caller's pid namespace, otherwise those of its user.
 * Returns their number. Errors: ENOMEM; EINTR: the caller was killed.
 */
#define KNC_PMU_IOC_GRANTS	_IOW(KNC_PMU_IOC_TYPE, 0x09, struct knc_pmu_list)

/*
 * Returns the number of evicted sessions. Errors: EPERM: the caller lacks CAP_PERFMON; EINTR: the
 * caller was killed; EOPNOTSUPP: the PMU is not that of the hardware threads. A session on an
 * uncore can't be evicted: OWNER names the process that must close it.
 */
#define KNC_PMU_IOC_EVICT	_IOW(KNC_PMU_IOC_TYPE, 0x0a, struct knc_pmu_evict)

#endif /* KNC_PMU_H */
