/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * libkncpmu: a thin layer over the ioctls of /dev/knc_pmu
 *
 * It keeps no state of its own, prints nothing and never exits: threads may call it at the same
 * time. Functions that fail return a negative errno; kncpmu_explain() turns it into one line that
 * says what failed, why, and what to do.
 *
 *	struct kncpmu_error err;
 *	struct kncpmu_cpus cpus;
 *	struct kncpmu_pmu pmu;
 *	struct knc_pmu_event event;
 *	struct knc_pmu_config config;
 *	struct knc_pmu_thread records[4];
 *
 *	fd = kncpmu_open(NULL);
 *	kncpmu_pmu_get(fd, NULL, &pmu);
 *	kncpmu_spec_parse(&pmu, "INSTRUCTIONS_EXECUTED:u", &event, &err);
 *	kncpmu_cpus_parse("0-3", &cpus, &err);
 *	kncpmu_config(fd, &cpus, &event, 1, 0, &config);
 *	kncpmu_start(fd);
 *	... the work ...
 *	kncpmu_stop(fd);
 *	n = kncpmu_read(fd, records, sizeof(records), 0);		see kncpmu_record()
 *	kncpmu_close(fd);
 *
 * kncpmu_count_self() and kncpmu_read_self() are all that it takes to count the caller.
 *
 * kncpmu_config_sampling() configures a session that also samples;
 * kncpmu_ring_map() maps its rings, kncpmu_ring_read() reads them.
 *
 * kncpmu_config_task() configures a session that follows a task. If that is the caller,
 * with RDPMC, it can read its counts without a system call: kncpmu_page_map().
 */
#ifndef KNCPMU_H
#define KNCPMU_H

#include <stddef.h>
#include <stdio.h>
#include <knc/regs.h>
#include <knc_pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct kncpmu_error - a message of one line
 * @text: the line, without a newline
 */
struct kncpmu_error {
	char text[512];
};

/**
 * kncpmu_version() - the version of the library
 *
 * Return: for instance "0.1.0".
 */
const char *kncpmu_version(void);

/* events */

/**
 * enum kncpmu_unit - the part of the core that an event belongs to (327357, table 1-6)
 * @KNCPMU_UNIT_P54C: the core proper
 * @KNCPMU_UNIT_CRI: core-ring interface: L2 and ring
 * @KNCPMU_UNIT_VPU: vector unit
 * @KNCPMU_UNIT_CORE: on a host with the architectural PMU: the core
 * @KNCPMU_UNIT_UNCORE: what the cores of a package share
 */
enum kncpmu_unit {
	KNCPMU_UNIT_P54C,
	KNCPMU_UNIT_CRI,
	KNCPMU_UNIT_VPU,
	KNCPMU_UNIT_CORE,
	KNCPMU_UNIT_UNCORE
};

/**
 * enum kncpmu_scope - the hardware threads that cause the events a counter counts
 * @KNCPMU_SCOPE_UNKNOWN: not documented
 * @KNCPMU_SCOPE_THREAD: the counter's own
 * @KNCPMU_SCOPE_CORE: all of the core: the counts of its threads are the same
 * @KNCPMU_SCOPE_PACKAGE: all of the package
 */
enum kncpmu_scope {
	KNCPMU_SCOPE_UNKNOWN,
	KNCPMU_SCOPE_THREAD,
	KNCPMU_SCOPE_CORE,
	KNCPMU_SCOPE_PACKAGE
};

/**
 * enum kncpmu_rate - how often an event occurs in code in which it matters
 * @KNCPMU_RATE_COMMON: once in several cycles
 * @KNCPMU_RATE_RARE: once in hundreds of cycles
 * @KNCPMU_RATE_FREQUENT: about once a cycle
 * @KNCPMU_RATE_CYCLES: it counts cycles
 * @KNCPMU_RATE_ELEMENTS: several times a cycle
 */
enum kncpmu_rate {
	KNCPMU_RATE_COMMON,
	KNCPMU_RATE_RARE,
	KNCPMU_RATE_FREQUENT,
	KNCPMU_RATE_CYCLES,
	KNCPMU_RATE_ELEMENTS
};

/**
 * enum kncpmu_emulated - how the emulated card counts an event
 * @KNCPMU_EMULATED_NONE: it never counts it
 * @KNCPMU_EMULATED_EXACT: as 327357 defines it
 * @KNCPMU_EMULATED_MODELLED: by a rule of emulated-card.rst; a real card counts something else
 * @KNCPMU_EMULATED_VECTOR: by such a rule, for vector instructions; with knc-vm --vpu-stand-in also
 *	for packed SSE operations
 */
enum kncpmu_emulated {
	KNCPMU_EMULATED_NONE,
	KNCPMU_EMULATED_EXACT,
	KNCPMU_EMULATED_MODELLED,
	KNCPMU_EMULATED_VECTOR
};

/**
 * enum kncpmu_cause - what makes an event occur
 * @KNCPMU_CAUSE_ANY: anything that the program does
 * @KNCPMU_CAUSE_LOAD: data reads of the program
 * @KNCPMU_CAUSE_STORE: data writes of the program
 * @KNCPMU_CAUSE_LOAD_STORE: both
 * @KNCPMU_CAUSE_OTHERS: other cores, for instance by snoops, whatever the program does
 */
enum kncpmu_cause {
	KNCPMU_CAUSE_ANY,
	KNCPMU_CAUSE_LOAD,
	KNCPMU_CAUSE_STORE,
	KNCPMU_CAUSE_LOAD_STORE,
	KNCPMU_CAUSE_OTHERS
};

/* where an event is documented: struct kncpmu_event_desc @sources */
#define KNCPMU_SRC_327357	0x1
#define KNCPMU_SRC_LIBPFM4	0x2
#define KNCPMU_SRC_LIKWID	0x4
#define KNCPMU_SRC_LINUX	0x8
#define KNCPMU_SRC_SDM		0x10	/* Intel's software developer's manual, volume 3 */

/**
 * struct kncpmu_event_desc - description of an event
 * @name: its name, in capitals
 * @desc: what it counts, one line
 * @event: event select
 * @umask: unit mask
 * @unit: the part of the core it belongs to
 * @scope: the hardware threads that cause it
 * @rate: how often it occurs
 * @emulated: how the emulated card counts it
 * @counters: mask of the counters that can count it
 * @sources: KNCPMU_SRC_*: where it is documented
 * @cause: what makes it occur
 * @flags: KNC_PMU_EVENT_*: fields of the event select that belong to it
 * @cmask: counter mask that belongs to it
 * @extra: second word that belongs to it
 */
struct kncpmu_event_desc {
	const char *name;
	const char *desc;
	__u8 event;
	__u8 umask;
	enum kncpmu_unit unit;
	enum kncpmu_scope scope;
	enum kncpmu_rate rate;
	enum kncpmu_emulated emulated;
	__u64 counters;
	unsigned int sources;
	enum kncpmu_cause cause;
	__u32 flags;
	__u32 cmask;
	__u64 extra;
};

/* The most counters of a PMU, which is the most events counted at a time */
#define KNCPMU_MAX_COUNTERS	KNC_PMU_MAX_EVENTS

/**
 * enum kncpmu_pmu_kind - the kind of a PMU
 * @KNCPMU_PMU_KNC: "knc": Knights Corner
 * @KNCPMU_PMU_ARCH: "arch": the architectural PMU of a host (CPUID leaf 0xA)
 * @KNCPMU_PMU_WESTMERE: "westmere": likewise, with the events of a Westmere
 * @KNCPMU_PMU_UNCORE: "uncore": what the cores of a Westmere's package share
 */
enum kncpmu_pmu_kind {
	KNCPMU_PMU_KNC,
	KNCPMU_PMU_ARCH,
	KNCPMU_PMU_WESTMERE,
	KNCPMU_PMU_UNCORE
};

/**
 * struct kncpmu_pmu - a PMU whose events have names
 * @name: its name, as in struct knc_pmu_desc
 * @kind: the kind of PMU
 * @id: @pmu of struct knc_pmu_config
 * @events: the table of its named events
 * @nr_events: number of entries of @events
 * @nr_counters: how many counters it has
 * @nr_general: how many of them /N picks after the name of an event
 * @any_counter: the module tries each event on each counter (KNC_PMU_FEATURE_ANY_COUNTER)
 * @counters: mask of its counters
 * @cycles: name of its event of core clock cycles; "": none
 * @instructions: name of its event of executed instructions; "": none
 * @reserved: 0
 */
struct kncpmu_pmu {
	const char *name;
	enum kncpmu_pmu_kind kind;
	unsigned int id;
	const struct kncpmu_event_desc *events;
	unsigned int nr_events;
	unsigned int nr_counters;
	unsigned int nr_general;
	int any_counter;
	__u64 counters;
	const char *cycles;
	const char *instructions;
	__u64 reserved[4];
};

/**
 * kncpmu_pmu_get() - get a PMU, for the functions that take one
 * @fd: a session, configured or not: a PMU of its machine, with the counters it has there; less
 *	than 0: any PMU of @name, with the counters it usually has
 * @name: its name; NULL: the machine's own PMU, and without @fd Knights Corner's
 * @pmu: the PMU, out; Knights Corner's after an error
 *
 * "arch" on a Westmere is "westmere", which has the same events under the same names.
 *
 * Return: 0; -ENOENT: this library knows no such PMU; -ENODEV: the machine does not have it; or
 * another negative errno of kncpmu_pmus().
 */
int kncpmu_pmu_get(int fd, const char *name, struct kncpmu_pmu *pmu);

/**
 * kncpmu_event_find() - look an event up by its name
 * @pmu: its PMU
 * @name: the name, in capitals or small letters
 *
 * Return: the event, or NULL.
 */
const struct kncpmu_event_desc *kncpmu_event_find(const struct kncpmu_pmu *pmu, const char *name);

/* event specifications: NAME[/COUNTER][:MODIFIERS] or rUUEE[/COUNTER][:MODIFIERS] */

/* Bytes of the longest specification, with its NUL */
#define KNCPMU_SPEC_LEN	96

/**
 * kncpmu_spec_parse() - parse an event specification
 * @pmu: the event's PMU
 * @text: the specification. /0 or /1 picks the counter. Modifiers: u (rings 1 to 3), k (ring 0),
 *	e (edge), i (invert the comparison with c), t (thread mode), s (gated by SPFLT), D or the
 *	word pinned (always counted, never multiplexed),
 *	c=N or cmask=N (counter mask, 1 to 255, decimal or 0x). Each follows a ':'; letters may
 *	share one; u=1 and u=0 as in libpfm4. Without u and k: both.
 * @event: the event, out
 * @err: the message of an error: which character, what is allowed; out
 *
 * Return: 0; -ENOENT: no event of that name; -EINVAL: malformed.
 */
int kncpmu_spec_parse(const struct kncpmu_pmu *pmu, const char *text, struct knc_pmu_event *event,
		      struct kncpmu_error *err);

/**
 * kncpmu_spec_format() - write an event as a specification
 * @pmu: the event's PMU; NULL: not known, the event is written as a raw code
 * @event: the event
 * @text: the specification, out
 * @size: bytes of @text; KNCPMU_SPEC_LEN is always enough
 */
void kncpmu_spec_format(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event,
			char *text, size_t size);

/**
 * struct kncpmu_item - one event of a list
 * @event: what to count
 * @name: the specification as it was written
 * @group: the number of its {group}; 0: in no group
 */
struct kncpmu_item {
	struct knc_pmu_event event;
	char name[KNCPMU_SPEC_LEN];
	unsigned int group;
};

/**
 * kncpmu_list_parse() - parse a list of event specifications
 * @pmu: the events' PMU
 * @text: specifications separated by commas; {A,B} must be counted together, {A,B}:u both
 *	with these modifiers
 * @items: room for the events; new ones are appended, out
 * @nr: number of events in @items, in and out
 * @max: room in @items
 * @err: the message of an error, out
 *
 * Return: 0; -ENOENT, -EINVAL as kncpmu_spec_parse(); -E2BIG: more than @max.
 */
int kncpmu_list_parse(const struct kncpmu_pmu *pmu, const char *text, struct kncpmu_item *items,
		      unsigned int *nr, unsigned int max, struct kncpmu_error *err);

/* how often to take a sample: N, N/s or the name of a period */

/**
 * kncpmu_interval_parse() - parse how often an event is to be sampled
 * @pmu: the event's PMU
 * @text: a number of events, 1 to KNC_PMU_MAX_PERIOD; N/s: samples a second, 1
 *	to KNC_PMU_MAX_FREQ; "on", "hi" or "lo": a prime that suits the event,
 *	with hi ten times as many samples and with lo a tenth, and with a limit of 2000
 *	samples a second, 20000 and 200 (KNC_PMU_LIMITED())
 * @event: the event; KNC_PMU_EVENT_SAMPLE, _FREQ, _LIMIT and @sample_period are set
 * @err: the message of an error, out
 *
 * Return: 0; -EINVAL: malformed; -ERANGE: out of range.
 */
int kncpmu_interval_parse(const struct kncpmu_pmu *pmu, const char *text,
			  struct knc_pmu_event *event, struct kncpmu_error *err);

/**
 * kncpmu_samples_parse() - parse a list of events to be sampled
 * @pmu: the events' PMU
 * @text: EVENT, EVENT\@INTERVAL, EVENT:period=INTERVAL (as perf has it) or EVENT,INTERVAL (as
 *	collect has it), as for
 *	kncpmu_spec_parse() and kncpmu_interval_parse(), separated by commas
 * @items: room for the events; new ones are appended, out
 * @nr: number of events in @items, in and out
 * @max: room in @items
 * @err: the message of an error, out
 *
 * An EVENT without INTERVAL gets no KNC_PMU_EVENT_SAMPLE: the caller sets its interval.
 *
 * Return: 0; -ENOENT, -EINVAL, -ERANGE as these two; -E2BIG: more than @max.
 */
int kncpmu_samples_parse(const struct kncpmu_pmu *pmu, const char *text,
			 struct kncpmu_item *items, unsigned int *nr, unsigned int max,
			 struct kncpmu_error *err);

/* sets of hardware threads */

#define KNCPMU_CPUS_LONGS	(KNC_PMU_MAX_CPUS / 8 / sizeof(unsigned long))

/**
 * struct kncpmu_cpus - a set of hardware threads (CPUs as the kernel numbers them)
 * @bits: bit n is CPU n; the layout of cpu_set_t and of struct knc_pmu_config
 */
struct kncpmu_cpus {
	unsigned long bits[KNCPMU_CPUS_LONGS];
};

/**
 * kncpmu_cpus_set() - add a CPU
 * @cpus: the set
 * @cpu: the CPU, below KNC_PMU_MAX_CPUS
 */
void kncpmu_cpus_set(struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_next() - the first CPU of the set from @cpu on
 * @cpus: the set
 * @cpu: the first candidate
 *
 * Return: the CPU; KNC_PMU_MAX_CPUS: there is none.
 */
unsigned int kncpmu_cpus_next(const struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_parse() - parse a CPU list
 * @text: for instance "0-3,8"
 * @cpus: the set, out
 * @err: the message of an error: which character, why; out
 *
 * Return: 0; -EINVAL: malformed or empty; -ERANGE: beyond KNC_PMU_MAX_CPUS.
 */
int kncpmu_cpus_parse(const char *text, struct kncpmu_cpus *cpus,
		      struct kncpmu_error *err);

/**
 * kncpmu_cpus_format() - write a set as a CPU list
 * @cpus: the set
 * @text: for instance "0-3,8"; ends in "..." if it does not fit, out
 * @size: bytes of @text, at least 16
 */
void kncpmu_cpus_format(const struct kncpmu_cpus *cpus, char *text, size_t size);

/**
 * kncpmu_cpus_online() - the CPUs that are online
 * @cpus: the set, out
 *
 * Return: 0 or the negative errno of reading sysfs.
 */
int kncpmu_cpus_online(struct kncpmu_cpus *cpus);

/* the ioctls */

/**
 * kncpmu_open() - open the device: a session that is not configured yet
 * @path: the device node; NULL: KNC_PMU_DEVICE
 *
 * Return: a file descriptor, or a negative errno.
 */
int kncpmu_open(const char *path);

/**
 * kncpmu_close() - close a session and free its counters
 * @fd: the session; less than 0: does nothing
 */
void kncpmu_close(int fd);

/**
 * kncpmu_info() - KNC_PMU_IOC_INFO
 * @fd: a session, configured or not
 * @info: the answer, without a list of PMUs; out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_info(int fd, struct knc_pmu_info *info);

/* More than any machine has */
#define KNCPMU_MAX_PMUS	8

/**
 * kncpmu_pmus() - list the PMUs with KNC_PMU_IOC_INFO
 * @fd: a session, configured or not
 * @pmus: the PMUs, out
 * @nr: number of entries that fit
 *
 * Return: the number of PMUs, perhaps more than @nr; or a negative errno.
 */
int kncpmu_pmus(int fd, struct knc_pmu_desc *pmus, unsigned int nr);

/**
 * kncpmu_config() - KNC_PMU_IOC_CONFIG
 * @fd: the session
 * @cpus: the hardware threads
 * @events: the events; their @counter is out
 * @nr: number of events
 * @flags: KNC_PMU_CONFIG_*
 * @config: the request, with the reason if it was refused; out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_config(int fd, const struct kncpmu_cpus *cpus,
		  struct knc_pmu_event *events, unsigned int nr,
		  unsigned int flags, struct knc_pmu_config *config);

/**
 * kncpmu_config_sampling() - KNC_PMU_IOC_CONFIG of a session that samples
 * @fd: the session
 * @cpus: the hardware threads; NULL: follow task @pid of @config, with
 *	KNC_PMU_CONFIG_TASK in its @flags; and with KNC_PMU_CONFIG_PIDS the tasks of
 *	the array at its @cpus
 * @events: the events; their @counter is out
 * @nr: number of events
 * @config: @pmu, @flags, @pid, @max_frames, @sample_interval, @ring_size, @watermark and
 *	@stack_size, with KNC_PMU_CONFIG_PIDS @cpus and @cpus_size, in; the request, with
 *	the reason if it was refused; out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_config_sampling(int fd, const struct kncpmu_cpus *cpus,
			   struct knc_pmu_event *events, unsigned int nr,
			   struct knc_pmu_config *config);

/**
 * kncpmu_config_task() - KNC_PMU_IOC_CONFIG of a session that follows a task
 * @fd: the session
 * @pid: the thread to follow; 0: the caller
 * @events: the events; their @counter is out
 * @nr: number of events
 * @flags: KNC_PMU_CONFIG_PROCESS, _INHERIT, _ON_EXEC, _KEEP, _RDPMC and _USER_PREF;
 *	_TASK is added
 * @config: the request, with the reason if it was refused; out
 *
 * kncpmu_read() returns one record, the sum of all tasks that were followed.
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_config_task(int fd, int pid, struct knc_pmu_event *events,
		       unsigned int nr, unsigned int flags,
		       struct knc_pmu_config *config);

/**
 * kncpmu_start() - KNC_PMU_IOC_START
 * @fd: a configured session
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_start(int fd);

/**
 * kncpmu_stop() - KNC_PMU_IOC_STOP
 * @fd: a configured session
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_stop(int fd);

/**
 * kncpmu_reset() - KNC_PMU_IOC_RESET
 * @fd: a configured session
 * @flags: KNC_PMU_RESET_*
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_reset(int fd, unsigned int flags);

/**
 * kncpmu_read() - KNC_PMU_IOC_READ
 * @fd: a configured session
 * @records: room for the records, KNC_PMU_THREAD_SIZE(number of events) each, or
 *	KNC_PMU_SET_SIZE() if they are in several groups; out
 * @size: bytes of that room
 * @flags: KNC_PMU_READ_*; with KNC_PMU_READ_STOP and KNC_PMU_READ_START it is kncpmu_stop() or
 *	kncpmu_start() too
 *
 * Return: the number of records, or a negative errno.
 */
int kncpmu_read(int fd, void *records, size_t size, unsigned int flags);

/**
 * kncpmu_record() - find a record among those of kncpmu_read()
 * @records: the records
 * @nr_events: events of the session
 * @index: index of the record
 *
 * Return: the record; its @value has only @nr_events elements.
 */
const struct knc_pmu_thread *kncpmu_record(const void *records,
					   unsigned int nr_events,
					   unsigned int index);

/**
 * kncpmu_set_record() - kncpmu_record() for a session with several groups
 * @records: the records
 * @nr_events: events of the session
 * @index: index of the record
 * @running: for each event, how long it was counted, ns; out
 *
 * Return: the record, with @nr_events values.
 */
const struct knc_pmu_thread *kncpmu_set_record(const void *records,
					       unsigned int nr_events,
					       unsigned int index,
					       const __u64 **running);

/**
 * kncpmu_named_record() - find a record after a READ with KNC_PMU_READ_NAMES
 * @records: the records
 * @size: bytes of a record: KNC_PMU_THREAD_SIZE() or KNC_PMU_SET_SIZE()
 * @index: index of the record
 * @name: the name of its task, as the task has it: kncpmu_clean() before it is printed; out
 *
 * Return: the record.
 */
const struct knc_pmu_thread *kncpmu_named_record(const void *records, size_t size,
						 unsigned int index, const char **name);

/**
 * kncpmu_regs() - KNC_PMU_IOC_REGS
 * @fd: a session, configured or not
 * @cpu: the hardware thread
 * @regs: its PMU registers, out
 * @nr: number of entries that fit
 *
 * Return: the number of registers, perhaps more than @nr; or a negative errno.
 */
int kncpmu_regs(int fd, unsigned int cpu, struct knc_pmu_reg *regs, unsigned int nr);

/**
 * kncpmu_owner() - KNC_PMU_IOC_OWNER
 * @fd: a session, configured or not
 * @cpu: the hardware thread
 * @counter: the counter
 * @owner: its owner, out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_owner(int fd, unsigned int cpu, unsigned int counter,
		 struct knc_pmu_owner *owner);

/**
 * kncpmu_stats() - KNC_PMU_IOC_STATS
 * @fd: a session, configured or not
 * @stats: a record of each possible hardware thread, out
 * @nr: number of entries that fit
 *
 * Return: the number of hardware threads, perhaps more than @nr; or a negative errno.
 */
int kncpmu_stats(int fd, struct knc_pmu_stats *stats, unsigned int nr);

/**
 * kncpmu_grants() - KNC_PMU_IOC_GRANTS
 * @fd: a session, configured or not
 * @grants: processes that may execute RDPMC, out
 * @nr: number of entries that fit
 *
 * Return: the number of processes, perhaps more than @nr; or a negative errno.
 */
int kncpmu_grants(int fd, struct knc_pmu_grant *grants, unsigned int nr);

/**
 * kncpmu_evict() - KNC_PMU_IOC_EVICT: take counters away from other sessions
 * @fd: a session, configured or not; it keeps its own counters
 * @cpu: the hardware thread; KNC_PMU_NO_CPU: all
 * @counter: the counter; KNC_PMU_NO_COUNTER: all
 *
 * Return: the number of evicted sessions, or a negative errno.
 */
int kncpmu_evict(int fd, unsigned int cpu, unsigned int counter);

/**
 * kncpmu_page_map() - map the page with which a task reads its own counts
 * @fd: a session of one task, with KNC_PMU_CONFIG_RDPMC
 * @page: the page, out
 *
 * Most programs need only knc_self_open() of a configured session, which maps
 * the page, and knc_read() of knc/ring3.h.
 *
 * Return: 0; -EPROTO: no page as uapi/knc_pmu.h describes it; a negative errno.
 */
int kncpmu_page_map(int fd, const struct knc_pmu_page **page);

/**
 * kncpmu_page_unmap() - unmap the page
 * @page: the page; NULL: does nothing
 */
void kncpmu_page_unmap(const struct knc_pmu_page *page);

/**
 * kncpmu_clean() - make foreign text harmless for a terminal
 * @text: the text, for instance the name of a thread or of a file
 * @len: bytes of @text
 * @out: the clean text: valid UTF-8 on one line, out
 * @size: bytes of @out
 *
 * Control characters (which a terminal obeys), bidirectional controls (which move the text
 * beside them), invisible characters and bytes that are not UTF-8 become \xNN, \uNNNN or
 * \UNNNNNNNN. Everything else stays, a backslash too: clean text does not change. @out ends
 * with the last character or escape that fits as a whole.
 *
 * Return: bytes of the whole result, without the NUL.
 */
size_t kncpmu_clean(const char *text, size_t len, char *out, size_t size);

/* rings */

/**
 * struct kncpmu_ring - the reader's side of a ring
 * @page: its first page
 * @data: the records
 * @size: bytes of @data
 * @tail: position up to which records were released
 * @next: position up to which records were read
 * @mapped: bytes that kncpmu_ring_map() mapped
 */
struct kncpmu_ring {
	struct knc_pmu_ring *page;
	const unsigned char *data;
	__u64 size;
	__u64 tail;
	__u64 next;
	size_t mapped;
};

/**
 * kncpmu_ring_map() - map a ring of a session that samples
 * @fd: the session
 * @index: index of the ring; 0: that of the session's first hardware thread
 * @ring_size: as in CONFIG
 * @ring: the ring, out
 *
 * Return: 0; -EPROTO: no ring as uapi/knc_pmu.h describes it; a negative errno.
 */
int kncpmu_ring_map(int fd, unsigned int index, unsigned int ring_size,
		    struct kncpmu_ring *ring);

/**
 * kncpmu_ring_unmap() - unmap a ring
 * @ring: the ring; does nothing if all of it is 0
 */
void kncpmu_ring_unmap(struct kncpmu_ring *ring);

/**
 * kncpmu_ring_attach() - use memory as a ring
 * @ring: the ring, out
 * @memory: struct knc_pmu_ring and the records
 * @size: bytes of @memory
 *
 * Return: 0; -EPROTO: no ring as uapi/knc_pmu.h describes it.
 */
int kncpmu_ring_attach(struct kncpmu_ring *ring, void *memory, size_t size);

/**
 * kncpmu_ring_read() - get the next contiguous records
 * @ring: the ring
 * @records: complete records, without KNC_PMU_RECORD_PAD; valid until
 *	kncpmu_ring_release(), out
 *
 * Nothing is copied; the kernel overwrites the records only after they are released. Then
 * read again: more may be at the beginning of the ring.
 *
 * Return: bytes of records; 0: there are none; -EPROTO: the ring is damaged.
 */
long kncpmu_ring_read(struct kncpmu_ring *ring, const void **records);

/**
 * kncpmu_ring_release() - give the records that were read back to the kernel
 * @ring: the ring
 */
void kncpmu_ring_release(struct kncpmu_ring *ring);

/**
 * kncpmu_ring_next() - get one record after the other
 * @records: the records of kncpmu_ring_read()
 * @size: their bytes
 * @at: position of the next record, 0 at first; in and out
 *
 * Return: the record, which is within @size with its call chain; NULL: no more, or a damaged
 * record at *@at.
 */
const struct knc_pmu_record *kncpmu_ring_next(const void *records, size_t size,
					      size_t *at);

/* errors */

/**
 * enum kncpmu_op - the operation that failed
 * @KNCPMU_OP_OPEN: kncpmu_open()
 * @KNCPMU_OP_INFO: kncpmu_info()
 * @KNCPMU_OP_CONFIG: kncpmu_config()
 * @KNCPMU_OP_START: kncpmu_start()
 * @KNCPMU_OP_STOP: kncpmu_stop()
 * @KNCPMU_OP_RESET: kncpmu_reset()
 * @KNCPMU_OP_READ: kncpmu_read()
 * @KNCPMU_OP_REGS: kncpmu_regs()
 * @KNCPMU_OP_OWNER: kncpmu_owner()
 * @KNCPMU_OP_STATS: kncpmu_stats()
 * @KNCPMU_OP_MAP: kncpmu_ring_map()
 * @KNCPMU_OP_GRANTS: kncpmu_grants()
 * @KNCPMU_OP_PAGE: kncpmu_page_map()
 * @KNCPMU_OP_EVICT: kncpmu_evict()
 */
enum kncpmu_op {
	KNCPMU_OP_OPEN,
	KNCPMU_OP_INFO,
	KNCPMU_OP_CONFIG,
	KNCPMU_OP_START,
	KNCPMU_OP_STOP,
	KNCPMU_OP_RESET,
	KNCPMU_OP_READ,
	KNCPMU_OP_REGS,
	KNCPMU_OP_OWNER,
	KNCPMU_OP_STATS,
	KNCPMU_OP_MAP,
	KNCPMU_OP_GRANTS,
	KNCPMU_OP_PAGE,
	KNCPMU_OP_EVICT
};

/**
 * struct kncpmu_failure - a failed operation
 * @op: the operation
 * @error: the negative errno it returned
 * @cpu: the hardware thread, for KNCPMU_OP_REGS, KNCPMU_OP_OWNER and
 *	KNCPMU_OP_EVICT
 * @path: the device node, for KNCPMU_OP_OPEN; NULL: KNC_PMU_DEVICE
 * @config: the request as kncpmu_config() left it, for KNCPMU_OP_CONFIG, or NULL
 * @events: the events of the request; @config has their number
 * @pmu: the PMU of @events, whose names they have; NULL: they are shown as raw codes
 */
struct kncpmu_failure {
	enum kncpmu_op op;
	int error;
	unsigned int cpu;
	const char *path;
	const struct knc_pmu_config *config;
	const struct knc_pmu_event *events;
	const struct kncpmu_pmu *pmu;
};

/**
 * kncpmu_explain() - say in one line what failed, why, and what to do
 * @failure: the failure
 * @err: the line, out
 */
void kncpmu_explain(const struct kncpmu_failure *failure,
		    struct kncpmu_error *err);

/**
 * kncpmu_strerror() - kncpmu_explain() of an operation and its errno alone
 * @op: the operation
 * @error: the negative errno it returned
 * @err: the line, out
 *
 * For KNCPMU_OP_CONFIG kncpmu_explain() says more, because it knows the request.
 *
 * Return: the line, in @err.
 */
const char *kncpmu_strerror(enum kncpmu_op op, int error, struct kncpmu_error *err);

/* the calling thread */

/**
 * kncpmu_count_self() - count events of the calling thread, from now on
 * @text: one or two specifications as in kncpmu_list_parse(), of the machine's own PMU; user mode
 *	(:u) needs no privilege
 * @err: the message of an error, out
 *
 * Return: the session, for kncpmu_read_self() and kncpmu_close(); or a negative errno.
 */
int kncpmu_count_self(const char *text, struct kncpmu_error *err);

/**
 * kncpmu_read_self() - the counts of a session of kncpmu_count_self() until now
 * @fd: the session
 * @counts: the counts, in the order of the events; out
 * @nr: number of events
 * @err: the message of an error, out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_read_self(int fd, __u64 *counts, unsigned int nr, struct kncpmu_error *err);

#ifdef __cplusplus
}
#endif

#endif /* KNCPMU_H */
