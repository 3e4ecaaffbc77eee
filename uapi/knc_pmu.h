/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * knc_pmu: the Knights Corner core PMU through /dev/knc_pmu
 *
 * One open file is one session: a set of hardware threads, or a task and those it
 * creates, and the events that every one of them counts: two at once, more in
 * groups that take turns.
 *
 *	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
 *	ioctl(fd, KNC_PMU_IOC_CONFIG, &config);
 *	ioctl(fd, KNC_PMU_IOC_START, 0);
 *	... the work ...
 *	ioctl(fd, KNC_PMU_IOC_STOP, 0);
 *	n = ioctl(fd, KNC_PMU_IOC_READ, &read);
 *	close(fd);
 *
 * A session can sample as well: records of where the program was, each time an
 * event has occurred so and so often (KNC_PMU_EVENT_SAMPLE) or so much time has
 * passed (@sample_interval), in a ring for each hardware thread that is mapped
 * with mmap() and waited for with poll().
 *
 * A session can let a program read the counters itself, with RDPMC
 * (KNC_PMU_CONFIG_RDPMC) and struct knc_pmu_page.
 *
 * Closing the file and unmapping what was mapped of it, by exit or by kill -9 too,
 * always gives everything back: the registers hold again what they held before.
 *
 * Rules of all structs: @size is sizeof() of what the caller was built with. A
 * longer struct than the module knows is accepted if what it does not know is
 * zero (else E2BIG, as one longer than a page), a shorter one is extended by
 * zeros; one shorter than the first published version gives EINVAL. Reserved
 * fields and undefined flags must be zero (EINVAL). A bad address gives EFAULT,
 * an unknown command ENOTTY. All structs are the same for 32-bit programs.
 */
#ifndef KNC_PMU_H
#define KNC_PMU_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KNC_PMU_DEVICE		"/dev/knc_pmu"

/* Bounds of what one session may ask for */
#define KNC_PMU_MAX_EVENTS	2	/* events at a time: one a counter */
#define KNC_PMU_MAX_SET		32	/* events of a session, in groups */
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

/**
 * struct knc_pmu_info - what the PMU and the module offer (KNC_PMU_IOC_INFO)
 * @size: sizeof(struct knc_pmu_info), in
 * @flags: 0, in
 * @nr_counters: counters of a hardware thread, out
 * @counter_width: bits of a counter, out
 * @nr_threads: highest number of a possible hardware thread + 1 (the kernel's
 *	CPU numbers), out
 * @nr_online: hardware threads online, out
 * @threads_per_core: hardware threads of a core, out
 * @nr_sessions: configured sessions on the machine, out
 * @features: KNC_PMU_FEATURE_*, out
 * @tsc_khz: rate of the time stamp counter, in kHz, out: as it was measured last where
 *	the caller runs, while tasks are followed or groups take turns; before the
 *	first time as the kernel found it when it booted
 * @reserved: 0
 *
 * Anyone who could open the device may ask.
 * Errors: EFAULT, EINVAL, E2BIG.
 */
struct knc_pmu_info {
	__u32 size;
	__u32 flags;
	__u32 nr_counters;
	__u32 counter_width;
	__u32 nr_threads;
	__u32 nr_online;
	__u32 threads_per_core;
	__u32 nr_sessions;
	__u64 features;
	__u32 tsc_khz;
	__u32 reserved;
};

#define KNC_PMU_FEATURE_THREADS	(1ULL << 0)	/* sessions on hardware threads */
#define KNC_PMU_FEATURE_SPFLT	(1ULL << 1)	/* events gated by SPFLT */
#define KNC_PMU_FEATURE_SAMPLING (1ULL << 2)	/* event and time samples */
#define KNC_PMU_FEATURE_CALLCHAIN (1ULL << 3)	/* call chains of samples */
#define KNC_PMU_FEATURE_PMI_IRQ	(1ULL << 4)	/* overflow interrupt: a vector, no NMI */
#define KNC_PMU_FEATURE_TASKS	(1ULL << 5)	/* sessions that follow tasks */
#define KNC_PMU_FEATURE_RDPMC	(1ULL << 6)	/* RDPMC in ring 3 can be granted */
#define KNC_PMU_FEATURE_SETS	(1ULL << 7)	/* more events than counters */
#define KNC_PMU_FEATURE_EVICT	(1ULL << 8)	/* KNC_PMU_IOC_EVICT */

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

/**
 * struct knc_pmu_event - one event of a session
 * @event: event select (327357 table 1-6), in
 * @umask: unit mask, in
 * @cmask: counter mask: count cycles with at least this many events; 0: count
 *	the events themselves, in
 * @reserved0: 0
 * @flags: KNC_PMU_EVENT_*; at least one of USR and OS; INV only with a cmask;
 *	THREAD_MODE not with an event that is core-wide anyway, in
 * @counters: mask of the counters it may be put on; 0: any that can count it,
 *	in
 * @counter: the counter it was put on, out
 * @sample_period: with KNC_PMU_EVENT_SAMPLE: events from one sample to the next,
 *	1 to KNC_PMU_MAX_PERIOD; with KNC_PMU_EVENT_FREQ too: samples a second, 1
 *	to KNC_PMU_MAX_FREQ, to which the period is adapted; else 0, in
 * @group: events of the same group are counted together, one on each counter;
 *	groups are numbered from 0 in the order in which they begin. Without meaning
 *	for a pinned event, in
 * @reserved: 0
 *
 * If there are several groups they take turns of some milliseconds, on each
 * hardware thread, or as far as each task runs, for itself. READ tells how long each
 * event was counted.
 *
 * Codes that 327357 does not list are accepted: the PMU counts nothing for
 * those it does not know (table 1-5). Codes that are known to be countable on
 * counter 0 only are never put on counter 1.
 */
struct knc_pmu_event {
	__u8 event;
	__u8 umask;
	__u8 cmask;
	__u8 reserved0;
	__u32 flags;
	__u32 counters;
	__u32 counter;
	__u64 sample_period;
	__u32 group;
	__u32 reserved;
};

/**
 * enum knc_pmu_reason - why CONFIG refused
 * @KNC_PMU_REASON_NONE: it did not, or the errno says it all
 * @KNC_PMU_REASON_PRIVILEGE: EPERM: whole hardware threads need CAP_PERFMON
 *	(CAP_SYS_ADMIN before Linux 5.8); so do KNC_PMU_EVENT_OS and
 *	KNC_PMU_EVENT_THREAD_MODE of @reason_event[0], and
 *	KNC_PMU_CONFIG_CHAIN_KERNEL, where tasks are followed
 * @KNC_PMU_REASON_CPU_EMPTY: EINVAL: the mask names no hardware thread
 * @KNC_PMU_REASON_CPU_NONE: ENXIO: @reason_cpu does not exist
 * @KNC_PMU_REASON_CPU_OFFLINE: ENXIO: @reason_cpu is offline
 * @KNC_PMU_REASON_EVENT_FLAGS: EINVAL: @reason_event[0] has undefined flags or a
 *	reserved field that is not zero
 * @KNC_PMU_REASON_EVENT_RING: EINVAL: @reason_event[0] counts in no ring
 * @KNC_PMU_REASON_EVENT_INV: EINVAL: @reason_event[0] has INV without a cmask
 * @KNC_PMU_REASON_EVENT_THREAD_MODE: EINVAL: @reason_event[0] is core-wide, all
 *	threads of a core read the same; THREAD_MODE means nothing for it
 * @KNC_PMU_REASON_EVENT_COUNTER: EOPNOTSUPP: @reason_event[0] can't be counted by
 *	any counter that @counters names
 * @KNC_PMU_REASON_EVENT_PAIR: EOPNOTSUPP: @reason_event[0] and @reason_event[1]
 *	can both be counted only by the same counter
 * @KNC_PMU_REASON_BUSY: EBUSY: @reason_counter, which @reason_event[0] needs on
 *	@reason_cpu, belongs to a session of @reason_pid; KNC_PMU_NO_CPU: on all of
 *	them, it follows tasks
 * @KNC_PMU_REASON_SPFLT_BUSY: EBUSY: a session of @reason_pid lets SPFLT control
 *	@reason_counter of @reason_cpu (KNC_PMU_NO_CPU: of tasks); USER_PREF is one
 *	bit and can't serve two
 * @KNC_PMU_REASON_PMU_RESERVED: EBUSY: the kernel has given the counters to
 *	perf, oprofile or the NMI watchdog
 * @KNC_PMU_REASON_SAMPLE_PERIOD: EINVAL: @sample_period of @reason_event[0] is out
 *	of range: 1 to KNC_PMU_MAX_PERIOD, or KNC_PMU_MAX_FREQ with FREQ
 * @KNC_PMU_REASON_SAMPLE_FREQ: EINVAL: @reason_event[0] has FREQ without SAMPLE, or
 *	a @sample_period without it
 * @KNC_PMU_REASON_SAMPLE_INTERVAL: EINVAL: @sample_interval is out of range
 * @KNC_PMU_REASON_RING_SIZE: EINVAL: @ring_size is no power of two from
 *	KNC_PMU_MIN_RING to KNC_PMU_MAX_RING, or too small for two samples with
 *	@max_frames (KNC_PMU_SAMPLE_SIZE), or @watermark is beyond it, or one of them
 *	is there but nothing to be sampled
 * @KNC_PMU_REASON_FRAMES: EINVAL: @max_frames is beyond KNC_PMU_MAX_FRAMES, or
 *	there but no call chain or no event to be sampled, or the other way round
 * @KNC_PMU_REASON_CALLCHAIN: EOPNOTSUPP: on this kernel the overflow interrupt
 *	can't look at a call chain (no KNC_PMU_FEATURE_CALLCHAIN)
 * @KNC_PMU_REASON_TASK_FLAGS: EINVAL: PROCESS, INHERIT, ON_EXEC or @pid without
 *	TASK, or TASK with @cpus
 * @KNC_PMU_REASON_TASK_NONE: ESRCH: there is no thread @pid, or it is about to end
 * @KNC_PMU_REASON_TASK_DENIED: EPERM: @pid is not the caller's to follow: that
 *	takes its user's rights, a program that was not set-user-ID and is
 *	readable, and no capability that the caller has not; or CAP_PERFMON
 * @KNC_PMU_REASON_TASK_BUSY: EBUSY: @reason_counter, which @reason_event[0] needs,
 *	counts for @pid, or a thread of its process, in a session of @reason_pid
 * @KNC_PMU_REASON_TASK_SAMPLING: EOPNOTSUPP: time samples are of hardware threads,
 *	not of tasks
 * @KNC_PMU_REASON_TASK_KERNEL: EOPNOTSUPP: this kernel lets no module follow tasks
 *	(no KNC_PMU_FEATURE_TASKS), or not from ON_EXEC on
 * @KNC_PMU_REASON_RDPMC: EOPNOTSUPP: this kernel lets no module grant RDPMC (no
 *	KNC_PMU_FEATURE_RDPMC)
 * @KNC_PMU_REASON_RDPMC_BUSY: EBUSY: RDPMC could read @reason_counter too, which on
 *	@reason_cpu belongs to a session of @reason_pid; that is for a caller with
 *	CAP_PERFMON only
 * @KNC_PMU_REASON_SET_GROUP: EINVAL: the group of @reason_event[0] has more events
 *	than there are counters
 * @KNC_PMU_REASON_SET_ORDER: EINVAL: the group of @reason_event[0] is neither one that
 *	has begun nor the next
 * @KNC_PMU_REASON_SET_PINNED: EINVAL: pinned @reason_event[0] leaves no counter for
 *	the other groups, or a group no counter for it
 * @KNC_PMU_REASON_SET_SAMPLING: EOPNOTSUPP: what takes turns can't be sampled
 * @KNC_PMU_REASON_RING_MEMLOCK: ENOMEM: the rings of all hardware threads together
 *	are more than the caller may lock in memory (RLIMIT_MEMLOCK, and what perf
 *	gives everybody for each CPU); without limit with CAP_PERFMON
 * @KNC_PMU_REASON_LOCKDOWN: EPERM: the kernel is locked down (confidentiality):
 *	no samples of what @reason_event[0] counts in ring 0, no time samples, no
 *	KNC_PMU_CONFIG_CHAIN_KERNEL, whatever capabilities the caller has
 * @KNC_PMU_REASON_UNPRIVILEGED: EPERM: module parameter unprivileged=none leaves
 *	sessions to callers with CAP_PERFMON
 * @KNC_PMU_REASON_CORE_WIDE: EPERM: module parameter unprivileged=thread leaves
 *	@reason_event[0] to callers with CAP_PERFMON: other threads of the core cause
 *	it too, or it is not known that they don't
 * @KNC_PMU_REASON_RDPMC_OFF: EOPNOTSUPP: the kernel permits RDPMC to no process:
 *	/sys/bus/event_source/devices/cpu/rdpmc is 0, or was when the first of the
 *	sessions that exist was configured
 */
enum knc_pmu_reason {
	KNC_PMU_REASON_NONE,
	KNC_PMU_REASON_PRIVILEGE,
	KNC_PMU_REASON_CPU_EMPTY,
	KNC_PMU_REASON_CPU_NONE,
	KNC_PMU_REASON_CPU_OFFLINE,
	KNC_PMU_REASON_EVENT_FLAGS,
	KNC_PMU_REASON_EVENT_RING,
	KNC_PMU_REASON_EVENT_INV,
	KNC_PMU_REASON_EVENT_THREAD_MODE,
	KNC_PMU_REASON_EVENT_COUNTER,
	KNC_PMU_REASON_EVENT_PAIR,
	KNC_PMU_REASON_BUSY,
	KNC_PMU_REASON_SPFLT_BUSY,
	KNC_PMU_REASON_PMU_RESERVED,
	KNC_PMU_REASON_SAMPLE_PERIOD,
	KNC_PMU_REASON_SAMPLE_FREQ,
	KNC_PMU_REASON_SAMPLE_INTERVAL,
	KNC_PMU_REASON_RING_SIZE,
	KNC_PMU_REASON_FRAMES,
	KNC_PMU_REASON_CALLCHAIN,
	KNC_PMU_REASON_TASK_FLAGS,
	KNC_PMU_REASON_TASK_NONE,
	KNC_PMU_REASON_TASK_DENIED,
	KNC_PMU_REASON_TASK_BUSY,
	KNC_PMU_REASON_TASK_SAMPLING,
	KNC_PMU_REASON_TASK_KERNEL,
	KNC_PMU_REASON_RDPMC,
	KNC_PMU_REASON_RDPMC_BUSY,
	KNC_PMU_REASON_SET_GROUP,
	KNC_PMU_REASON_SET_ORDER,
	KNC_PMU_REASON_SET_PINNED,
	KNC_PMU_REASON_SET_SAMPLING,
	KNC_PMU_REASON_RING_MEMLOCK,
	KNC_PMU_REASON_LOCKDOWN,
	KNC_PMU_REASON_UNPRIVILEGED,
	KNC_PMU_REASON_CORE_WIDE,
	KNC_PMU_REASON_RDPMC_OFF
};

/**
 * struct knc_pmu_config - what to count where (KNC_PMU_IOC_CONFIG)
 * @size: sizeof(struct knc_pmu_config), in
 * @flags: KNC_PMU_CONFIG_*, in
 * @cpus: address of a mask of hardware threads: bit n % 8 of byte n / 8 is CPU
 *	n as the kernel numbers them; 0 with KNC_PMU_CONFIG_TASK, in
 * @cpus_size: bytes of the mask, 1 to KNC_PMU_MAX_CPUS / 8; likewise, in
 * @nr_events: events, 1 to KNC_PMU_MAX_SET, in
 * @events: address of an array of struct knc_pmu_event, in and out
 * @event_size: sizeof(struct knc_pmu_event), in
 * @reason: enum knc_pmu_reason, out
 * @reason_event: indices into @events that @reason speaks of, out
 * @reason_cpu: the hardware thread that @reason speaks of, out
 * @reason_pid: the process that @reason speaks of, in the caller's pid
 *	namespace; 0: not visible from there, out
 * @reason_counter: the counter that @reason speaks of, out
 * @max_frames: frames of each call chain, 1 to KNC_PMU_MAX_FRAMES; 0 without
 *	KNC_PMU_CONFIG_CHAIN_*, in
 * @sample_interval: ns from one time sample to the next, KNC_PMU_MIN_INTERVAL to
 *	KNC_PMU_MAX_INTERVAL; 0: none, in
 * @ring_size: bytes of records of each ring, a power of two from
 *	KNC_PMU_MIN_RING to KNC_PMU_MAX_RING; 0 if nothing is to be sampled, in
 * @watermark: poll() reports a ring that holds this many bytes unread, 1 to
 *	@ring_size; 0: half of it, in
 * @pid: with KNC_PMU_CONFIG_TASK: the thread to be followed, in the caller's pid
 *	namespace; 0: the caller. Else 0, in
 * @reserved: 0
 *
 * The counters start at zero and stopped. A session is configured once.
 *
 * Events that are core-wide count what the other hardware threads of the core do as
 * well, whoever runs there: so it is for perf's users too.
 *
 * A session that follows tasks counts what they do on whichever hardware thread
 * they run, and nothing else. Each has its own USER_PREF, from CONFIG on, started or
 * not: SPFLT of one never changes what is counted for another, and a task that
 * another one creates begins with that of its creator. A task is followed until it
 * ends, which leaves what it counted to the session; or executes a set-user-ID
 * program, or one that its user may not read, and the session's may not either
 * (KNC_PMU_THREAD_PARTIAL). All such sessions share their counters on all hardware
 * threads, since only one task runs there at a time; a session on hardware threads
 * can't have these counters meanwhile, nor the other way round.
 *
 * Errors: those of @reason, enum knc_pmu_reason; and without one EALREADY: configured;
 * EBUSY: a thread that was created meanwhile is another session's; EMFILE: the process
 * has RDPMC from KNC_PMU_MAX_GRANTS sessions; EDQUOT: processes have it from sessions of
 * the caller's user KNC_PMU_MAX_USER_GRANTS times; EINTR: the caller was killed while the
 * threads of a process were looked for; ENFILE: all processes have it
 * KNC_PMU_MAX_ALL_GRANTS times, or all that are left are kept for CAP_PERFMON; ENOMEM;
 * EINVAL: a reserved field is not 0, or an undefined flag; EFAULT; E2BIG: @size says of
 * more than there is here. After an error the session is not configured; EFAULT is also
 * given if @events, or this struct, can't be written.
 */
struct knc_pmu_config {
	__u32 size;
	__u32 flags;
	__u64 cpus;
	__u32 cpus_size;
	__u32 nr_events;
	__u64 events;
	__u32 event_size;
	__u32 reason;
	__u32 reason_event[2];
	__u32 reason_cpu;
	__s32 reason_pid;
	__u32 reason_counter;
	__u32 max_frames;
	__u64 sample_interval;
	__u32 ring_size;
	__u32 watermark;
	__s32 pid;
	__u32 reserved;
};

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
 * ... and the threads and processes that they create from now on, and so on. Workers of
 * io_uring, which the kernel creates for a process, are threads of it too (since 3.4).
 */
#define KNC_PMU_CONFIG_INHERIT	(1U << 5)
/*
 * START by itself as soon as @pid executes a program; a task that it created before
 * and that runs just then counts from when it is switched to again.
 */
#define KNC_PMU_CONFIG_ON_EXEC	(1U << 6)
/*
 * The caller's process may execute RDPMC, or, with KNC_PMU_CONFIG_ON_EXEC, the
 * program that @pid executes. A process that it forks has the permission as well, if the
 * session follows tasks, whatever user it becomes; a program that one of them executes
 * then has not. It ends with the session. If perf's setting
 * (/sys/bus/event_source/devices/cpu/rdpmc) is changed to 0 meanwhile RDPMC ends too, with
 * SIGSEGV; if it is changed to 2 everybody may execute it.
 */
#define KNC_PMU_CONFIG_RDPMC	(1U << 7)
#define KNC_PMU_CONFIG_FLAGS	((1U << 8) - 1)

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

#define KNC_PMU_NO_CPU		(~0U)	/* @cpu where tasks are followed */

/**
 * struct knc_pmu_thread - what one hardware thread counted, as READ returns it
 * @cpu: the hardware thread, as the kernel numbers CPUs
 * @flags: KNC_PMU_THREAD_*
 * @tsc: its time stamp counter at the reading, core clock cycles; 0 if it is
 *	offline
 * @time: CLOCK_MONOTONIC at the reading, the same in all records, ns
 * @time_enabled: how long the session has been started, ns
 * @time_running: how much of that it really counted, ns; all three times are 0
 *	with KNC_PMU_READ_COUNTS
 * @value: one 64-bit count for each event, in the order of CONFIG
 *
 * A record is KNC_PMU_THREAD_SIZE(nr_events) bytes long. In a session with several
 * groups @value goes on to value[nr_events - 1], and behind it is for each event how
 * long it was counted, ns (__u64): KNC_PMU_SET_SIZE(nr_events) bytes. Those times are
 * taken from the time stamp counter; what they are less than @time_running is when
 * other groups had their turn.
 *
 * A session that follows tasks has one record: the sum of all it followed; or with
 * KNC_PMU_READ_TASKS one for each task that it follows, in the order in which it began
 * to, and at the end that sum for all that it followed before. @cpu is
 * KNC_PMU_NO_CPU in sums, @tsc is 0, @time_enabled and @time_running are how long they were
 * on a hardware thread while the session was started.
 */
struct knc_pmu_thread {
	__u32 cpu;
	__u32 flags;
	__u64 tsc;
	__u64 time;
	__u64 time_enabled;
	__u64 time_running;
	__u64 value[KNC_PMU_MAX_EVENTS];
};

/* struct knc_pmu_read @flags */
#define KNC_PMU_READ_COUNTS	(1U << 0)	/* no times: they cost as much as the counts */
/* A record for each task: @cpu is its thread id, in the caller's pid namespace */
#define KNC_PMU_READ_TASKS	(1U << 1)
#define KNC_PMU_READ_FLAGS	((1U << 2) - 1)

/* bytes of one record of a session with n events */
#define KNC_PMU_THREAD_SIZE(n)						\
	(sizeof(struct knc_pmu_thread) - 8 * (KNC_PMU_MAX_EVENTS - (n)))

/* ... and if they are in several groups */
#define KNC_PMU_SET_SIZE(n)						\
	(sizeof(struct knc_pmu_thread) - 8 * KNC_PMU_MAX_EVENTS + 16 * (n))

/**
 * struct knc_pmu_read - read all counts (KNC_PMU_IOC_READ)
 * @size: sizeof(struct knc_pmu_read), in
 * @flags: KNC_PMU_READ_*, in
 * @buffer: address of room for one struct knc_pmu_thread for each hardware
 *	thread of the session, in ascending order, or for tasks, in
 * @buffer_size: bytes of that room, in
 *
 * One system call, one pass per hardware thread, in parallel. The session may
 * be running or stopped.
 *
 * Returns: the number of records.
 * Errors: ENODATA: not configured; ENOSPC: the room is too small; EINVAL: also
 * KNC_PMU_READ_TASKS where none are followed; ENOMEM; EFAULT; E2BIG.
 */
struct knc_pmu_read {
	__u32 size;
	__u32 flags;
	__u64 buffer;
	__u64 buffer_size;
};

/**
 * struct knc_pmu_page - a task reads its own counts, without a system call
 * @seq: changes whenever anything here does; odd: READ is to be used instead
 * @nr_events: events of the session
 * @counter: for each event, the counter that counts it now
 * @offset: for each event, what is to be added to that counter, read with RDPMC and
 *	extended with its sign from 40 to 64 bits
 * @time_enabled: what is to be added to the time stamp counter: ticks for which the
 *	task was on a hardware thread while the session was started
 * @time_running: likewise: ticks for which it was counted
 * @tsc_khz: ticks of a millisecond, at the rate that the time stamp counter has by now:
 *	it counts core clocks (327357 1.3.1)
 * @reserved: 0
 *
 * A session of one task, KNC_PMU_CONFIG_TASK with neither PROCESS nor INHERIT, that
 * asked for KNC_PMU_CONFIG_RDPMC, samples nothing and has one group of events, has
 * one. It is mapped with
 *
 *	mmap(NULL, page size, PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET)
 *
 * and only the task that is followed may use it: for another one the counters of
 * the hardware thread it runs on are those of something else; a process that it forks
 * does not have the mapping. Nothing here is changed while that task executes
 * instructions of its own: if @seq is the same before and behind them, all belongs
 * together. knc_read() of knc/ring3.h does it.
 *
 * mmap() errors: ENODATA: not configured; EINVAL: the session has none, or that is
 * not the offset or the length of it; EPERM: not MAP_SHARED, or to be written.
 */
struct knc_pmu_page {
	__u32 seq;
	__u32 nr_events;
	__u32 counter[KNC_PMU_MAX_EVENTS];
	__u64 offset[KNC_PMU_MAX_EVENTS];
	__u64 time_enabled;
	__u64 time_running;
	__u32 tsc_khz;
	__u32 reserved;
};

#define KNC_PMU_PAGE_OFFSET	(1ULL << 40)

/**
 * struct knc_pmu_grant - a process that may execute RDPMC
 * @pid: the process, in the caller's pid namespace
 * @session_pid: who configured the session it has that from; 0: not visible
 *
 * Only processes that the caller can see are told: with CAP_PERFMON all in its pid
 * namespace, else those of its user.
 */
struct knc_pmu_grant {
	__s32 pid;
	__s32 session_pid;
};

/**
 * struct knc_pmu_grants - who may execute RDPMC (KNC_PMU_IOC_GRANTS)
 * @size: sizeof(struct knc_pmu_grants), in
 * @flags: 0, in
 * @buffer: address of room for struct knc_pmu_grant, in
 * @buffer_size: bytes of that room, in
 *
 * Returns: how many there are; as many of them as there is room for are in @buffer, in
 * the order of their pids.
 * Errors: EINVAL; EFAULT; E2BIG; ENOMEM; EINTR: the caller is being killed.
 */
struct knc_pmu_grants {
	__u32 size;
	__u32 flags;
	__u64 buffer;
	__u64 buffer_size;
};

/**
 * struct knc_pmu_regs - the PMU registers of a hardware thread (KNC_PMU_IOC_REGS)
 * @size: sizeof(struct knc_pmu_regs), in
 * @flags: 0, in
 * @cpu: the hardware thread, in
 * @lvtpc: local APIC LVT performance counter entry (offset 0x340), out
 * @perfcntr: IA32_PerfCntr0/1, out
 * @perfevtsel: IA32_PerfEvtSel0/1, out
 * @spflt_control: PERF_SPFLT_CONTROL, out
 * @global_status: IA32_PERF_GLOBAL_STATUS, out
 * @global_ctrl: IA32_PERF_GLOBAL_CTRL, out
 * @tsc: IA32_TIME_STAMP_COUNTER, out
 * @cr4: CR4; bit 8 (PCE) permits RDPMC in ring 3, out
 *
 * Reads and changes nothing. Needs CAP_PERFMON, no session.
 * Errors: EPERM; ENXIO: no such hardware thread, or it is offline; EINVAL;
 * EFAULT; E2BIG.
 */
struct knc_pmu_regs {
	__u32 size;
	__u32 flags;
	__u32 cpu;
	__u32 lvtpc;
	__u64 perfcntr[2];
	__u64 perfevtsel[2];
	__u64 spflt_control;
	__u64 global_status;
	__u64 global_ctrl;
	__u64 tsc;
	__u64 cr4;
};

/**
 * struct knc_pmu_owner - who has a counter (KNC_PMU_IOC_OWNER)
 * @size: sizeof(struct knc_pmu_owner), in
 * @flags: 0, in; KNC_PMU_OWNER_*, out
 * @cpu: the hardware thread, in
 * @counter: the counter, in
 * @pid: who configured the session that has it, in the caller's pid namespace;
 *	0: not visible from there. It may have ended and left the session to a
 *	child. If sessions that follow tasks share it, that of the oldest, out
 * @reserved: 0
 *
 * Errors: ENXIO: no such hardware thread or counter; EINVAL; EFAULT; E2BIG.
 */
struct knc_pmu_owner {
	__u32 size;
	__u32 flags;
	__u32 cpu;
	__u32 counter;
	__s32 pid;
	__u32 reserved;
};

#define KNC_PMU_OWNER_SESSION	(1U << 0)	/* a session has it */
#define KNC_PMU_OWNER_TASKS	(1U << 1)	/* one that follows tasks, or several */

/**
 * struct knc_pmu_ring - the first page of a ring
 * @data_offset: bytes from here to the records
 * @data_size: bytes of records: @ring_size of CONFIG
 * @cpu: the hardware thread, as the kernel numbers CPUs
 * @reserved: 0
 * @head: bytes written so far; the kernel writes it after the records
 * @samples: event samples produced so far: those in the ring and those lost
 * @lost: of them, lost because the ring was full; a time sample is never lost, the
 *	next one has its counts and says that it is missing
 * @lost_events: for each event, what the lost samples stood for (@period)
 * @unsampled: for each event, what was counted while its samples were throttled,
 *	or at the very moment of STOP; in a session that may not look at the kernel
 *	also what overflowed where the program is not known: while the kernel
 *	switches to the task, enters it, or executes a new program
 * @throttles: how often the samples of this hardware thread were throttled
 * @reserved1: 0
 * @tail: bytes read so far; the reader writes it after it has read the records,
 *	and nothing else here. Whatever it writes does no harm to others.
 * @reserved2: 0
 *
 * A session that samples has a ring for each hardware thread; if it follows tasks, for
 * each that is possible, where the samples of whichever of them runs there are. The
 * ring of the i-th of them, in ascending order, is mapped with
 *
 *	mmap(NULL, page + ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *	     i * (page + ring_size))
 *
 * where page is the size of a page. A record of type t begins at
 * @data_offset + @tail % @data_size; none wraps around the end, KNC_PMU_RECORD_PAD
 * fills what is left there. All are multiples of 8 bytes.
 *
 * For each event that is sampled: the sum of @period of all its samples,
 * @lost_events and @unsampled differs by less than one period from what it has
 * counted since CONFIG, when it is stopped; that of all rings together, and by less
 * than one period for each task, if tasks are followed. (With pmi=irq a sample that was due
 * while a hardware thread had interrupts off may come just behind STOP.)
 *
 * What has been lost and not been told by a record yet is told before the next
 * record that there is room for, or at STOP.
 *
 * mmap() errors: ENODATA: not configured; EINVAL: the session does not sample,
 * or the offset or the length is not that of a ring; EPERM: not MAP_SHARED.
 */
struct knc_pmu_ring {
	__u64 data_offset;
	__u64 data_size;
	__u32 cpu;
	__u32 reserved;
	__u64 head;
	__u64 samples;
	__u64 lost;
	__u64 lost_events[KNC_PMU_MAX_EVENTS];
	__u64 unsampled[KNC_PMU_MAX_EVENTS];
	__u64 throttles;
	__u64 reserved1[5];
	__u64 tail;
	__u64 reserved2[7];
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
 * @cpu: the hardware thread; not with KNC_PMU_RECORD_PAD, which may be no longer
 *	than 8 bytes
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
 * @ip: where: the instruction behind the one that caused the last of them, at
 *	most one more behind (327357: the interrupt comes between instructions). In
 *	a session that may not look at the kernel, where its task goes on in user mode
 * @pid: process, in the pid namespace of who configured the session (0: idle,
 *	or not visible from there)
 * @tid: thread, likewise. In a session that follows tasks both are the followed
 *	task's, also while the kernel is just switching to it: then there is no
 *	call chain
 * @counter: the counter
 * @event: index of the event in CONFIG
 * @flags: KNC_PMU_SAMPLE_*; as of @ip, which may be behind the instruction that
 *	went from one mode to the other, whichever the event counts in
 * @reserved: 0
 * @nr_kernel: frames of the call chain in kernel mode, the first of which is @ip
 *	if it is there
 * @nr_user: frames of the call chain in user mode
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns; worked out from @tsc, which its rate is taken from
 *	every hundredth of a second: it may be some microseconds off, and behind
 *	that of the record before
 * @period: how many occurrences of the event it stands for
 *
 * Behind it are @nr_kernel and then @nr_user addresses (__u64), innermost first.
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
 * @missed: intervals that passed without a record since the one before: the
 *	interrupt came late
 * @tsc: time stamp counter, core clock cycles
 * @time: CLOCK_MONOTONIC, ns
 * @delta: for each event, what was counted since the last such record in the
 *	ring, or CONFIG
 */
struct knc_pmu_time_sample {
	struct knc_pmu_record record;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u32 flags;
	__u32 missed;
	__u64 tsc;
	__u64 time;
	__u64 delta[KNC_PMU_MAX_EVENTS];
};

/**
 * struct knc_pmu_lost - here samples are missing, the ring was full
 * @record: KNC_PMU_RECORD_LOST
 * @samples: how many
 * @events: for each event, what they stood for
 * @time: CLOCK_MONOTONIC when the first of them was lost, ns
 */
struct knc_pmu_lost {
	struct knc_pmu_record record;
	__u64 samples;
	__u64 events[KNC_PMU_MAX_EVENTS];
	__u64 time;
};

/**
 * struct knc_pmu_throttle - overflows came so fast that nothing else went on
 * @record: KNC_PMU_RECORD_THROTTLE or KNC_PMU_RECORD_UNTHROTTLE
 * @time: CLOCK_MONOTONIC, ns
 * @unsampled: for each event, what was counted meanwhile, without samples (0 in
 *	KNC_PMU_RECORD_THROTTLE); the counts go on and stay exact
 */
struct knc_pmu_throttle {
	struct knc_pmu_record record;
	__u64 time;
	__u64 unsampled[KNC_PMU_MAX_EVENTS];
};

/**
 * struct knc_pmu_stats - what the overflow interrupt did on a hardware thread
 * @cpu: the hardware thread
 * @reserved: 0
 * @pmis: overflow interrupts handled
 * @samples: samples produced, of all sessions
 * @lost: of them, lost because a ring was full
 * @throttles: how often samples were throttled
 * @spurious: interrupts of ours that came when there was nothing left to do, or that
 *	told of an overflow of another thread of the core (which counts under @pmis there)
 * @foreign: NMIs that were not ours, passed on
 * @handler_max: the longest time the handler took, time stamp counter ticks
 * @handler_total: all of that time; divided by @pmis: the mean
 *
 * All since the module was loaded.
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
 * struct knc_pmu_stats_read - read them (KNC_PMU_IOC_STATS)
 * @size: sizeof(struct knc_pmu_stats_read), in
 * @flags: 0, in
 * @buffer: address of room for one struct knc_pmu_stats for each possible
 *	hardware thread, in ascending order, in
 * @buffer_size: bytes of that room, in
 *
 * Returns: the number of records. Needs CAP_PERFMON, no session.
 * Errors: EPERM; ENOSPC: the room is too small; EINVAL; EFAULT; E2BIG.
 */
struct knc_pmu_stats_read {
	__u32 size;
	__u32 flags;
	__u64 buffer;
	__u64 buffer_size;
};

/**
 * struct knc_pmu_evict - take counters away from sessions (KNC_PMU_IOC_EVICT)
 * @size: sizeof(struct knc_pmu_evict), in
 * @flags: 0, in
 * @cpu: the hardware thread; KNC_PMU_NO_CPU: all, in
 * @counter: the counter; KNC_PMU_NO_COUNTER: all, in
 *
 * Every session that has one of these counters is stopped and loses all it has, on all
 * its hardware threads or for all its tasks: the counters, RDPMC and the registers that
 * were to be put back. Sessions that follow tasks have their counters on all hardware
 * threads. The caller's own session keeps its counters.
 *
 * Nothing that was counted until then is lost. READ of an evicted session returns it,
 * with KNC_PMU_THREAD_EVICTED; if it follows tasks, KNC_PMU_READ_TASKS returns the sum
 * only. Its rings can be read, and poll() says POLLHUP. START, STOP and RESET fail with
 * ECANCELED, CONFIG with EALREADY: to go on, open another session. One that is
 * configured while the command is under way is not evicted.
 *
 * Returns: how many sessions were evicted. Needs CAP_PERFMON, no session.
 * Errors: EPERM; ENXIO: no such hardware thread or counter; EINTR: the caller is being
 * killed; EINVAL; EFAULT; E2BIG.
 */
struct knc_pmu_evict {
	__u32 size;
	__u32 flags;
	__u32 cpu;
	__u32 counter;
};

#define KNC_PMU_NO_COUNTER	(~0U)	/* @counter: not a certain one */

/*
 * Argument of KNC_PMU_IOC_RESET: 0 sets the counts and times of the session to
 * zero, started or stopped. KNC_PMU_RESET_REGISTERS does so too and forgets
 * what the registers held before the session: when it is closed they hold what
 * they hold after a reset of the card, 0. That takes a session that has both
 * counters of its hardware threads (else EBUSY).
 */
#define KNC_PMU_RESET_REGISTERS	(1U << 0)

#define KNC_PMU_IOC_TYPE	0xbd

#define KNC_PMU_IOC_INFO	_IO(KNC_PMU_IOC_TYPE, 0x00)	/* struct knc_pmu_info * */
#define KNC_PMU_IOC_CONFIG	_IO(KNC_PMU_IOC_TYPE, 0x01)	/* struct knc_pmu_config * */
/*
 * START, STOP: begin and cease to count on every hardware thread of the session, or
 * for every task that it follows.
 * To start a started or stop a stopped session changes nothing.
 * Errors: ENODATA: not configured; ECANCELED: evicted; EINVAL: the argument is not 0.
 */
#define KNC_PMU_IOC_START	_IO(KNC_PMU_IOC_TYPE, 0x02)	/* 0 */
#define KNC_PMU_IOC_STOP	_IO(KNC_PMU_IOC_TYPE, 0x03)	/* 0 */
/*
 * Errors: ENODATA: not configured; ECANCELED: evicted; EINVAL: undefined flags; EBUSY:
 * see above
 */
#define KNC_PMU_IOC_RESET	_IO(KNC_PMU_IOC_TYPE, 0x04)	/* KNC_PMU_RESET_* */
#define KNC_PMU_IOC_READ	_IO(KNC_PMU_IOC_TYPE, 0x05)	/* struct knc_pmu_read * */
#define KNC_PMU_IOC_REGS	_IO(KNC_PMU_IOC_TYPE, 0x06)	/* struct knc_pmu_regs * */
#define KNC_PMU_IOC_OWNER	_IO(KNC_PMU_IOC_TYPE, 0x07)	/* struct knc_pmu_owner * */
#define KNC_PMU_IOC_STATS	_IO(KNC_PMU_IOC_TYPE, 0x08)	/* struct knc_pmu_stats_read * */
#define KNC_PMU_IOC_GRANTS	_IO(KNC_PMU_IOC_TYPE, 0x09)	/* struct knc_pmu_grants * */
#define KNC_PMU_IOC_EVICT	_IO(KNC_PMU_IOC_TYPE, 0x0a)	/* struct knc_pmu_evict * */

#endif /* KNC_PMU_H */
