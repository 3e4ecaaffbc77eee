/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * knc_pmu: performance counters through /dev/knc_pmu, version 1 of the ABI
 *
 * An open file is a session: it counts events on a set of hardware threads, or for a task and the
 * tasks that it creates. If the events need more counters than there are, they are multiplexed in
 * groups. To count the instructions of the caller in user mode:
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
 * session the registers hold again what they held before.
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
 * - There are no holes, and 32-bit programs have the same structs.
 *
 * Every command fails with EFAULT for a bad address, EINVAL for a flag that is not defined or a
 * reserved field that is not 0, E2BIG for a longer struct with unknown fields in use, and ENOTTY
 * for an unknown command. The definitions of the commands, at the end, have their other errors.
 */
#ifndef KNC_PMU_H
#define KNC_PMU_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KNC_PMU_DEVICE		"/dev/knc_pmu"

/* Bounds of what one session may ask for */
#define KNC_PMU_MAX_EVENTS	16	/* at the same time, on any PMU */
#define KNC_PMU_MAX_SET		32	/* events of a session, in groups */
#define KNC_PMU_MAX_KEPT	1024	/* tasks that have ended, of a session with KEEP */
#define KNC_PMU_NAME_SIZE	16	/* of KNC_PMU_READ_NAMES */
#define KNC_PMU_MAX_CPUS	8192	/* bits of a hardware thread mask */
#define KNC_PMU_MAX_PIDS	256	/* tasks or processes that share an RMID */
#define KNC_PMU_MAX_PERIOD	(1ULL << 39)	/* events between two samples */
#define KNC_PMU_MAX_FREQ	100000	/* samples a second of a hardware thread, which
					 * is throttled long before its interrupts
					 * take all of its time
					 */
#define KNC_PMU_MAX_FRAMES	127	/* of each call chain of a sample */
#define KNC_PMU_MIN_RING	4096	/* bytes of records in a ring */
#define KNC_PMU_MAX_RING	(4U << 20)
#define KNC_PMU_MIN_INTERVAL	100000ULL	/* between time samples, ns */
#define KNC_PMU_MAX_INTERVAL	1000000000000ULL
/* A grant: one process may execute RDPMC because of one session */
#define KNC_PMU_MAX_GRANTS	16	/* of a process */
#define KNC_PMU_MAX_ALL_GRANTS	8192	/* of all processes; a process that is forked
					 * beyond that gets none
					 */
#define KNC_PMU_MAX_USER_GRANTS	1024	/* from all sessions of a user without
					 * CAP_PERFMON; as many are reserved for
					 * callers with it
					 */

/* Instead of a number: no hardware thread, or all; all counters */
#define KNC_PMU_NO_CPU		(~0U)
#define KNC_PMU_NO_COUNTER	(~0U)

/**
 * struct knc_pmu_list - room for entries that a command writes
 * @entries: its address
 * @nr: number of entries that fit
 * @size: bytes of an entry
 *
 * The command returns the number of entries that exist, which may be more than @nr.
 */
struct knc_pmu_list {
	__u64 entries;
	__u32 nr;
	__u32 size;
};

/* @features: what the module can do, and on which PMU */
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
#define KNC_PMU_FEATURE_ON_EXEC	(1ULL << 10)	/* exec is seen: tasks without CAP_SYS_ADMIN */
#define KNC_PMU_FEATURE_LEVELS	(1ULL << 11)	/* its events are levels, in bytes, no counts */
/* The module was loaded with any_counter=1: @counters of an event may be any, to try them */
#define KNC_PMU_FEATURE_ANY_COUNTER (1ULL << 12)
#define KNC_PMU_FEATURE_LIMIT	(1ULL << 13)	/* rates of samples can be limited: EVENT_LIMIT */

/* @pmu of all structs: the core PMU of the hardware threads. Other values: an @id of INFO */
#define KNC_PMU_DEFAULT		0

/* The part of the machine that has a PMU of its own */
enum knc_pmu_scope {
	KNC_PMU_SCOPE_THREAD, KNC_PMU_SCOPE_CORE, KNC_PMU_SCOPE_PACKAGE, KNC_PMU_SCOPE_L3
};

/**
 * struct knc_pmu_desc - a PMU of this machine, as INFO lists them
 * @id: its number in @pmu of other structs, from 1, out
 * @scope: enum knc_pmu_scope, out
 * @name: "knc", "arch" or "westmere"; "uncore"; "cmt", out
 * @counters: mask of its counters; 0 of a PMU with levels, out
 * @features: KNC_PMU_FEATURE_* that its sessions can have, out
 * @nr_counters: counters that can be programmed; of a PMU with levels, RMIDs for sessions, out
 * @width: bits of each, out
 * @nr_fixed: counters that can count one event only, out
 * @fixed_width: bits of each, out
 * @unit: of a PMU with levels: they are multiples of so many bytes, out
 * @size: likewise: bytes of the whole, an L3, out
 *
 * The first one is that of the hardware threads. "uncore" is there on a host whose packages have a
 * PMU that the module knows. "cmt" is there if CPUID leaf 0xF has monitoring of the L3: a session
 * on it has an RMID, and its only event, 1, is the bytes of each L3 that belong to lines which its
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
 * @pmus: room for struct knc_pmu_desc
 * @features: KNC_PMU_FEATURE_*, out
 * @nr_threads: highest possible CPU number + 1, out
 * @nr_online: hardware threads online, out
 * @threads_per_core: hardware threads of a core, out
 * @nr_sessions: sessions on the machine that have counters: configured, and not evicted; out
 * @tsc_khz: rate of the time stamp counter where the caller runs, as last measured (while any
 *	session has counters), or else as the kernel found it at boot, out
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
 * @sample_period with LIMIT: a sample every so many events, but while more than @hz samples a
 * second of a hardware thread or task would come, the period is longer. The other two take it
 * apart, and also one without LIMIT: its rate is 0.
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
 * @counters: mask of the counters that may count it; 0: any that can
 * @sample_period: with SAMPLE: events from one sample to the next, 1 to KNC_PMU_MAX_PERIOD; with
 *	SAMPLE and FREQ: samples a second, 1 to KNC_PMU_MAX_FREQ; with SAMPLE and LIMIT:
 *	KNC_PMU_LIMITED() of both; otherwise 0
 * @flags: KNC_PMU_EVENT_*; at least one of USR and OS; INV only with a cmask; THREAD_MODE not with
 *	a core-wide event
 * @cmask: counter mask: count cycles with at least this many events; 0: count the events
 *	themselves
 * @group: events of the same group are counted together, one on each counter; groups are numbered
 *	from 0 in the order in which they begin. Ignored for a pinned event
 * @counter: the counter that counts it, out
 *
 * Several groups take turns of some milliseconds: on each hardware thread, or in the running time
 * of each task. READ tells how long each event was counted.
 *
 * A code that 327357 does not list is accepted; the PMU counts nothing for a code that it does not
 * know (table 1-5). An event that only counter 0 can count is never put on another one.
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

/**
 * enum knc_pmu_reason - why CONFIG refused; append only: a reason's number never changes
 * @KNC_PMU_REASON_NONE: no refusal, or no reason besides the errno
 * @KNC_PMU_REASON_PRIVILEGE: EPERM: whole hardware threads need CAP_PERFMON (CAP_SYS_ADMIN before
 *	Linux 5.8); with TASK so do OS and THREAD_MODE of @reason_event, CHAIN_KERNEL, and any
 *	session before Linux 5.0
 * @KNC_PMU_REASON_CPU_EMPTY: EINVAL: the mask names no hardware thread
 * @KNC_PMU_REASON_CPU_NONE: ENXIO: @reason_cpu does not exist
 * @KNC_PMU_REASON_CPU_OFFLINE: ENXIO: @reason_cpu is offline
 * @KNC_PMU_REASON_EVENT_FLAGS: EINVAL: @reason_event has undefined flags, or a code, a cmask or
 *	counters that the PMU does not have
 * @KNC_PMU_REASON_EVENT_RING: EINVAL: @reason_event has neither USR nor OS
 * @KNC_PMU_REASON_EVENT_INV: EINVAL: @reason_event has INV without a cmask
 * @KNC_PMU_REASON_EVENT_THREAD_MODE: EINVAL: @reason_event is core-wide and has THREAD_MODE
 * @KNC_PMU_REASON_EVENT_COUNTER: EOPNOTSUPP: no counter that @counters names can count
 *	@reason_event
 * @KNC_PMU_REASON_EVENT_PAIR: EOPNOTSUPP: @reason_event and @reason_other need the same counter
 * @KNC_PMU_REASON_BUSY: EBUSY: @reason_counter, which @reason_event needs on @reason_cpu, belongs
 *	to a session of @reason_pid. KNC_PMU_NO_CPU: that session follows tasks, and has the counter
 *	on all hardware threads
 * @KNC_PMU_REASON_SPFLT_BUSY: EBUSY: likewise: SPFLT gates that counter, and a hardware thread has
 *	one USER_PREF, which two sessions can't share
 * @KNC_PMU_REASON_PMU_RESERVED: EBUSY: the kernel has given the counters to perf, oprofile or the
 *	NMI watchdog
 * @KNC_PMU_REASON_SAMPLE_PERIOD: EINVAL: @sample_period of @reason_event is out of range, or the
 *	rate of LIMIT is, or LIMIT is with FREQ
 * @KNC_PMU_REASON_SAMPLE_FREQ: EINVAL: @reason_event has FREQ, LIMIT or a @sample_period without
 *	SAMPLE, or there is no clock for a rate
 * @KNC_PMU_REASON_SAMPLE_INTERVAL: EINVAL: @sample_interval is out of range
 * @KNC_PMU_REASON_RING_SIZE: EINVAL: @ring_size is no power of two in its range, or less than two
 *	samples with @max_frames (KNC_PMU_SAMPLE_SIZE), or @watermark is larger than it, or one of
 *	them is not 0 in a session that does not sample
 * @KNC_PMU_REASON_FRAMES: EINVAL: @max_frames is out of range; or not 0 without CHAIN_*; or CHAIN_*
 *	without a sampled event
 * @KNC_PMU_REASON_CALLCHAIN: EOPNOTSUPP: no KNC_PMU_FEATURE_CALLCHAIN
 * @KNC_PMU_REASON_TASK_FLAGS: EINVAL: PROCESS, INHERIT, ON_EXEC or @pid without TASK, or TASK with
 *	@cpus
 * @KNC_PMU_REASON_TASK_NONE: ESRCH: there is no thread @pid, or it is about to end, or it is a
 *	thread of the kernel
 * @KNC_PMU_REASON_TASK_DENIED: EPERM: the caller lacks CAP_PERFMON, and @pid is another user's, was
 *	set-user-ID, executes a file that its user may not read, or has more capabilities
 * @KNC_PMU_REASON_TASK_BUSY: EBUSY: like BUSY: @reason_counter counts for @pid, or for another
 *	thread of its process
 * @KNC_PMU_REASON_TASK_SAMPLING: EOPNOTSUPP: @sample_interval with TASK: only sessions on hardware
 *	threads take time samples
 * @KNC_PMU_REASON_TASK_KERNEL: EOPNOTSUPP: no KNC_PMU_FEATURE_TASKS, or ON_EXEC before Linux 5.0
 * @KNC_PMU_REASON_RDPMC: EOPNOTSUPP: no KNC_PMU_FEATURE_RDPMC
 * @KNC_PMU_REASON_RDPMC_BUSY: EBUSY: like BUSY: RDPMC could also read @reason_counter, which takes
 *	CAP_PERFMON
 * @KNC_PMU_REASON_SET_GROUP: EINVAL: the group of @reason_event has more events than there are
 *	counters
 * @KNC_PMU_REASON_SET_ORDER: EINVAL: @group of @reason_event is more than one above the highest
 *	before it
 * @KNC_PMU_REASON_SET_PINNED: EINVAL: pinned @reason_event leaves no counter for the other groups,
 *	or a group leaves none for it
 * @KNC_PMU_REASON_SET_SAMPLING: EOPNOTSUPP: a session with several groups can't sample
 * @KNC_PMU_REASON_RING_MEMLOCK: ENOMEM: all rings together are more than the caller may lock in
 *	memory (RLIMIT_MEMLOCK and perf's share) without CAP_PERFMON
 * @KNC_PMU_REASON_LOCKDOWN: EPERM: the kernel is locked down (confidentiality): no samples of ring
 *	0, no time samples, no CHAIN_KERNEL
 * @KNC_PMU_REASON_UNPRIVILEGED: EPERM: module parameter unprivileged=none, and no CAP_PERFMON
 * @KNC_PMU_REASON_CORE_WIDE: EPERM: module parameter unprivileged=thread, no CAP_PERFMON, and
 *	@reason_event may count what other threads of the core do
 * @KNC_PMU_REASON_RDPMC_OFF: EOPNOTSUPP: perf's setting (see KNC_PMU_CONFIG_RDPMC) is 0, or was
 *	when the module last took the counters from perf: at the first session after a time without
 *	any, or when a hardware thread came online
 * @KNC_PMU_REASON_PMU_NONE: ENODEV: this machine has no @pmu
 * @KNC_PMU_REASON_EVENT_NONE: EINVAL: the CPU says that it does not have @reason_event (CPUID leaf
 *	0xA, EBX), or @reason_event is no level
 * @KNC_PMU_REASON_EVENT_EXTRA: EINVAL: @extra of @reason_event has reserved bits, or no request or
 *	no response; or the event has none
 * @KNC_PMU_REASON_EXTRA_PAIR: EOPNOTSUPP: @reason_event and @reason_other need one register for
 *	different second words
 * @KNC_PMU_REASON_EXTRA_BUSY: EBUSY: a session of @reason_pid has another second word in the
 *	register that @reason_event needs, on the core of @reason_cpu; KNC_PMU_NO_CPU: on all
 * @KNC_PMU_REASON_UNCORE_TASK: EOPNOTSUPP: TASK on an uncore, which counts for a whole package
 * @KNC_PMU_REASON_UNCORE_RING: EINVAL: @reason_event lacks USR or OS: an uncore counts in all rings
 * @KNC_PMU_REASON_UNCORE_SAMPLING: EOPNOTSUPP: samples on an uncore, whose overflows are not
 *	interrupts here
 * @KNC_PMU_REASON_UNCORE_BUSY: EBUSY: the uncore of @reason_cpu's package belongs to a session of
 *	@reason_pid
 * @KNC_PMU_REASON_UNCORE_FOREIGN: EBUSY: somebody else counts there: Linux's own driver (perf), or
 *	the firmware
 * @KNC_PMU_REASON_LEVEL_SAMPLING: EOPNOTSUPP: a level does not overflow: no samples of it
 * @KNC_PMU_REASON_RESCTRL: EBUSY: resctrl is mounted: it has the RMIDs
 * @KNC_PMU_REASON_RMID_BUSY: EBUSY: @reason_cpu, or with TASK the task, has the RMID of a session
 *	of @reason_pid
 * @KNC_PMU_REASON_RMID_NONE: EBUSY: sessions have all RMIDs, or hardware threads had them before
 * @KNC_PMU_REASON_RMID_DIRTY: EBUSY: of each free RMID an L3 still has lines of those who had it
 *	before, more than an L3's size divided by the number of RMIDs
 * @KNC_PMU_REASON_SELF: EPERM: module parameter unprivileged=self, no CAP_PERFMON, and the thread
 *	is of another process than the caller's
 * @KNC_PMU_REASON_RDPMC_PRIVATE: EBUSY: RDPMC takes CAP_PERFMON now: a session that has it counts
 *	ring 0 or other threads of the core for a thread of the caller's process
 * @KNC_PMU_REASON_TASK_RDPMC: EBUSY: the process of @pid may execute RDPMC because of a session
 *	without CAP_PERFMON, and could read what the events count in ring 0 or of other threads of
 *	the core
 * @KNC_PMU_REASON_CPU_STUCK: EBUSY: for two seconds hardware thread @reason_cpu had no time for a
 *	kernel thread: a real-time program uses all of it
 * @KNC_PMU_REASON_PIDS: EINVAL: PIDS without TASK, with a @pid, with no number or with too many;
 *	EOPNOTSUPP: PIDS on a PMU without levels
 */
enum knc_pmu_reason {
	KNC_PMU_REASON_NONE, KNC_PMU_REASON_PRIVILEGE, KNC_PMU_REASON_CPU_EMPTY,
	KNC_PMU_REASON_CPU_NONE, KNC_PMU_REASON_CPU_OFFLINE, KNC_PMU_REASON_EVENT_FLAGS,
	KNC_PMU_REASON_EVENT_RING, KNC_PMU_REASON_EVENT_INV, KNC_PMU_REASON_EVENT_THREAD_MODE,
	KNC_PMU_REASON_EVENT_COUNTER, KNC_PMU_REASON_EVENT_PAIR, KNC_PMU_REASON_BUSY,
	KNC_PMU_REASON_SPFLT_BUSY, KNC_PMU_REASON_PMU_RESERVED, KNC_PMU_REASON_SAMPLE_PERIOD,
	KNC_PMU_REASON_SAMPLE_FREQ, KNC_PMU_REASON_SAMPLE_INTERVAL, KNC_PMU_REASON_RING_SIZE,
	KNC_PMU_REASON_FRAMES, KNC_PMU_REASON_CALLCHAIN, KNC_PMU_REASON_TASK_FLAGS,
	KNC_PMU_REASON_TASK_NONE, KNC_PMU_REASON_TASK_DENIED, KNC_PMU_REASON_TASK_BUSY,
	KNC_PMU_REASON_TASK_SAMPLING, KNC_PMU_REASON_TASK_KERNEL, KNC_PMU_REASON_RDPMC,
	KNC_PMU_REASON_RDPMC_BUSY, KNC_PMU_REASON_SET_GROUP, KNC_PMU_REASON_SET_ORDER,
	KNC_PMU_REASON_SET_PINNED, KNC_PMU_REASON_SET_SAMPLING, KNC_PMU_REASON_RING_MEMLOCK,
	KNC_PMU_REASON_LOCKDOWN, KNC_PMU_REASON_UNPRIVILEGED, KNC_PMU_REASON_CORE_WIDE,
	KNC_PMU_REASON_RDPMC_OFF, KNC_PMU_REASON_PMU_NONE, KNC_PMU_REASON_EVENT_NONE,
	KNC_PMU_REASON_EVENT_EXTRA, KNC_PMU_REASON_EXTRA_PAIR, KNC_PMU_REASON_EXTRA_BUSY,
	KNC_PMU_REASON_UNCORE_TASK, KNC_PMU_REASON_UNCORE_RING, KNC_PMU_REASON_UNCORE_SAMPLING,
	KNC_PMU_REASON_UNCORE_BUSY, KNC_PMU_REASON_UNCORE_FOREIGN,
	KNC_PMU_REASON_LEVEL_SAMPLING, KNC_PMU_REASON_RESCTRL, KNC_PMU_REASON_RMID_BUSY,
	KNC_PMU_REASON_RMID_NONE, KNC_PMU_REASON_RMID_DIRTY, KNC_PMU_REASON_SELF,
	KNC_PMU_REASON_RDPMC_PRIVATE, KNC_PMU_REASON_TASK_RDPMC,
	KNC_PMU_REASON_CPU_STUCK, KNC_PMU_REASON_PIDS
};

/* struct knc_pmu_config @flags */
/* USER_PREF is set at first: events gated by SPFLT count until SPFLT clears it */
#define KNC_PMU_CONFIG_USER_PREF (1U << 0)
/* Samples have the call chain of user mode, or of kernel mode, by frame pointers */
#define KNC_PMU_CONFIG_CHAIN_USER (1U << 1)
#define KNC_PMU_CONFIG_CHAIN_KERNEL (1U << 2)
/* Follow thread @pid instead of counting on hardware threads */
#define KNC_PMU_CONFIG_TASK	(1U << 3)
/* ... with all other threads of its process, and those created until CONFIG returns */
#define KNC_PMU_CONFIG_PROCESS	(1U << 4)
/*
 * ... and all threads and processes that they and their descendants create. Workers of io_uring,
 * which the kernel creates for a process, are threads of it since Linux 5.12.
 */
#define KNC_PMU_CONFIG_INHERIT	(1U << 5)
/*
 * START when @pid executes a program. Another task that is followed and running at that moment
 * counts from its next context switch.
 */
#define KNC_PMU_CONFIG_ON_EXEC	(1U << 6)
/*
 * The caller's process may execute RDPMC, or with ON_EXEC the program that @pid executes. If the
 * session follows tasks, children by fork() of that process may too, even after they have changed
 * their user. A program that parent or child executes later may not. The permission ends with the
 * session. It also ends, with SIGSEGV, when perf's setting
 * (/sys/bus/event_source/devices/cpu/rdpmc) is changed to 0; while that is 2, everybody may execute
 * RDPMC.
 */
#define KNC_PMU_CONFIG_RDPMC	(1U << 7)
/* The counts of each task that ends are kept for READ_TASKS, those of the first KNC_PMU_MAX_KEPT */
#define KNC_PMU_CONFIG_KEEP	(1U << 8)
/*
 * With TASK, on a PMU with levels: a group of threads, or with PROCESS of processes, that shares
 * one RMID. @cpus is the address of an array of __s32, numbers as in @pid, and @cpus_size its
 * bytes. If one of them is refused, none is followed.
 */
#define KNC_PMU_CONFIG_PIDS	(1U << 9)
#define KNC_PMU_CONFIG_FLAGS	((1U << 10) - 1)

/**
 * struct knc_pmu_config - what to count where (KNC_PMU_IOC_CONFIG)
 * @pmu: which PMU counts; KNC_PMU_DEFAULT or an @id of INFO
 * @flags: KNC_PMU_CONFIG_*
 * @cpus: address of a mask of hardware threads: bit n % 8 of byte n / 8 is CPU n of the kernel; 0
 *	with TASK, but with PIDS that of an array of __s32
 * @events: address of an array of struct knc_pmu_event, whose @counter is out
 * @cpus_size: bytes of the mask, 1 to KNC_PMU_MAX_CPUS / 8; 0 with TASK; with PIDS bytes of the
 *	array, of 1 to KNC_PMU_MAX_PIDS elements
 * @nr_events: number of events, 1 to KNC_PMU_MAX_SET
 * @event_size: sizeof(struct knc_pmu_event)
 * @pid: with TASK: the thread to follow, in the caller's pid namespace; 0: the caller. Else, and
 *	with PIDS, 0
 * @sample_interval: ns from one time sample to the next, KNC_PMU_MIN_INTERVAL to
 *	KNC_PMU_MAX_INTERVAL; 0: none
 * @max_frames: frames of each call chain, 1 to KNC_PMU_MAX_FRAMES; 0 without CHAIN_*
 * @ring_size: bytes of records of each ring, a power of two from KNC_PMU_MIN_RING to
 *	KNC_PMU_MAX_RING; 0 without samples
 * @watermark: poll() reports a ring with this many unread bytes, 1 to @ring_size; 0: half of it
 * @reserved: 0
 * @reason: enum knc_pmu_reason, which says what the following fields mean, out
 * @reason_event: index of an event, out
 * @reason_other: index of another one; with PIDS that of a refused task in the array, out
 * @reason_cpu: a hardware thread, out
 * @reason_counter: a counter, out
 * @reason_pid: a process, in the caller's pid namespace; 0: not visible from there, out
 *
 * The counters start at zero and stopped. A session is configured once.
 *
 * A core-wide event also counts what other tasks do on the other hardware threads of the core, as
 * it does in perf.
 *
 * Every task that is followed has its own USER_PREF, from CONFIG on, started or not: SPFLT of one
 * task never changes the counts of another. A new task begins with its creator's. A task is
 * followed until it ends. A session that was configured without CAP_PERFMON also leaves it when it
 * executes a program that is set-user-ID or that its user may not read (KNC_PMU_THREAD_PARTIAL).
 * The session keeps what it counted.
 *
 * Sessions that follow tasks share their counters, which they have on all hardware threads, because
 * only one task runs there at a time. They never share one with a session on hardware threads.
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
};

/* struct knc_pmu_thread @flags */
#define KNC_PMU_THREAD_OFFLINE	(1U << 0)	/* offline: the counts end there */
/*
 * Was offline: time_running < time_enabled. Or lost its registers while it counted, because its
 * core was switched off or reset: up to a tenth of a second of counts is missing
 */
#define KNC_PMU_THREAD_GAP	(1U << 1)
#define KNC_PMU_THREAD_ENDED	(1U << 2)	/* the task has ended; of a sum: no task is followed
						 * any more, because each has ended, or was left at
						 * an exec (then with PARTIAL)
						 */
/*
 * A task was not followed, for lack of memory or because another session has its counter; or was
 * left at an exec (struct knc_pmu_config); or ran where its hardware thread was not online, or lost
 * its registers meanwhile; or the program for which ON_EXEC waited got no permission for RDPMC.
 * Of a level: another program has changed the RMID of a hardware thread
 */
#define KNC_PMU_THREAD_PARTIAL	(1U << 3)
#define KNC_PMU_THREAD_EVICTED	(1U << 4)	/* evicted: the counts end there */
/* Of a level: the hardware has none now; or none for this RMID. @value is no answer, but 0 */
#define KNC_PMU_THREAD_UNAVAILABLE (1U << 5)
#define KNC_PMU_THREAD_ERROR	(1U << 6)

/**
 * struct knc_pmu_thread - counts of one hardware thread or task, a record of READ
 * @cpu: CPU number of the hardware thread; of tasks see KNC_PMU_READ_TASKS
 * @flags: KNC_PMU_THREAD_*
 * @nr_events: events of the session
 * @tsc: its time stamp counter when it was read, core clock cycles; 0: offline, or tasks
 * @time: CLOCK_MONOTONIC of READ, the same in all records, ns
 * @time_enabled: time for which the session was started, ns; of a task only while it ran
 * @time_running: the part of it in which the counters counted, ns
 * @value: a count for each event, in the order of CONFIG
 *
 * @value has @nr_events elements: a record has KNC_PMU_THREAD_SIZE(@nr_events) bytes. In a session
 * with several groups the time for which each event was counted follows, ns (__u64), by the time
 * stamp counter: KNC_PMU_SET_SIZE(@nr_events) bytes.
 *
 * A session that follows tasks has one record, the sum of all. @cpu of a sum is KNC_PMU_NO_CPU.
 *
 * A session on a PMU with levels has a record for each L3 of its hardware threads, or for each L3
 * if it follows tasks. @cpu is then a hardware thread of that L3, and @value a level in bytes.
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
/* @time, @time_enabled and @time_running are 0, which saves about a fifth of the cost */
#define KNC_PMU_READ_COUNTS	(1U << 0)
/*
 * A record for each task that is followed now, in the order in which the session began to follow
 * them, with its thread id in the caller's pid namespace as @cpu (0: not visible from there). Of a
 * session with KEEP then one for each task that has ended and was kept, in the order in which they
 * ended, with KNC_PMU_THREAD_ENDED. The last record is the sum of all other tasks that are not
 * followed any more.
 */
#define KNC_PMU_READ_TASKS	(1U << 1)
/*
 * With READ_TASKS: each record is followed by the name of its task, KNC_PMU_NAME_SIZE bytes, which
 * end with at least one 0. The sum has an empty one.
 */
#define KNC_PMU_READ_NAMES	(1U << 2)
/* STOP in the same call: the counts are those at which the session stopped */
#define KNC_PMU_READ_STOP	(1U << 3)
/* START in the same call: the counts are those from which the session goes on */
#define KNC_PMU_READ_START	(1U << 4)
#define KNC_PMU_READ_FLAGS	((1U << 5) - 1)

/**
 * struct knc_pmu_read - read all counts (KNC_PMU_IOC_READ)
 * @buffer: address of room for the records (struct knc_pmu_thread): one for each hardware thread
 *	of the session, in ascending order, or those of tasks
 * @buffer_size: bytes of that room
 * @flags: KNC_PMU_READ_*
 * @reserved: 0
 *
 * All hardware threads read their counters in parallel. The session may be started or stopped.
 *
 * STOP and START exclude each other, and TASKS excludes both. STOP of a stopped session and START
 * of a started one do nothing: READ is as without them. If the records can't be written (EFAULT, or
 * ENOMEM if a page of @buffer is not there yet) the session is stopped, or started, all the same;
 * after any other error it is as it was.
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
 * @nr_events: events of the session
 * @time_enabled: add it to the time stamp counter for the ticks in which the task was on a hardware
 *	thread while the session was started
 * @time_running: likewise for the ticks in which the task was counted
 * @tsc_khz: present ticks of a millisecond: the time stamp counter counts core clocks (327357
 *	1.3.1)
 * @width: bits of a counter
 * @counter: for each event, the counter that counts it now
 * @offset: for each event, add it to that counter, read with RDPMC and sign-extended from @width to
 *	64 bits
 *
 * Which sessions have a page: those with RDPMC and TASK but without PROCESS and INHERIT, with one
 * group of events and without samples. It is mapped with
 *
 *	mmap(NULL, page size, PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET)
 *
 * Only the task that is followed may use it: other tasks would read counters that are not theirs. A
 * process that it forks does not have the mapping. Nothing here changes while the task executes in
 * user mode: values read between two equal even values of @seq belong together. knc_read() of
 * knc/ring3.h does all this.
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

/* A register's number is that of an MSR, an offset in the local APIC, or a control register's */
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
 * @regs: room for struct knc_pmu_reg
 */
struct knc_pmu_regs {
	__u32 pmu;
	__u32 cpu;
	struct knc_pmu_list regs;
};

#define KNC_PMU_OWNER_SESSION	(1U << 0)	/* a session has it */
/* Sessions that follow tasks have it, or keep it free because of RDPMC */
#define KNC_PMU_OWNER_TASKS	(1U << 1)

/**
 * struct knc_pmu_owner - the owner of a counter (KNC_PMU_IOC_OWNER)
 * @pmu: which PMU; KNC_PMU_DEFAULT
 * @cpu: the hardware thread
 * @counter: the counter
 * @flags: KNC_PMU_OWNER_*, out
 * @pid: the process that configured the session, in the caller's pid namespace; 0: not visible from
 *	there. It may have ended and left the session to a child. If several sessions follow
 *	tasks, that of the oldest; out
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
 * @nr_events: events of the session
 * @head: bytes written so far; the kernel writes it after the records
 * @samples: event samples produced so far: those in the ring and those lost
 * @lost: event samples that were lost because the ring was full. A time sample is never lost: the
 *	next one has its counts, and counts it in @missed
 * @throttles: how often samples of this hardware thread were throttled, the sum over events
 * @reserved: 0
 * @tail: bytes read so far; the reader writes it after it has read the records, and nothing else
 *	here. A wrong value harms only the session's own records
 * @reserved1: 0
 * @lost_events: for each event, the sum of @period of the lost samples
 * @unsampled: for each event, what was counted while its samples were throttled, or at the very
 *	moment of STOP. In a session that may not look at the kernel, also overflows at which the
 *	program's address is not known: while the kernel is entered, switches to the task, or
 *	executes a new program
 *
 * A session that samples has a ring for each of its hardware threads. If it follows tasks it has
 * one for each possible hardware thread, with the samples of the tasks while they ran there. The
 * i-th ring, in ascending order of hardware threads, is mapped with
 *
 *	mmap(NULL, page + ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *	     i * (page + ring_size))
 *
 * where page is the size of a page. The next record begins at @data_offset + @tail % @data_size.
 * Sizes are multiples of 8 bytes. No record wraps around: KNC_PMU_RECORD_PAD fills the end.
 *
 * When a session is stopped, for each sampled event, the sum of @period of all its samples,
 * @lost_events and @unsampled differs by less than one period from its count since CONFIG; in a
 * session that follows tasks the sum over all rings, by less than one period for each task. (With
 * pmi=irq a sample that was due while interrupts were off may come just after STOP.)
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
};

/**
 * enum knc_pmu_record_type - records of a ring
 * @KNC_PMU_RECORD_PAD: skip the rest, up to the end of the ring
 * @KNC_PMU_RECORD_SAMPLE: struct knc_pmu_sample
 * @KNC_PMU_RECORD_TIME: struct knc_pmu_time_sample
 * @KNC_PMU_RECORD_LOST: struct knc_pmu_lost
 * @KNC_PMU_RECORD_THROTTLE: struct knc_pmu_throttle: no samples from here on
 * @KNC_PMU_RECORD_UNTHROTTLE: struct knc_pmu_throttle: samples again
 *
 * A reader skips records of types that it does not know.
 */
enum knc_pmu_record_type {
	KNC_PMU_RECORD_PAD,
	KNC_PMU_RECORD_SAMPLE,
	KNC_PMU_RECORD_TIME,
	KNC_PMU_RECORD_LOST,
	KNC_PMU_RECORD_THROTTLE,
	KNC_PMU_RECORD_UNTHROTTLE
};

/**
 * struct knc_pmu_record - the head of every record
 * @type: enum knc_pmu_record_type
 * @size: bytes of the record, a multiple of 8
 * @cpu: the hardware thread; not with KNC_PMU_RECORD_PAD, which may be no longer than 8 bytes
 */
struct knc_pmu_record {
	__u16 type;
	__u16 size;
	__u32 cpu;
};

/* struct knc_pmu_sample, knc_pmu_time_sample @flags */
#define KNC_PMU_SAMPLE_USER	(1U << 0)	/* @ip is of user mode */

/**
 * struct knc_pmu_sample - an event has occurred @period times
 * @record: KNC_PMU_RECORD_SAMPLE
 * @ip: address of the first or second instruction after the one that caused the last occurrence
 *	(327357: the interrupt comes between instructions). In a session that may not look at the
 *	kernel, the address at which the task continues in user mode
 * @pid: process, in the pid namespace of the process that configured the session (0: idle, or not
 *	visible from there)
 * @tid: thread, likewise. In a session that follows tasks @pid and @tid are the followed task's,
 *	even while the kernel is just switching to it; such a sample has no call chain
 * @counter: the counter
 * @event: index of the event in CONFIG
 * @flags: KNC_PMU_SAMPLE_* of @ip, which the instruction that changes the mode may precede: the
 *	event may count in the other mode only
 * @reserved: 0
 * @nr_kernel: frames of the call chain in kernel mode, the first of which is @ip if it is there
 * @nr_user: frames of the call chain in user mode
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns; computed from @tsc, whose rate is measured every hundredth of a
 *	second: it may be some microseconds off, and earlier than that of the record before
 * @period: number of occurrences that the sample stands for
 *
 * @nr_kernel and then @nr_user addresses (__u64) follow, innermost first. They begin right after
 * @period: this struct never grows.
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

/* Bytes that a sample with call chains of n frames may take while it is written */
#define KNC_PMU_SAMPLE_SIZE(n)	(sizeof(struct knc_pmu_sample) + 8 * (2 * (n) + 16))

/**
 * struct knc_pmu_time_sample - @sample_interval has passed
 * @record: KNC_PMU_RECORD_TIME
 * @ip: address of the instruction that was interrupted
 * @pid: process, as in struct knc_pmu_sample
 * @tid: thread
 * @flags: KNC_PMU_SAMPLE_*
 * @nr_events: events of the session
 * @missed: intervals since the record before that have no record: the interrupt came late, or the
 *	ring was full
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns
 * @delta: for each event, its count since the last such record in the ring, or since CONFIG; the
 *	record has KNC_PMU_TIME_SIZE(@nr_events) bytes
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
 * @events: for each event, the sum of @period of the lost samples; the record has
 *	KNC_PMU_LOST_SIZE(@nr_events) bytes
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
 * struct knc_pmu_throttle - sampling of an event pauses, or goes on, because of a storm of PMIs
 * @record: KNC_PMU_RECORD_THROTTLE or KNC_PMU_RECORD_UNTHROTTLE
 * @time: CLOCK_MONOTONIC, ns
 * @event: index of the event in CONFIG
 * @reserved: 0
 * @unsampled: in KNC_PMU_RECORD_UNTHROTTLE: events counted during the pause; its counts stay exact
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
 *	thread of the core (which is in that thread's @pmis)
 * @foreign: NMIs that were not the module's, passed on
 * @handler_max: the longest time in the handler, time stamp counter ticks
 * @handler_total: the sum of these times; divided by @pmis: their mean
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
 * gave it: all its counters on all hardware threads, and RDPMC. A program that reads its page
 * (struct knc_pmu_page) meanwhile finds @seq odd before RDPMC is refused: this waits up to 2
 * seconds for such programs. Sessions that follow tasks have their counters on all hardware
 * threads. A session that is configured while the command runs is not evicted.
 *
 * An evicted session keeps what it counted: READ returns it with KNC_PMU_THREAD_EVICTED (with
 * KNC_PMU_READ_TASKS only the sum, and what KEEP has kept), and its rings can be read. poll()
 * reports POLLHUP. To count again, open another session.
 */
struct knc_pmu_evict {
	__u32 pmu;
	__u32 cpu;
	__u32 counter;
	__u32 flags;
};

/*
 * Flag of RESET: when the session is closed the registers get the values that they have after a
 * reset of the card, 0, not those from before the session.
 */
#define KNC_PMU_RESET_REGISTERS	(1U << 0)

#define KNC_PMU_IOC_TYPE	0xbd

/*
 * Sessions on a PMU with levels: all of them need CAP_PERFMON (EPERM, without a reason). From START
 * to STOP their hardware threads, or tasks, have their RMID. READ, START and STOP fail with EBUSY
 * if resctrl has been mounted since CONFIG, and with ECANCELED after that. RESET fails with
 * EOPNOTSUPP, as do OWNER, REGS and EVICT for that PMU.
 */

/*
 * The commands. Those with a @pmu fail with ENODEV if that PMU does not exist; those with a
 * hardware thread or counter with ENXIO if it does not exist or, for REGS, is offline. START, STOP,
 * RESET and READ fail with ENODATA if the session is not configured. START, STOP, RESET, and READ
 * with KNC_PMU_READ_STOP or _START, fail with ECANCELED if it was evicted. The other commands need
 * no configured session.
 */

/* Returns the number of PMUs. */
#define KNC_PMU_IOC_INFO	_IOWR(KNC_PMU_IOC_TYPE, 0x00, struct knc_pmu_info)

/*
 * Errors with a reason: see enum knc_pmu_reason. Without one: EALREADY: configured, or evicted;
 * EBUSY: a thread that was created during CONFIG belongs to another session; EMFILE, EDQUOT,
 * ENFILE: too many grants: KNC_PMU_MAX_GRANTS, KNC_PMU_MAX_USER_GRANTS, KNC_PMU_MAX_ALL_GRANTS (or
 * the rest is reserved for CAP_PERFMON); EINTR: the caller was killed while CONFIG looked for the
 * threads of a process; ENOMEM. EFAULT also if @events or the struct can't be written; EINVAL also
 * for an @event_size of 0, E2BIG for one above a page. After any error but EALREADY the session is
 * not configured.
 */
#define KNC_PMU_IOC_CONFIG	_IOWR(KNC_PMU_IOC_TYPE, 0x01, struct knc_pmu_config)

/*
 * Start and stop counting on every hardware thread of the session or for every task that it
 * follows. START of a started session and STOP of a stopped one do nothing. The argument is 0.
 */
#define KNC_PMU_IOC_START	_IO(KNC_PMU_IOC_TYPE, 0x02)
#define KNC_PMU_IOC_STOP	_IO(KNC_PMU_IOC_TYPE, 0x03)

/*
 * Sets counts and times to zero, started or stopped. The argument is KNC_PMU_RESET_*. Errors:
 * EBUSY: KNC_PMU_RESET_REGISTERS, and the session does not have all counters of its hardware
 * threads.
 */
#define KNC_PMU_IOC_RESET	_IO(KNC_PMU_IOC_TYPE, 0x04)

/*
 * Returns the number of records. Errors: ENOSPC: the room is too small; EINVAL: also for
 * KNC_PMU_READ_TASKS of a session on hardware threads, and for flags that exclude each other;
 * ENOMEM.
 */
#define KNC_PMU_IOC_READ	_IOW(KNC_PMU_IOC_TYPE, 0x05, struct knc_pmu_read)

/*
 * Returns the number of registers, which it only reads. Errors: EPERM: needs CAP_PERFMON;
 * EOPNOTSUPP: the PMU is not that of the hardware threads.
 */
#define KNC_PMU_IOC_REGS	_IOW(KNC_PMU_IOC_TYPE, 0x06, struct knc_pmu_regs)

#define KNC_PMU_IOC_OWNER	_IOWR(KNC_PMU_IOC_TYPE, 0x07, struct knc_pmu_owner)

/*
 * A struct knc_pmu_stats for each possible hardware thread, in ascending order. Returns their
 * number. Errors: EPERM: needs CAP_PERFMON.
 */
#define KNC_PMU_IOC_STATS	_IOW(KNC_PMU_IOC_TYPE, 0x08, struct knc_pmu_list)

/*
 * A struct knc_pmu_grant for each process that may execute RDPMC, by ascending pid: with
 * CAP_PERFMON all in the caller's pid namespace, else those of its user. Returns their number.
 * Errors: ENOMEM; EINTR: the caller is being killed.
 */
#define KNC_PMU_IOC_GRANTS	_IOW(KNC_PMU_IOC_TYPE, 0x09, struct knc_pmu_list)

/*
 * Returns the number of evicted sessions. Errors: EPERM: needs CAP_PERFMON; EINTR: the caller is
 * being killed; EOPNOTSUPP: the PMU is not that of the hardware threads. A session on an uncore
 * ends when it is closed: OWNER tells its process.
 */
#define KNC_PMU_IOC_EVICT	_IOW(KNC_PMU_IOC_TYPE, 0x0a, struct knc_pmu_evict)

#endif /* KNC_PMU_H */
