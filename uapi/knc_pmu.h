/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * knc_pmu: the Knights Corner core PMU through /dev/knc_pmu
 *
 * One open file is one session: a set of hardware threads and up to two events
 * that every one of them counts.
 *
 *	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
 *	ioctl(fd, KNC_PMU_IOC_CONFIG, &config);
 *	ioctl(fd, KNC_PMU_IOC_START, 0);
 *	... the work ...
 *	ioctl(fd, KNC_PMU_IOC_STOP, 0);
 *	n = ioctl(fd, KNC_PMU_IOC_READ, &read);
 *	close(fd);
 *
 * Closing the file, by exit or by kill -9 too, always gives everything back:
 * the registers hold again what they held before.
 *
 * Rules of all structs: @size is sizeof() of what the caller was built with. A
 * longer struct than the module knows is accepted if what it does not know is
 * zero (else E2BIG, as one longer than a page), a shorter one is extended by
 * zeros; one shorter than the first published version gives EINVAL. Reserved
 * fields and undefined flags must be zero (EINVAL). A bad address gives EFAULT,
 * an unknown command ENOTTY.
 */
#ifndef KNC_PMU_H
#define KNC_PMU_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KNC_PMU_DEVICE		"/dev/knc_pmu"

/* Bounds of what one session may ask for */
#define KNC_PMU_MAX_EVENTS	2	/* events of a session: one a counter */
#define KNC_PMU_MAX_CPUS	8192	/* bits of a hardware thread mask */

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
 * @tsc_khz: rate of the time stamp counter as the kernel found it, in kHz, out
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

/* struct knc_pmu_event @flags */
#define KNC_PMU_EVENT_USR	(1U << 0)	/* count in rings 1 to 3 */
#define KNC_PMU_EVENT_OS	(1U << 1)	/* count in ring 0 */
#define KNC_PMU_EVENT_EDGE	(1U << 2)	/* count deasserted to asserted */
#define KNC_PMU_EVENT_INV	(1U << 3)	/* invert the comparison with cmask */
#define KNC_PMU_EVENT_THREAD_MODE (1U << 4)	/* all threads of the core */
#define KNC_PMU_EVENT_SPFLT	(1U << 5)	/* only while USER_PREF is set */
#define KNC_PMU_EVENT_FLAGS	((1U << 6) - 1)

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
 * @sample_period: 0, in (reserved for sampling)
 * @reserved: 0
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
	__u64 reserved;
};

/**
 * enum knc_pmu_reason - why CONFIG refused
 * @KNC_PMU_REASON_NONE: it did not, or the errno says it all
 * @KNC_PMU_REASON_PRIVILEGE: EPERM: whole hardware threads need CAP_PERFMON
 *	(CAP_SYS_ADMIN before Linux 5.8)
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
 *	@reason_cpu, belongs to a session of @reason_pid
 * @KNC_PMU_REASON_SPFLT_BUSY: EBUSY: a session of @reason_pid lets SPFLT control
 *	@reason_counter of @reason_cpu; USER_PREF is one bit and can't serve two
 * @KNC_PMU_REASON_PMU_RESERVED: EBUSY: the kernel has given the counters to
 *	perf, oprofile or the NMI watchdog
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
	KNC_PMU_REASON_PMU_RESERVED
};

/**
 * struct knc_pmu_config - what to count where (KNC_PMU_IOC_CONFIG)
 * @size: sizeof(struct knc_pmu_config), in
 * @flags: KNC_PMU_CONFIG_*, in
 * @cpus: address of a mask of hardware threads: bit n % 8 of byte n / 8 is CPU
 *	n as the kernel numbers them, in
 * @cpus_size: bytes of the mask, 1 to KNC_PMU_MAX_CPUS / 8, in
 * @nr_events: events, 1 to KNC_PMU_MAX_EVENTS, in
 * @events: address of an array of struct knc_pmu_event, in and out
 * @event_size: sizeof(struct knc_pmu_event), in
 * @reason: enum knc_pmu_reason, out
 * @reason_event: indices into @events that @reason speaks of, out
 * @reason_cpu: the hardware thread that @reason speaks of, out
 * @reason_pid: the process that @reason speaks of, in the caller's pid
 *	namespace; 0: not visible from there, out
 * @reason_counter: the counter that @reason speaks of, out
 * @reserved: 0
 *
 * The counters start at zero and stopped. A session is configured once.
 *
 * The out fields are written on success and on every error that has a reason.
 * Errors: those of enum knc_pmu_reason; EALREADY: the session is configured;
 * ENOMEM; EINVAL: a size, a number of events or a flag out of range; EFAULT:
 * also if the out fields can't be written, but then the session is configured;
 * E2BIG.
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
	__u32 reserved;
};

/* USER_PREF is set at first: events gated by SPFLT count until it clears it */
#define KNC_PMU_CONFIG_USER_PREF (1U << 0)
#define KNC_PMU_CONFIG_FLAGS	KNC_PMU_CONFIG_USER_PREF

/* struct knc_pmu_thread @flags */
#define KNC_PMU_THREAD_OFFLINE	(1U << 0)	/* offline now; counts until then */
#define KNC_PMU_THREAD_GAP	(1U << 1)	/* was offline: time_running < time_enabled */
#define KNC_PMU_THREAD_UNSURE	(1U << 2)	/* a counter may have wrapped unseen */

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
 * A record is offsetof(struct knc_pmu_thread, value[nr_events]) bytes long.
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
#define KNC_PMU_READ_FLAGS	KNC_PMU_READ_COUNTS

/* bytes of one record of a session with n events */
#define KNC_PMU_THREAD_SIZE(n)						\
	(sizeof(struct knc_pmu_thread) - 8 * (KNC_PMU_MAX_EVENTS - (n)))

/**
 * struct knc_pmu_read - read all counts (KNC_PMU_IOC_READ)
 * @size: sizeof(struct knc_pmu_read), in
 * @flags: KNC_PMU_READ_*, in
 * @buffer: address of room for one struct knc_pmu_thread for each hardware
 *	thread of the session, in ascending order, in
 * @buffer_size: bytes of that room, in
 *
 * One system call, one pass per hardware thread, in parallel. The session may
 * be running or stopped.
 *
 * Returns: the number of records.
 * Errors: ENODATA: not configured; ENOSPC: the room is too small; EINVAL;
 * EFAULT; E2BIG.
 */
struct knc_pmu_read {
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
 *	child, out
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
 * START, STOP: begin and cease to count on every hardware thread of the session.
 * To start a started or stop a stopped session changes nothing.
 * Errors: ENODATA: not configured; EINVAL: the argument is not 0.
 */
#define KNC_PMU_IOC_START	_IO(KNC_PMU_IOC_TYPE, 0x02)	/* 0 */
#define KNC_PMU_IOC_STOP	_IO(KNC_PMU_IOC_TYPE, 0x03)	/* 0 */
/* Errors: ENODATA: not configured; EINVAL: undefined flags; EBUSY: see above */
#define KNC_PMU_IOC_RESET	_IO(KNC_PMU_IOC_TYPE, 0x04)	/* KNC_PMU_RESET_* */
#define KNC_PMU_IOC_READ	_IO(KNC_PMU_IOC_TYPE, 0x05)	/* struct knc_pmu_read * */
#define KNC_PMU_IOC_REGS	_IO(KNC_PMU_IOC_TYPE, 0x06)	/* struct knc_pmu_regs * */
#define KNC_PMU_IOC_OWNER	_IO(KNC_PMU_IOC_TYPE, 0x07)	/* struct knc_pmu_owner * */

#endif /* KNC_PMU_H */
