/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * knc_pmu: performance counters through /dev/knc_pmu, version 1 of the ABI
 *
 * An open file is a session: events that are counted on a set of hardware threads, or for a task
 * and those it creates. Events that do not fit on the counters at a time are counted in groups
 * that take turns.
 *
 *	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
 *	ioctl(fd, KNC_PMU_IOC_CONFIG, &config);
 *	ioctl(fd, KNC_PMU_IOC_START, 0);
 *	... the work ...
 *	ioctl(fd, KNC_PMU_IOC_STOP, 0);
 *	n = ioctl(fd, KNC_PMU_IOC_READ, &read);
 *	close(fd);
 *
 * A session can also sample, into a ring for each hardware thread (struct knc_pmu_ring), and let a
 * program read its counts with RDPMC (struct knc_pmu_page).
 *
 * Closing the file and unmapping what was mapped of it gives everything back, by exit or kill -9
 * too: the registers hold again what they held before.
 *
 * Rules of all structs:
 *
 * - A field is an input unless its description ends in "out".
 * - A command has the size of its struct in its number. A shorter struct is extended by zeros. A
 *   longer one is accepted if all that the module does not know is zero. Arrays behind an address
 *   say the size of an element themselves; the same holds.
 * - A count stands in front of its array. Masks of counters have 64 bits.
 * - There are no holes, and 32-bit programs have the same structs.
 *
 * Every command fails with EFAULT for a bad address, EINVAL for a flag that is not defined or a
 * reserved field that is not 0, E2BIG for a longer struct with unknown fields in use, and ENOTTY
 * for an unknown command. What else it fails with is said where it is defined, at the end.
 */
#ifndef KNC_PMU_H
#define KNC_PMU_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KNC_PMU_DEVICE		"/dev/knc_pmu"

/* Bounds of what one session may ask for */
#define KNC_PMU_MAX_EVENTS	16	/* at a time, on any PMU: one a counter */
#define KNC_PMU_MAX_SET		32	/* of a session, in groups */
#define KNC_PMU_MAX_CPUS	8192	/* bits of a hardware thread mask */
#define KNC_PMU_MAX_PERIOD	(1ULL << 39)	/* events between two samples */
#define KNC_PMU_MAX_FREQ	100000	/* samples a second of a hardware thread; more
					 * than its interrupts leave time for are
					 * throttled
					 */
#define KNC_PMU_MAX_FRAMES	127	/* of each call chain of a sample */
#define KNC_PMU_MIN_RING	4096	/* bytes of records of a ring */
#define KNC_PMU_MAX_RING	(4U << 20)
#define KNC_PMU_MIN_INTERVAL	100000ULL	/* between time samples, ns */
#define KNC_PMU_MAX_INTERVAL	1000000000000ULL
#define KNC_PMU_MAX_GRANTS	16	/* sessions from which a process has RDPMC */
#define KNC_PMU_MAX_ALL_GRANTS	8192	/* ... all processes together; then a forked
					 * one has it no more
					 */
#define KNC_PMU_MAX_USER_GRANTS	1024	/* ... from all sessions of one user without
					 * CAP_PERFMON; as many are kept for those
					 * with it
					 */

/* In place of a number: no hardware thread, or all; all counters */
#define KNC_PMU_NO_CPU		(~0U)
#define KNC_PMU_NO_COUNTER	(~0U)

/**
 * struct knc_pmu_list - room for entries that a command writes
 * @entries: its address
 * @nr: how many entries there is room for
 * @size: sizeof() one of them
 *
 * The command returns how many entries there are, which may be more than @nr.
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
#define KNC_PMU_FEATURE_PMI_IRQ	(1ULL << 4)	/* overflow interrupt: a vector, no NMI */
#define KNC_PMU_FEATURE_TASKS	(1ULL << 5)	/* sessions that follow tasks */
#define KNC_PMU_FEATURE_RDPMC	(1ULL << 6)	/* RDPMC in ring 3 can be granted */
#define KNC_PMU_FEATURE_SETS	(1ULL << 7)	/* more events than counters */
#define KNC_PMU_FEATURE_EVICT	(1ULL << 8)	/* KNC_PMU_IOC_EVICT */

/* @pmu of all structs: the core PMU of the hardware threads; else an @id of INFO */
#define KNC_PMU_DEFAULT		0

/* Each of what has its own counters of a PMU */
enum knc_pmu_scope { KNC_PMU_SCOPE_THREAD, KNC_PMU_SCOPE_CORE, KNC_PMU_SCOPE_PACKAGE };

/**
 * struct knc_pmu_desc - a PMU of this machine, as INFO lists them
 * @id: its number in @pmu of other structs, from 1, out
 * @scope: enum knc_pmu_scope, out
 * @name: "knc", out
 * @counters: mask of its counters, out
 * @features: KNC_PMU_FEATURE_* that its sessions can have, out
 * @nr_counters: counters that count any event, out
 * @width: bits of each, out
 * @nr_fixed: counters of one fixed event, out
 * @fixed_width: bits of each, out
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
};

/**
 * struct knc_pmu_info - what this machine and the module offer (KNC_PMU_IOC_INFO)
 * @pmus: room for struct knc_pmu_desc
 * @features: KNC_PMU_FEATURE_*, out
 * @nr_threads: highest number of a possible hardware thread + 1 (the kernel's CPU numbers), out
 * @nr_online: hardware threads online, out
 * @threads_per_core: hardware threads of a core, out
 * @nr_sessions: configured sessions on the machine, out
 * @tsc_khz: rate of the time stamp counter, out: where the caller runs, as it was measured last
 *	while tasks are followed or groups take turns; before the first time as the kernel found it
 *	when it booted
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
#define KNC_PMU_EVENT_EDGE	(1U << 2)	/* count deasserted to asserted */
#define KNC_PMU_EVENT_INV	(1U << 3)	/* invert the comparison with cmask */
#define KNC_PMU_EVENT_THREAD_MODE (1U << 4)	/* all threads of the core */
#define KNC_PMU_EVENT_SPFLT	(1U << 5)	/* only while USER_PREF is set */
#define KNC_PMU_EVENT_SAMPLE	(1U << 6)	/* a sample each @sample_period */
#define KNC_PMU_EVENT_FREQ	(1U << 7)	/* @sample_period is samples a second */
#define KNC_PMU_EVENT_PINNED	(1U << 8)	/* in all groups: it is always counted */
#define KNC_PMU_EVENT_FLAGS	((1U << 9) - 1)

/* @event of a PMU whose code is an event select and a unit mask (327357 table 1-6) */
#define KNC_PMU_EVENT_CODE(select, umask)				\
	((__u64)(select) | (__u64)(umask) << 8)

/**
 * struct knc_pmu_event - one event of a session
 * @event: its code; for knc KNC_PMU_EVENT_CODE()
 * @extra: second word of events that have one; knc has none: 0
 * @counters: mask of the counters it may be put on; 0: any that can count it
 * @sample_period: with SAMPLE: events from one sample to the next, 1 to KNC_PMU_MAX_PERIOD; with
 *	FREQ too: samples a second, 1 to KNC_PMU_MAX_FREQ, to which the period is adapted; else 0
 * @flags: KNC_PMU_EVENT_*; at least one of USR and OS; INV only with a cmask; THREAD_MODE not with
 *	an event that is core-wide anyway
 * @cmask: counter mask: count cycles with at least this many events; 0: count the events
 *	themselves
 * @group: events of the same group are counted together, one on each counter; groups are numbered
 *	from 0 in the order in which they begin. Without meaning for a pinned event
 * @counter: the counter it was put on, out
 *
 * Several groups take turns of some milliseconds, on each hardware thread, or as far as each task
 * runs, for itself. READ tells how long each event was counted.
 *
 * A code that 327357 does not list is accepted: the PMU counts nothing for those it does not know
 * (table 1-5). An event that is known to be countable on counter 0 only is never put on another
 * one.
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
 * enum knc_pmu_reason - why CONFIG refused
 * @KNC_PMU_REASON_NONE: it did not, or the errno says it all
 * @KNC_PMU_REASON_PRIVILEGE: EPERM: whole hardware threads need CAP_PERFMON (CAP_SYS_ADMIN before
 *	Linux 5.8); so do OS and THREAD_MODE of @reason_event, and CHAIN_KERNEL, where tasks are
 *	followed
 * @KNC_PMU_REASON_CPU_EMPTY: EINVAL: the mask names no hardware thread
 * @KNC_PMU_REASON_CPU_NONE: ENXIO: @reason_cpu does not exist
 * @KNC_PMU_REASON_CPU_OFFLINE: ENXIO: @reason_cpu is offline
 * @KNC_PMU_REASON_EVENT_FLAGS: EINVAL: @reason_event has undefined flags, a code, a cmask or
 *	counters that the PMU has not
 * @KNC_PMU_REASON_EVENT_RING: EINVAL: @reason_event counts in no ring
 * @KNC_PMU_REASON_EVENT_INV: EINVAL: @reason_event has INV without a cmask
 * @KNC_PMU_REASON_EVENT_THREAD_MODE: EINVAL: @reason_event is core-wide, and THREAD_MODE means
 *	nothing for it
 * @KNC_PMU_REASON_EVENT_COUNTER: EOPNOTSUPP: no counter that @counters names can count
 *	@reason_event
 * @KNC_PMU_REASON_EVENT_PAIR: EOPNOTSUPP: @reason_event and @reason_other can both be counted only
 *	by the same counter
 * @KNC_PMU_REASON_BUSY: EBUSY: @reason_counter, which @reason_event needs on @reason_cpu, belongs
 *	to a session of @reason_pid; KNC_PMU_NO_CPU: on all of them, it follows tasks
 * @KNC_PMU_REASON_SPFLT_BUSY: EBUSY: likewise: SPFLT controls that counter, and USER_PREF is one
 *	bit that can't serve two
 * @KNC_PMU_REASON_PMU_RESERVED: EBUSY: the kernel has given the counters to perf, oprofile or the
 *	NMI watchdog
 * @KNC_PMU_REASON_SAMPLE_PERIOD: EINVAL: @sample_period of @reason_event is out of range
 * @KNC_PMU_REASON_SAMPLE_FREQ: EINVAL: @reason_event has FREQ without SAMPLE, or a @sample_period
 *	without it
 * @KNC_PMU_REASON_SAMPLE_INTERVAL: EINVAL: @sample_interval is out of range
 * @KNC_PMU_REASON_RING_SIZE: EINVAL: @ring_size is no power of two in its range, or too small for
 *	two samples with @max_frames (KNC_PMU_SAMPLE_SIZE), or @watermark is beyond it, or one of
 *	them is there but nothing to be sampled
 * @KNC_PMU_REASON_FRAMES: EINVAL: @max_frames is out of range, or there but no call chain or no
 *	event to be sampled, or the other way round
 * @KNC_PMU_REASON_CALLCHAIN: EOPNOTSUPP: no KNC_PMU_FEATURE_CALLCHAIN
 * @KNC_PMU_REASON_TASK_FLAGS: EINVAL: PROCESS, INHERIT, ON_EXEC or @pid without TASK, or TASK with
 *	@cpus
 * @KNC_PMU_REASON_TASK_NONE: ESRCH: there is no thread @pid, or it is about to end
 * @KNC_PMU_REASON_TASK_DENIED: EPERM: @pid is another user's, was set-user-ID, is not readable, or
 *	has capabilities that the caller has not; and no CAP_PERFMON
 * @KNC_PMU_REASON_TASK_BUSY: EBUSY: likewise: @reason_counter counts for @pid, or a thread of its
 *	process
 * @KNC_PMU_REASON_TASK_SAMPLING: EOPNOTSUPP: time samples are of hardware threads, not of tasks
 * @KNC_PMU_REASON_TASK_KERNEL: EOPNOTSUPP: no KNC_PMU_FEATURE_TASKS, or ON_EXEC on a kernel that
 *	does not tell of it
 * @KNC_PMU_REASON_RDPMC: EOPNOTSUPP: no KNC_PMU_FEATURE_RDPMC
 * @KNC_PMU_REASON_RDPMC_BUSY: EBUSY: likewise: RDPMC could read @reason_counter too, which takes
 *	CAP_PERFMON
 * @KNC_PMU_REASON_SET_GROUP: EINVAL: the group of @reason_event has more events than there are
 *	counters
 * @KNC_PMU_REASON_SET_ORDER: EINVAL: the group of @reason_event is neither one that has begun nor
 *	the next
 * @KNC_PMU_REASON_SET_PINNED: EINVAL: pinned @reason_event leaves no counter for the other groups,
 *	or a group no counter for it
 * @KNC_PMU_REASON_SET_SAMPLING: EOPNOTSUPP: what takes turns can't be sampled
 * @KNC_PMU_REASON_RING_MEMLOCK: ENOMEM: the rings of all hardware threads together are more than
 *	the caller may lock in memory (RLIMIT_MEMLOCK and perf's share) without CAP_PERFMON
 * @KNC_PMU_REASON_LOCKDOWN: EPERM: the kernel is locked down (confidentiality): no samples of ring
 *	0, no time samples, no CHAIN_KERNEL
 * @KNC_PMU_REASON_UNPRIVILEGED: EPERM: unprivileged=none, and no CAP_PERFMON
 * @KNC_PMU_REASON_CORE_WIDE: EPERM: unprivileged=thread, no CAP_PERFMON, and other threads of the
 *	core may cause @reason_event too
 * @KNC_PMU_REASON_RDPMC_OFF: EOPNOTSUPP: perf's setting (see RDPMC) is 0, or was when the first of
 *	the sessions that exist was configured
 * @KNC_PMU_REASON_PMU_NONE: ENODEV: this machine has no @pmu
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
	KNC_PMU_REASON_RDPMC_OFF, KNC_PMU_REASON_PMU_NONE
};

/* struct knc_pmu_config @flags */
/* USER_PREF is set at first: events gated by SPFLT count until it clears it */
#define KNC_PMU_CONFIG_USER_PREF (1U << 0)
/* Samples have the call chain in user and in kernel mode, by frame pointers */
#define KNC_PMU_CONFIG_CHAIN_USER (1U << 1)
#define KNC_PMU_CONFIG_CHAIN_KERNEL (1U << 2)
/* Follow a thread: @pid; no hardware threads */
#define KNC_PMU_CONFIG_TASK	(1U << 3)
/* ... with all other threads of its process, and those created until CONFIG returns */
#define KNC_PMU_CONFIG_PROCESS	(1U << 4)
/*
 * ... and the threads and processes that they create from now on, and so on. Workers of io_uring,
 * which the kernel creates for a process, are threads of it too (since 3.4).
 */
#define KNC_PMU_CONFIG_INHERIT	(1U << 5)
/*
 * START by itself as soon as @pid executes a program; a task that it created before and that runs
 * just then counts from when it is switched to again.
 */
#define KNC_PMU_CONFIG_ON_EXEC	(1U << 6)
/*
 * The caller's process may execute RDPMC, or, with ON_EXEC, the program that @pid executes. A
 * process that it forks has the permission as well, if the session follows tasks, whatever user it
 * becomes; a program that one of them executes then has not. It ends with the session. If perf's
 * setting (/sys/bus/event_source/devices/cpu/rdpmc) is changed to 0 meanwhile RDPMC ends too, with
 * SIGSEGV; if it is changed to 2 everybody may execute it.
 */
#define KNC_PMU_CONFIG_RDPMC	(1U << 7)
#define KNC_PMU_CONFIG_FLAGS	((1U << 8) - 1)

/**
 * struct knc_pmu_config - what to count where (KNC_PMU_IOC_CONFIG)
 * @pmu: which PMU counts; KNC_PMU_DEFAULT
 * @flags: KNC_PMU_CONFIG_*
 * @cpus: address of a mask of hardware threads: bit n % 8 of byte n / 8 is CPU n as the kernel
 *	numbers them; 0 with TASK
 * @events: address of an array of struct knc_pmu_event, whose @counter is out
 * @cpus_size: bytes of the mask, 1 to KNC_PMU_MAX_CPUS / 8; 0 with TASK
 * @nr_events: events, 1 to KNC_PMU_MAX_SET
 * @event_size: sizeof(struct knc_pmu_event)
 * @pid: with TASK: the thread to be followed, in the caller's pid namespace; 0: the caller. Else 0
 * @sample_interval: ns from one time sample to the next, KNC_PMU_MIN_INTERVAL to
 *	KNC_PMU_MAX_INTERVAL; 0: none
 * @max_frames: frames of each call chain, 1 to KNC_PMU_MAX_FRAMES; 0 without CHAIN_*
 * @ring_size: bytes of records of each ring, a power of two from KNC_PMU_MIN_RING to
 *	KNC_PMU_MAX_RING; 0 if nothing is to be sampled
 * @watermark: poll() reports a ring that holds this many bytes unread, 1 to @ring_size; 0: half of
 *	it
 * @reserved: 0
 * @reason: enum knc_pmu_reason, out; the rest is what it speaks of
 * @reason_event: index of an event, out
 * @reason_other: index of another one, out
 * @reason_cpu: a hardware thread, out
 * @reason_counter: a counter, out
 * @reason_pid: a process, in the caller's pid namespace; 0: not visible from there, out
 *
 * The counters start at zero and stopped. A session is configured once.
 *
 * Events that are core-wide count what the other hardware threads of the core do as well, whoever
 * runs there: so it is for perf's users too.
 *
 * A session that follows tasks counts what they do on whichever hardware thread they run, and
 * nothing else. Each has its own USER_PREF, from CONFIG on, started or not: SPFLT of one never
 * changes what is counted for another, and a task that another one creates begins with that of its
 * creator. A task is followed until it ends, which leaves what it counted to the session; or
 * executes a set-user-ID program, or one that its user may not read, and the session's may not
 * either (KNC_PMU_THREAD_PARTIAL). All such sessions share their counters on all hardware threads,
 * since only one task runs there at a time; a session on hardware threads can't have these
 * counters meanwhile, nor the other way round.
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
#define KNC_PMU_THREAD_OFFLINE	(1U << 0)	/* offline now; counts until then */
#define KNC_PMU_THREAD_GAP	(1U << 1)	/* was offline: time_running < time_enabled */
#define KNC_PMU_THREAD_ENDED	(1U << 2)	/* all tasks that were followed have ended */
#define KNC_PMU_THREAD_PARTIAL	(1U << 3)	/* some could not be followed: no memory; or
						 * one not further, see CONFIG
						 */
#define KNC_PMU_THREAD_EVICTED	(1U << 4)	/* KNC_PMU_IOC_EVICT took the counters away;
						 * counts until then
						 */

/**
 * struct knc_pmu_thread - what one hardware thread counted, as READ returns it
 * @cpu: the hardware thread, as the kernel numbers CPUs
 * @flags: KNC_PMU_THREAD_*
 * @nr_events: events of the session
 * @tsc: its time stamp counter at the reading, core clock cycles; 0: it is offline
 * @time: CLOCK_MONOTONIC at the reading, the same in all records, ns
 * @time_enabled: how long the session has been started, ns
 * @time_running: how much of that it really counted, ns; all three times are 0 with
 *	KNC_PMU_READ_COUNTS
 * @value: a count for each event, in the order of CONFIG
 *
 * A record is KNC_PMU_THREAD_SIZE(@nr_events) bytes long: @value has as many elements as there are
 * events. In a session with several groups they are followed by how long each event was counted,
 * ns (__u64): KNC_PMU_SET_SIZE(@nr_events) bytes. Those times are taken from the time stamp
 * counter; the rest of @time_running is when other groups had their turn.
 *
 * A session that follows tasks has one record: the sum of all it followed; or with
 * KNC_PMU_READ_TASKS one for each task that it follows, in the order in which it began to, and at
 * the end that sum for all that it followed before. @cpu is KNC_PMU_NO_CPU in sums, @tsc is 0,
 * @time_enabled and @time_running are how long they were on a hardware thread while the session
 * was started.
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

/* bytes of one record of a session with n events; of several groups */
#define KNC_PMU_THREAD_SIZE(n)						\
	(sizeof(struct knc_pmu_thread) - 8 * KNC_PMU_MAX_EVENTS + 8 * (n))
#define KNC_PMU_SET_SIZE(n)	KNC_PMU_THREAD_SIZE(2 * (n))

/* struct knc_pmu_read @flags */
#define KNC_PMU_READ_COUNTS	(1U << 0)	/* no times: they cost as much as the counts */
/* A record for each task: @cpu is its thread id, in the caller's pid namespace */
#define KNC_PMU_READ_TASKS	(1U << 1)
#define KNC_PMU_READ_FLAGS	((1U << 2) - 1)

/**
 * struct knc_pmu_read - read all counts (KNC_PMU_IOC_READ)
 * @buffer: address of room for one record, struct knc_pmu_thread, for each hardware thread of the
 *	session, in ascending order, or for tasks
 * @buffer_size: bytes of that room
 * @flags: KNC_PMU_READ_*
 * @reserved: 0
 *
 * One system call, one pass per hardware thread, in parallel. The session may be running or
 * stopped.
 */
struct knc_pmu_read {
	__u64 buffer;
	__u64 buffer_size;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct knc_pmu_page - a task reads its own counts, without a system call
 * @seq: changes whenever anything here does; odd: READ is to be used instead
 * @nr_events: events of the session
 * @time_enabled: what is to be added to the time stamp counter: ticks for which the task was on a
 *	hardware thread while the session was started
 * @time_running: likewise: ticks for which it was counted
 * @tsc_khz: ticks of a millisecond, at the rate that the time stamp counter has by now: it counts
 *	core clocks (327357 1.3.1)
 * @width: bits of a counter
 * @counter: for each event, the counter that counts it now
 * @offset: for each event, what is to be added to that counter, read with RDPMC and extended with
 *	its sign from @width to 64 bits
 *
 * A session of one task, TASK with neither PROCESS nor INHERIT, that asked for RDPMC, samples
 * nothing and has one group of events, has one. It is mapped with
 *
 *	mmap(NULL, page size, PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET)
 *
 * and only the task that is followed may use it: for another one the counters of the hardware
 * thread it runs on are those of something else; a process that it forks does not have the
 * mapping. Nothing here is changed while that task executes instructions of its own: what was read
 * between two equal even values of @seq belongs together. knc_read() of knc/ring3.h does it.
 *
 * mmap() errors: ENODATA: not configured; EINVAL: the session has none, or that is not the offset
 * or the length of it; EPERM: not MAP_SHARED, or to be written.
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

#define KNC_PMU_PAGE_OFFSET	(1ULL << 40)

/**
 * struct knc_pmu_grant - a process that may execute RDPMC (KNC_PMU_IOC_GRANTS)
 * @pid: the process, in the caller's pid namespace, out
 * @session_pid: who configured the session it has that from; 0: not visible, out
 */
struct knc_pmu_grant {
	__s32 pid;
	__s32 session_pid;
};

/* What the number of a register is: an MSR, an offset in the local APIC, a control register */
enum knc_pmu_space { KNC_PMU_SPACE_MSR, KNC_PMU_SPACE_APIC, KNC_PMU_SPACE_CR };

/**
 * struct knc_pmu_reg - a register and what it holds
 * @number: its number, out; KNC_REGISTERS of knc/registers.h has the names
 * @space: enum knc_pmu_space, out
 * @value: what it holds, out
 */
struct knc_pmu_reg {
	__u32 number;
	__u32 space;
	__u64 value;
};

/**
 * struct knc_pmu_regs - the registers of a PMU (KNC_PMU_IOC_REGS)
 * @pmu: which PMU; KNC_PMU_DEFAULT
 * @cpu: on which hardware thread
 * @regs: room for struct knc_pmu_reg
 */
struct knc_pmu_regs {
	__u32 pmu;
	__u32 cpu;
	struct knc_pmu_list regs;
};

#define KNC_PMU_OWNER_SESSION	(1U << 0)	/* a session has it */
#define KNC_PMU_OWNER_TASKS	(1U << 1)	/* one that follows tasks, or several */

/**
 * struct knc_pmu_owner - who has a counter (KNC_PMU_IOC_OWNER)
 * @pmu: which PMU; KNC_PMU_DEFAULT
 * @cpu: the hardware thread
 * @counter: the counter
 * @flags: KNC_PMU_OWNER_*, out
 * @pid: who configured the session that has it, in the caller's pid namespace; 0: not visible from
 *	there. It may have ended and left the session to a child. If sessions that follow tasks
 *	share it, that of the oldest, out
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
 * @cpu: the hardware thread, as the kernel numbers CPUs
 * @nr_events: events of the session
 * @head: bytes written so far; the kernel writes it after the records
 * @samples: event samples produced so far: those in the ring and those lost
 * @lost: of them, lost because the ring was full; a time sample is never lost, the next one has
 *	its counts and says that it is missing
 * @throttles: how often the samples of this hardware thread were throttled
 * @reserved: 0
 * @tail: bytes read so far; the reader writes it after it has read the records, and nothing else
 *	here. Whatever it writes does no harm to others.
 * @reserved1: 0
 * @lost_events: for each event, what the lost samples stood for (@period)
 * @unsampled: for each event, what was counted while its samples were throttled, or at the very
 *	moment of STOP; in a session that may not look at the kernel also what overflowed where the
 *	program is not known: while the kernel switches to the task, enters it, or executes a new
 *	program
 *
 * A session that samples has a ring for each hardware thread; if it follows tasks, for each that
 * is possible, where the samples of whichever of them runs there are. The ring of the i-th of
 * them, in ascending order, is mapped with
 *
 *	mmap(NULL, page + ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *	     i * (page + ring_size))
 *
 * where page is the size of a page. A record of type t begins at @data_offset + @tail %
 * @data_size; none wraps around the end, KNC_PMU_RECORD_PAD fills what is left there. All are
 * multiples of 8 bytes.
 *
 * For each event that is sampled: the sum of @period of all its samples, @lost_events and
 * @unsampled differs by less than one period from what it has counted since CONFIG, when it is
 * stopped; that of all rings together, and by less than one period for each task, if tasks are
 * followed. (With pmi=irq a sample that was due while a hardware thread had interrupts off may
 * come just after STOP.)
 *
 * What has been lost and not been told by a record yet is told before the next record that there
 * is room for, or at STOP.
 *
 * mmap() errors: ENODATA: not configured; EINVAL: the session does not sample, or the offset or
 * the length is not that of a ring; EPERM: not MAP_SHARED.
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
 * @KNC_PMU_RECORD_PAD: nothing, up to the end of the ring
 * @KNC_PMU_RECORD_SAMPLE: struct knc_pmu_sample
 * @KNC_PMU_RECORD_TIME: struct knc_pmu_time_sample
 * @KNC_PMU_RECORD_LOST: struct knc_pmu_lost
 * @KNC_PMU_RECORD_THROTTLE: struct knc_pmu_throttle: no samples from here on
 * @KNC_PMU_RECORD_UNTHROTTLE: struct knc_pmu_throttle: samples again
 *
 * A reader skips what it does not know.
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
 * struct knc_pmu_record - how every record begins
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
#define KNC_PMU_SAMPLE_USER	(1U << 0)	/* it was in user mode */

/**
 * struct knc_pmu_sample - an event has occurred @period times
 * @record: KNC_PMU_RECORD_SAMPLE
 * @ip: where: the instruction behind the one that caused the last of them, at most one more behind
 *	(327357: the interrupt comes between instructions). In a session that may not look at the
 *	kernel, where its task goes on in user mode
 * @pid: process, in the pid namespace of who configured the session (0: idle, or not visible from
 *	there)
 * @tid: thread, likewise. In a session that follows tasks both are the followed task's, also while
 *	the kernel is just switching to it: then there is no call chain
 * @counter: the counter
 * @event: index of the event in CONFIG
 * @flags: KNC_PMU_SAMPLE_*; as of @ip, which may be behind the instruction that went from one mode
 *	to the other, whichever the event counts in
 * @reserved: 0
 * @nr_kernel: frames of the call chain in kernel mode, the first of which is @ip if it is there
 * @nr_user: frames of the call chain in user mode
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns; worked out from @tsc, whose rate is measured every hundredth of a
 *	second: it may be some microseconds off, and earlier than that of the record before
 * @period: how many occurrences of the event it stands for
 *
 * @nr_kernel and then @nr_user addresses (__u64) follow, innermost first.
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

/* bytes a sample with call chains of n frames may take while it is written */
#define KNC_PMU_SAMPLE_SIZE(n)	(sizeof(struct knc_pmu_sample) + 8 * (2 * (n) + 16))

/**
 * struct knc_pmu_time_sample - @sample_interval has passed
 * @record: KNC_PMU_RECORD_TIME
 * @ip: what was interrupted
 * @pid: process, as in struct knc_pmu_sample
 * @tid: thread
 * @flags: KNC_PMU_SAMPLE_*
 * @nr_events: events of the session
 * @missed: intervals that passed without a record since the one before: the interrupt came late
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns
 * @delta: for each event, what was counted since the last such record in the ring, or CONFIG:
 *	KNC_PMU_TIME_SIZE(@nr_events) bytes in all
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
 * struct knc_pmu_lost - here samples are missing, the ring was full
 * @record: KNC_PMU_RECORD_LOST
 * @samples: how many
 * @time: CLOCK_MONOTONIC when the first of them was lost, ns
 * @nr_events: events of the session
 * @reserved: 0
 * @events: for each event, what they stood for: KNC_PMU_LOST_SIZE(@nr_events) bytes in all
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
 * struct knc_pmu_throttle - overflows came so fast that nothing else went on
 * @record: KNC_PMU_RECORD_THROTTLE or KNC_PMU_RECORD_UNTHROTTLE
 * @time: CLOCK_MONOTONIC, ns
 * @event: index of the event in CONFIG
 * @reserved: 0
 * @unsampled: what it counted meanwhile, without samples (0 in KNC_PMU_RECORD_THROTTLE); the
 *	counts go on and stay exact
 */
struct knc_pmu_throttle {
	struct knc_pmu_record record;
	__u64 time;
	__u32 event;
	__u32 reserved;
	__u64 unsampled;
};

/**
 * struct knc_pmu_stats - what the overflow interrupt did on a hardware thread, since the module
 * was loaded (KNC_PMU_IOC_STATS)
 * @cpu: the hardware thread
 * @reserved: 0
 * @pmis: overflow interrupts handled
 * @samples: samples produced, of all sessions
 * @lost: of them, lost because a ring was full
 * @throttles: how often samples were throttled
 * @spurious: interrupts of ours that came when there was nothing left to do, or that told of an
 *	overflow of another thread of the core (which counts under @pmis there)
 * @foreign: NMIs that were not ours, passed on
 * @handler_max: the longest time the handler took, time stamp counter ticks
 * @handler_total: all of that time; divided by @pmis: the mean
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
 * Every session that has one of these counters is stopped and loses all it has, on all its
 * hardware threads or for all its tasks: the counters, RDPMC and the registers that were to be put
 * back. Sessions that follow tasks have their counters on all hardware threads. The caller's own
 * session keeps its counters. A session that is configured while the command is under way is not
 * evicted.
 *
 * Nothing that was counted until then is lost. READ of an evicted session returns it, with
 * KNC_PMU_THREAD_EVICTED; if it follows tasks, KNC_PMU_READ_TASKS returns the sum only. Its rings
 * can be read, and poll() says POLLHUP. To go on, open another session.
 */
struct knc_pmu_evict {
	__u32 pmu;
	__u32 cpu;
	__u32 counter;
	__u32 flags;
};

/*
 * Flag of RESET: forget also what the registers held before the session. When it is closed they
 * hold what they hold after a reset of the card, 0.
 */
#define KNC_PMU_RESET_REGISTERS	(1U << 0)

#define KNC_PMU_IOC_TYPE	0xbd

/*
 * The commands. Those that name a PMU fail with ENODEV if there is none, those that name a
 * hardware thread or counter with ENXIO if that does not exist or, for REGS, is offline. START,
 * STOP, RESET and READ fail with ENODATA if the session is not configured; START, STOP and RESET
 * with ECANCELED if it was evicted.
 */

/* Anyone who could open the device may ask. Returns how many PMUs there are. */
#define KNC_PMU_IOC_INFO	_IOWR(KNC_PMU_IOC_TYPE, 0x00, struct knc_pmu_info)

/*
 * Errors: those of enum knc_pmu_reason, with a reason; and without one EALREADY: configured, or
 * evicted; EBUSY: a thread that was created meanwhile is another session's; EMFILE: the process
 * has RDPMC from KNC_PMU_MAX_GRANTS sessions; EDQUOT: processes have it from sessions of the
 * caller's user KNC_PMU_MAX_USER_GRANTS times; ENFILE: all processes have it
 * KNC_PMU_MAX_ALL_GRANTS times, or all that are left are kept for CAP_PERFMON; EINTR: the caller
 * was killed while the threads of a process were looked for; ENOMEM. After an error the session is
 * not configured; EFAULT is also given if the events or the struct can't be written.
 */
#define KNC_PMU_IOC_CONFIG	_IOWR(KNC_PMU_IOC_TYPE, 0x01, struct knc_pmu_config)

/*
 * Begin and cease to count, on every hardware thread of the session or for every task that it
 * follows. To start a started or stop a stopped session changes nothing. The argument is 0.
 */
#define KNC_PMU_IOC_START	_IO(KNC_PMU_IOC_TYPE, 0x02)
#define KNC_PMU_IOC_STOP	_IO(KNC_PMU_IOC_TYPE, 0x03)

/*
 * Counts and times to zero, started or stopped. The argument is KNC_PMU_RESET_*. Errors: EBUSY:
 * KNC_PMU_RESET_REGISTERS takes a session that has all counters of its hardware threads.
 */
#define KNC_PMU_IOC_RESET	_IO(KNC_PMU_IOC_TYPE, 0x04)

/*
 * Returns the number of records. Errors: ENOSPC: the room is too small; EINVAL: also
 * KNC_PMU_READ_TASKS where none are followed; ENOMEM.
 */
#define KNC_PMU_IOC_READ	_IOW(KNC_PMU_IOC_TYPE, 0x05, struct knc_pmu_read)

/*
 * Reads and changes nothing. Returns how many registers there are. Errors: EPERM: needs
 * CAP_PERFMON, but no session.
 */
#define KNC_PMU_IOC_REGS	_IOW(KNC_PMU_IOC_TYPE, 0x06, struct knc_pmu_regs)

#define KNC_PMU_IOC_OWNER	_IOWR(KNC_PMU_IOC_TYPE, 0x07, struct knc_pmu_owner)

/*
 * A struct knc_pmu_stats for each possible hardware thread, in ascending order. Returns how many
 * they are. Errors: EPERM: needs CAP_PERFMON, but no session.
 */
#define KNC_PMU_IOC_STATS	_IOW(KNC_PMU_IOC_TYPE, 0x08, struct knc_pmu_list)

/*
 * A struct knc_pmu_grant for each process that may execute RDPMC and that the caller can see: with
 * CAP_PERFMON all in its pid namespace, else those of its user; in the order of their pids.
 * Returns how many they are. Errors: ENOMEM; EINTR: the caller is being killed.
 */
#define KNC_PMU_IOC_GRANTS	_IOW(KNC_PMU_IOC_TYPE, 0x09, struct knc_pmu_list)

/*
 * Returns how many sessions were evicted. Errors: EPERM: needs CAP_PERFMON, but no session; EINTR:
 * the caller is being killed.
 */
#define KNC_PMU_IOC_EVICT	_IOW(KNC_PMU_IOC_TYPE, 0x0a, struct knc_pmu_evict)

#endif /* KNC_PMU_H */
