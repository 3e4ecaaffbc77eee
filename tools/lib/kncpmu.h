/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * libkncpmu: a thin layer over the ioctls of /dev/knc_pmu
 *
 * It keeps no state of its own, prints nothing and never exits. What goes wrong
 * comes back as a negative errno; kncpmu_explain() makes one line of it that
 * says what, why and what to do.
 *
 *	fd = kncpmu_open(NULL);
 *	kncpmu_spec_parse("INSTRUCTIONS_EXECUTED:u", &event, &err);
 *	kncpmu_cpus_parse("0-3", &cpus, &err);
 *	kncpmu_config(fd, &cpus, &event, 1, 0, &config);
 *	kncpmu_start(fd);
 *	... the work ...
 *	kncpmu_stop(fd);
 *	n = kncpmu_read(fd, records, sizeof(records), 0);
 *	kncpmu_close(fd);
 *
 * A session that samples besides is configured with kncpmu_config_sampling();
 * kncpmu_ring_map() maps its rings, kncpmu_ring_read() reads them.
 *
 * One that follows a task instead of hardware threads is configured with
 * kncpmu_config_task(). If it follows the caller and asked for RDPMC, its counts
 * can be read without a system call: kncpmu_page_map().
 */
#ifndef KNCPMU_H
#define KNCPMU_H

#include <stddef.h>
#include <knc/regs.h>
#include <knc_pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct kncpmu_error - one line about what went wrong
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
 * enum kncpmu_unit - the part of the core an event belongs to (327357, table 1-6)
 * @KNCPMU_UNIT_P54C: the core proper
 * @KNCPMU_UNIT_CRI: core-ring interface: L2 and ring
 * @KNCPMU_UNIT_VPU: vector unit
 */
enum kncpmu_unit {
	KNCPMU_UNIT_P54C,
	KNCPMU_UNIT_CRI,
	KNCPMU_UNIT_VPU
};

/**
 * enum kncpmu_scope - whose events a hardware thread's counter counts
 * @KNCPMU_SCOPE_UNKNOWN: not documented
 * @KNCPMU_SCOPE_THREAD: those of the hardware thread
 * @KNCPMU_SCOPE_CORE: those of the core: all its threads read the same
 */
enum kncpmu_scope {
	KNCPMU_SCOPE_UNKNOWN,
	KNCPMU_SCOPE_THREAD,
	KNCPMU_SCOPE_CORE
};

/**
 * enum kncpmu_rate - how many of an event there are where they matter
 * @KNCPMU_RATE_COMMON: one in some cycles
 * @KNCPMU_RATE_RARE: one in hundreds of cycles
 * @KNCPMU_RATE_FREQUENT: about one a cycle
 * @KNCPMU_RATE_CYCLES: it counts cycles
 * @KNCPMU_RATE_ELEMENTS: some a cycle
 */
enum kncpmu_rate {
	KNCPMU_RATE_COMMON,
	KNCPMU_RATE_RARE,
	KNCPMU_RATE_FREQUENT,
	KNCPMU_RATE_CYCLES,
	KNCPMU_RATE_ELEMENTS
};

/* where an event is documented: struct kncpmu_event_desc @sources */
#define KNCPMU_SRC_327357	0x1
#define KNCPMU_SRC_LIBPFM4	0x2
#define KNCPMU_SRC_LIKWID	0x4
#define KNCPMU_SRC_LINUX	0x8

/**
 * struct kncpmu_event_desc - what is known of an event
 * @name: its name, in capitals
 * @desc: what it counts, one line
 * @event: event select
 * @umask: unit mask
 * @unit: the part of the core it belongs to
 * @scope: whose events are counted
 * @rate: how many there are
 * @emulated: the emulated card counts it
 * @counters: mask of the counters that can count it
 * @sources: KNCPMU_SRC_*: where it is documented
 */
struct kncpmu_event_desc {
	const char *name;
	const char *desc;
	__u8 event;
	__u8 umask;
	enum kncpmu_unit unit;
	enum kncpmu_scope scope;
	enum kncpmu_rate rate;
	int emulated;
	unsigned int counters;
	unsigned int sources;
};

/**
 * kncpmu_events() - the table of all named events
 * @nr: number of its entries, out
 *
 * Return: the table, constant.
 */
const struct kncpmu_event_desc *kncpmu_events(unsigned int *nr);

/**
 * kncpmu_event_find() - look an event up by its name
 * @name: the name, in any case
 *
 * Return: the event, or NULL.
 */
const struct kncpmu_event_desc *kncpmu_event_find(const char *name);

/**
 * kncpmu_event_by_code() - look an event up by its code
 * @event: event select
 * @umask: unit mask
 *
 * Return: the event, or NULL: 327357 and its peers have none of that code.
 */
const struct kncpmu_event_desc *kncpmu_event_by_code(unsigned int event,
						     unsigned int umask);

/* names that kncpmu_near_add() keeps */
#define KNCPMU_MAX_NEAR	8

/**
 * struct kncpmu_near - names like one that was misspelt
 * @word: what was written
 * @loose: names that are less like it too, behind all others
 * @nr: how many there are
 * @name: the nearest first
 * @distance: how unlike each is
 */
struct kncpmu_near {
	const char *word;
	int loose;
	unsigned int nr;
	const char *name[KNCPMU_MAX_NEAR];
	unsigned int distance[KNCPMU_MAX_NEAR];
};

/**
 * kncpmu_near_add() - look whether a name is one of the nearest
 * @near: those so far, with @word and @loose set and 0 for the rest at first
 * @name: the name; it must stay where it is
 *
 * Whatever the case, and parts of names are like them too.
 */
void kncpmu_near_add(struct kncpmu_near *near, const char *name);

/**
 * kncpmu_event_nearest() - the events whose names are like a misspelt one
 * @name: the misspelt or shortened name
 * @near: room for @max events, the nearest first, out
 * @max: how many are wanted
 *
 * Return: how many there are; 0: nothing is like it.
 */
unsigned int kncpmu_event_nearest(const char *name,
				  const struct kncpmu_event_desc **near,
				  unsigned int max);

/**
 * kncpmu_unit_name() - name of a unit
 * @unit: the unit
 *
 * Return: "P54C", "CRI" or "VPU".
 */
const char *kncpmu_unit_name(enum kncpmu_unit unit);

/**
 * kncpmu_scope_name() - name of a scope
 * @scope: the scope
 *
 * Return: "unknown", "thread" or "core".
 */
const char *kncpmu_scope_name(enum kncpmu_scope scope);

/**
 * kncpmu_source_name() - name of a source of event codes
 * @bit: bit number of a KNCPMU_SRC_*
 *
 * Return: for instance "libpfm4"; NULL behind the last one.
 */
const char *kncpmu_source_name(unsigned int bit);

/**
 * kncpmu_event_of() - the description of what a session counts
 * @event: an event
 *
 * Return: its description, or NULL: no table has its code.
 */
const struct kncpmu_event_desc *kncpmu_event_of(const struct knc_pmu_event *event);

/**
 * kncpmu_event_core_wide() - do all threads of a core read the same?
 * @event: the event with its flags
 *
 * Such counts must be taken once for each core when threads are summed up.
 *
 * Return: 1 for events of the core and for those in thread mode, else 0.
 */
int kncpmu_event_core_wide(const struct knc_pmu_event *event);

/* event specifications: NAME[:MODIFIERS] or rUUEE[:MODIFIERS] */

/* longest specification, with its end */
#define KNCPMU_SPEC_LEN	96

/**
 * kncpmu_spec_parse() - read an event specification
 * @text: the specification. Modifiers: u (rings 1 to 3), k (ring 0), e (edge),
 *	i (invert the comparison with c), t (thread mode), s (gated by SPFLT), D or the
 *	word pinned (always counted, where others take turns),
 *	c=N (counter mask, 1 to 255, decimal or 0x); each behind a ':', or
 *	letters run together behind one; u=1 and u=0 as in libpfm4. Without u and k: both.
 * @event: the event, out
 * @err: if it can't be read: which character, what is allowed; out
 *
 * Return: 0; -ENOENT: no event of that name; -EINVAL: malformed.
 */
int kncpmu_spec_parse(const char *text, struct knc_pmu_event *event,
		      struct kncpmu_error *err);

/**
 * kncpmu_spec_format() - write an event as a specification
 * @event: the event
 * @text: the specification, out
 * @size: bytes of @text; KNCPMU_SPEC_LEN is always enough
 */
void kncpmu_spec_format(const struct knc_pmu_event *event, char *text,
			size_t size);

/**
 * struct kncpmu_item - one event of a list
 * @event: what to count
 * @name: the specification as it was written
 * @group: 0: counts with whatever fits; else the number of its {group}
 */
struct kncpmu_item {
	struct knc_pmu_event event;
	char name[KNCPMU_SPEC_LEN];
	unsigned int group;
};

/**
 * kncpmu_list_parse() - read a list of event specifications
 * @text: specifications separated by commas; {A,B} must be counted together
 * @items: room for the events; new ones go behind those there, out
 * @nr: number of events in @items, in and out
 * @max: room in @items
 * @err: if it can't be read: why, out
 *
 * Return: 0; -ENOENT, -EINVAL as kncpmu_spec_parse(); -E2BIG: more than @max.
 */
int kncpmu_list_parse(const char *text, struct kncpmu_item *items,
		      unsigned int *nr, unsigned int max,
		      struct kncpmu_error *err);

/* how often to take a sample: N, N/s or the name of an interval */

/**
 * kncpmu_interval_parse() - let an event be sampled
 * @text: a number of events, 1 to KNC_PMU_MAX_PERIOD; N/s: samples a second, 1
 *	to KNC_PMU_MAX_FREQ; "on", "hi" or "lo": a prime that suits the event,
 *	with hi ten times as many samples and with lo a tenth
 * @event: the event; gets KNC_PMU_EVENT_SAMPLE, _FREQ and its @sample_period
 * @err: if it can't be read: why, out
 *
 * Return: 0; -EINVAL: malformed; -ERANGE: out of range.
 */
int kncpmu_interval_parse(const char *text, struct knc_pmu_event *event,
			  struct kncpmu_error *err);

/**
 * kncpmu_samples_parse() - read a list of events to be sampled
 * @text: EVENT or EVENT\@INTERVAL, as kncpmu_spec_parse() and
 *	kncpmu_interval_parse() have them, separated by commas
 * @items: room for the events; new ones go behind those there, out
 * @nr: number of events in @items, in and out
 * @max: room in @items
 * @err: if it can't be read: why, out
 *
 * Return: 0; -ENOENT, -EINVAL, -ERANGE as those; -E2BIG: more than @max.
 */
int kncpmu_samples_parse(const char *text, struct kncpmu_item *items,
			 unsigned int *nr, unsigned int max,
			 struct kncpmu_error *err);

/**
 * struct kncpmu_set - events that are counted at the same time
 * @nr: how many
 * @item: their indices
 */
struct kncpmu_set {
	unsigned int nr;
	unsigned int item[KNC_NR_COUNTERS];
};

/**
 * kncpmu_group() - put events into sets that can be counted together
 * @items: the events
 * @nr: how many
 * @sets: room for @nr sets, out
 *
 * {groups} stay together even if they can't be counted: the kernel says why.
 * The others are put together in their order, into as few sets as possible.
 *
 * Return: the number of sets.
 */
unsigned int kncpmu_group(const struct kncpmu_item *items, unsigned int nr,
			  struct kncpmu_set *sets);

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
 * kncpmu_cpus_clear() - take a CPU away
 * @cpus: the set
 * @cpu: the CPU, below KNC_PMU_MAX_CPUS
 */
void kncpmu_cpus_clear(struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_test() - is a CPU in the set?
 * @cpus: the set
 * @cpu: the CPU
 *
 * Return: 1 or 0.
 */
int kncpmu_cpus_test(const struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_count() - how many CPUs are in the set
 * @cpus: the set
 *
 * Return: how many.
 */
unsigned int kncpmu_cpus_count(const struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_next() - the first CPU of the set that is not below @cpu
 * @cpus: the set
 * @cpu: where to begin
 *
 * Return: the CPU; KNC_PMU_MAX_CPUS: there is none.
 */
unsigned int kncpmu_cpus_next(const struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_parse() - read a CPU list
 * @text: for instance "0-3,8"
 * @cpus: the set, out
 * @err: if it can't be read: which character, why; out
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
 * kncpmu_cpus_possible() - the CPUs the machine can have
 * @cpus: the set, out
 *
 * Return: 0 or the negative errno of reading sysfs.
 */
int kncpmu_cpus_possible(struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_online() - the CPUs online
 * @cpus: the set, out
 *
 * Return: 0 or the negative errno of reading sysfs.
 */
int kncpmu_cpus_online(struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_siblings() - the hardware threads of the core of a CPU
 * @cpu: the CPU
 * @cpus: the set, @cpu included, out
 *
 * Return: 0 or the negative errno of reading sysfs (offline CPUs have none).
 */
int kncpmu_cpus_siblings(unsigned int cpu, struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_check() - are all of them there and online?
 * @cpus: the set
 * @err: which isn't, and what to do; out
 *
 * Return: 0; -EINVAL: the set is empty; -ENXIO: one is not there or offline.
 */
int kncpmu_cpus_check(const struct kncpmu_cpus *cpus, struct kncpmu_error *err);

/* which hardware threads make up which core */

/**
 * struct kncpmu_core - a core
 * @package: number of its package, as the kernel has it
 * @id: its number, likewise; not all numbers need be there
 * @cpus: its hardware threads
 */
struct kncpmu_core {
	unsigned int package;
	unsigned int id;
	struct kncpmu_cpus cpus;
};

/**
 * struct kncpmu_topology - all cores
 * @nr_cores: how many cores
 * @cores: the cores in ascending order
 * @width: hardware threads of the core that has most of them online
 * @online: the hardware threads online. The kernel does not tell the core of the
 *	others: in @cores they are where a thread is missing
 * @unknown: offline, and that leaves a choice, or a whole core is offline
 */
struct kncpmu_topology {
	unsigned int nr_cores;
	struct kncpmu_core *cores;
	unsigned int width;
	struct kncpmu_cpus online;
	struct kncpmu_cpus unknown;
};

/**
 * kncpmu_topology_read() - ask the kernel
 * @root: directory instead of /sys/devices/system/cpu; NULL: that one
 * @t: the cores, out; for kncpmu_topology_free() if it was read
 *
 * Return: 0, or the negative errno of reading sysfs; -ENOMEM.
 */
int kncpmu_topology_read(const char *root, struct kncpmu_topology *t);

/**
 * kncpmu_topology_free() - free what kncpmu_topology_read() allocated
 * @t: the cores
 */
void kncpmu_topology_free(struct kncpmu_topology *t);

/**
 * kncpmu_topology_core() - the core of a hardware thread
 * @t: the cores
 * @cpu: the hardware thread
 *
 * Return: its index in @t->cores; -1: not known.
 */
int kncpmu_topology_core(const struct kncpmu_topology *t, unsigned int cpu);

/**
 * enum kncpmu_order - in which order hardware threads are used
 * @KNCPMU_ORDER_CORES: one of each core, and no more
 * @KNCPMU_ORDER_COMPACT: all of a core, then those of the next one
 * @KNCPMU_ORDER_SCATTER: one of each core, then a second one of each
 */
enum kncpmu_order {
	KNCPMU_ORDER_CORES,
	KNCPMU_ORDER_COMPACT,
	KNCPMU_ORDER_SCATTER
};

/**
 * kncpmu_topology_order() - hardware threads in the order in which to use them
 * @t: the cores
 * @order: which order
 * @of: those that can be used
 * @list: room for as many as there are in @of, out
 *
 * Return: how many there are.
 */
unsigned int kncpmu_topology_order(const struct kncpmu_topology *t,
				   enum kncpmu_order order,
				   const struct kncpmu_cpus *of, unsigned int *list);

/**
 * struct kncpmu_part - what one session counts, of those that count a list
 * @cpus: its hardware threads
 * @nr: events of it
 * @item: their indices, in the order that CONFIG wants
 * @group: @group of struct knc_pmu_event for each
 * @nr_groups: groups; more than 1: they take turns
 * @flags: KNC_PMU_EVENT_* that they get besides their own
 * @for_core: a hardware thread of it counts for all threads of its core
 */
struct kncpmu_part {
	struct kncpmu_cpus cpus;
	unsigned int nr;
	unsigned int item[KNC_PMU_MAX_SET];
	unsigned int group[KNC_PMU_MAX_SET];
	unsigned int nr_groups;
	unsigned int flags;
	int for_core;
};

/**
 * kncpmu_turns() - all events in one session
 * @items: the events; those with KNC_PMU_EVENT_PINNED go with all others
 * @nr: how many
 * @part: its @nr, @item, @group and @nr_groups; out
 *
 * As many events as there are counters are one group: together or refused. More
 * are kncpmu_group()'s sets. Where one is pinned each of the others is a group, but
 * for those that must be counted together: the kernel says why that can't be.
 *
 * Return: 0; -E2BIG: more than KNC_PMU_MAX_SET.
 */
int kncpmu_turns(const struct kncpmu_item *items, unsigned int nr,
		 struct kncpmu_part *part);

/* no turns where a core has the counters: an event of the core and two others */
#define KNCPMU_PLACE_EXACT	0x1
/* the counts of each hardware thread are wanted: no others' with them */
#define KNCPMU_PLACE_PER_CPU	0x2

/* parts there can be */
#define KNCPMU_PLACE_PARTS	4

/**
 * struct kncpmu_request - what is to be counted where
 * @items: the events
 * @nr: how many, at most KNC_PMU_MAX_SET
 * @cpus: hardware threads to be counted, all of them online
 * @online: those that can be used for it
 * @free: those to be preferred where one counts for its core; NULL: none are
 * @siblings: kncpmu_cpus_siblings(), or what stands for it
 * @flags: KNCPMU_PLACE_*
 */
struct kncpmu_request {
	const struct kncpmu_item *items;
	unsigned int nr;
	const struct kncpmu_cpus *cpus;
	const struct kncpmu_cpus *online;
	const struct kncpmu_cpus *free;
	int (*siblings)(unsigned int cpu, struct kncpmu_cpus *cpus);
	unsigned int flags;
};

/**
 * kncpmu_place() - which session counts which events on which hardware threads
 * @request: what is to be counted where
 * @parts: room for KNCPMU_PLACE_PARTS; out
 *
 * All events are one session, as kncpmu_turns() has it.
 *
 * With KNCPMU_PLACE_EXACT, an event of the core (CPU_CLK_UNHALTED) and a pair of
 * others are counted all the time: the first by a thread of the core that is
 * not to be counted itself; where all are, the pair by one of them in thread
 * mode and the first by another one; threads of @free are preferred. Only cores
 * with a single thread online take turns, and with KNCPMU_PLACE_PER_CPU those of
 * which all are counted.
 *
 * Return: the number of parts.
 */
unsigned int kncpmu_place(const struct kncpmu_request *request,
			  struct kncpmu_part *parts);

/* the card */

/**
 * struct kncpmu_cpu - what /proc/cpuinfo says of this CPU
 * @family: its family; 0: it says nothing
 * @model: its model
 * @hypervisor: it is not a real one
 */
struct kncpmu_cpu {
	unsigned int family;
	unsigned int model;
	int hypervisor;
};

/**
 * kncpmu_cpu_read() - which CPU this is
 * @cpu: what /proc/cpuinfo says, out
 *
 * A Knights Corner has KNC_CPU_FAMILY and KNC_CPU_MODEL of knc/regs.h.
 */
void kncpmu_cpu_read(struct kncpmu_cpu *cpu);

/**
 * struct kncpmu_card - what counts here
 * @emulated: it is the emulated card, which has few of the events
 * @nr_counters: counters of a hardware thread; 0: not known, nor is what follows
 * @features: KNC_PMU_FEATURE_*
 * @tsc_khz: rate of the time stamp counter in kHz; 0: not known
 * @real_time: it is the emulated card and its speed depends on what is counted, so that
 *	what took turns is compared at different speeds; not with knc-vm --icount
 */
struct kncpmu_card {
	int emulated;
	unsigned int nr_counters;
	__u64 features;
	unsigned int tsc_khz;
	int real_time;
};

/**
 * kncpmu_card_read() - ask the CPU and the module
 * @card: what they say, out
 *
 * Return: 0, or the negative errno of asking the module.
 */
int kncpmu_card_read(struct kncpmu_card *card);

/**
 * kncpmu_card_lacks() - is there nothing that could count an event?
 * @card: the card
 * @event: the event
 *
 * Codes that have no name are not lacking on a real card: nobody knows.
 *
 * Return: 1: there is nothing; 0: it can be counted.
 */
int kncpmu_card_lacks(const struct kncpmu_card *card, const struct knc_pmu_event *event);

/* the ioctls */

/**
 * kncpmu_open() - open the device: a session that is not configured yet
 * @path: the device node; NULL: KNC_PMU_DEVICE
 *
 * Return: a file descriptor, or a negative errno.
 */
int kncpmu_open(const char *path);

/**
 * kncpmu_close() - close it: the session gives everything back
 * @fd: the session; less than 0: nothing happens
 */
void kncpmu_close(int fd);

/**
 * kncpmu_info() - KNC_PMU_IOC_INFO
 * @fd: a session, configured or not
 * @info: what the PMU and the module offer, out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_info(int fd, struct knc_pmu_info *info);

/**
 * kncpmu_pmus() - the PMUs that KNC_PMU_IOC_INFO lists
 * @fd: a session, configured or not
 * @pmus: what each of them has, as many as there is room for; out
 * @nr: how many there is room for
 *
 * Return: how many there are, perhaps more than @nr; or a negative errno.
 */
int kncpmu_pmus(int fd, struct knc_pmu_desc *pmus, unsigned int nr);

/**
 * kncpmu_config() - KNC_PMU_IOC_CONFIG
 * @fd: the session
 * @cpus: where to count
 * @events: what to count; the counters they were put on come back
 * @nr: number of events
 * @flags: KNC_PMU_CONFIG_*
 * @config: what the kernel was asked, and its reasons if it refused; out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_config(int fd, const struct kncpmu_cpus *cpus,
		  struct knc_pmu_event *events, unsigned int nr,
		  unsigned int flags, struct knc_pmu_config *config);

/**
 * kncpmu_config_sampling() - KNC_PMU_IOC_CONFIG of a session that samples
 * @fd: the session
 * @cpus: where to count; NULL: a task, @pid of @config, with KNC_PMU_CONFIG_TASK
 *	in its @flags
 * @events: what to count; the counters they were put on come back
 * @nr: number of events
 * @config: @flags, @max_frames, @sample_interval, @ring_size and @watermark, in;
 *	what the kernel was asked, and its reasons if it refused; out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_config_sampling(int fd, const struct kncpmu_cpus *cpus,
			   struct knc_pmu_event *events, unsigned int nr,
			   struct knc_pmu_config *config);

/**
 * kncpmu_config_task() - KNC_PMU_IOC_CONFIG of a session that follows a task
 * @fd: the session
 * @pid: the thread to be followed; 0: the caller
 * @events: what to count; the counters they were put on come back
 * @nr: number of events
 * @flags: KNC_PMU_CONFIG_PROCESS, _INHERIT, _ON_EXEC, _RDPMC and _USER_PREF;
 *	KNC_PMU_CONFIG_TASK goes without saying
 * @config: what the kernel was asked, and its reasons if it refused; out
 *
 * kncpmu_read() has one record for it, the sum of all it followed.
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
 * @flags: KNC_PMU_READ_*
 *
 * Return: the number of records, or a negative errno.
 */
int kncpmu_read(int fd, void *records, size_t size, unsigned int flags);

/**
 * kncpmu_record() - one of the records that kncpmu_read() filled in
 * @records: the records
 * @nr_events: events of the session
 * @index: which record
 *
 * Return: the record; only @nr_events of its values are there.
 */
const struct knc_pmu_thread *kncpmu_record(const void *records,
					   unsigned int nr_events,
					   unsigned int index);

/**
 * kncpmu_set_record() - the same of a session with several groups
 * @records: the records
 * @nr_events: events of the session
 * @index: which record
 * @running: for each event, how long it was counted, ns; out
 *
 * Return: the record, with @nr_events values.
 */
const struct knc_pmu_thread *kncpmu_set_record(const void *records,
					       unsigned int nr_events,
					       unsigned int index,
					       const __u64 **running);

/**
 * kncpmu_regs() - KNC_PMU_IOC_REGS
 * @fd: a session, configured or not
 * @cpu: the hardware thread
 * @regs: its PMU registers, as many as there is room for; out
 * @nr: how many there is room for
 *
 * Return: how many there are, perhaps more than @nr; or a negative errno.
 */
int kncpmu_regs(int fd, unsigned int cpu, struct knc_pmu_reg *regs, unsigned int nr);

/**
 * kncpmu_owner() - KNC_PMU_IOC_OWNER
 * @fd: a session, configured or not
 * @cpu: the hardware thread
 * @counter: the counter
 * @owner: who has it, out
 *
 * Return: 0 or a negative errno.
 */
int kncpmu_owner(int fd, unsigned int cpu, unsigned int counter,
		 struct knc_pmu_owner *owner);

/**
 * kncpmu_stats() - KNC_PMU_IOC_STATS
 * @fd: a session, configured or not
 * @stats: a record of each possible hardware thread, as many as there is room for; out
 * @nr: how many there is room for
 *
 * Return: how many there are, perhaps more than @nr; or a negative errno.
 */
int kncpmu_stats(int fd, struct knc_pmu_stats *stats, unsigned int nr);

/**
 * kncpmu_grants() - KNC_PMU_IOC_GRANTS
 * @fd: a session, configured or not
 * @grants: processes that may execute RDPMC, as many as there is room for; out
 * @nr: how many there is room for
 *
 * Return: how many there are, perhaps more than @nr; or a negative errno.
 */
int kncpmu_grants(int fd, struct knc_pmu_grant *grants, unsigned int nr);

/**
 * kncpmu_evict() - KNC_PMU_IOC_EVICT: take counters away from other sessions
 * @fd: a session, configured or not; it keeps its own
 * @cpu: the hardware thread; KNC_PMU_NO_CPU: all
 * @counter: the counter; KNC_PMU_NO_COUNTER: all
 *
 * Return: how many sessions were evicted, or a negative errno.
 */
int kncpmu_evict(int fd, unsigned int cpu, unsigned int counter);

/**
 * kncpmu_page_map() - map the page with which a task reads its own counts
 * @fd: a session of one task, with KNC_PMU_CONFIG_RDPMC
 * @page: the page, out
 *
 * For programs that read it in a way of their own. knc_self_open() of knc/ring3.h
 * does all of it: configure, map, and knc_read() reads.
 *
 * Return: 0; -EPROTO: it is not what uapi/knc_pmu.h describes; a negative errno.
 */
int kncpmu_page_map(int fd, const struct knc_pmu_page **page);

/**
 * kncpmu_page_unmap() - let go of it
 * @page: the page; NULL: nothing happens
 */
void kncpmu_page_unmap(const struct knc_pmu_page *page);

/**
 * kncpmu_process_name() - a process for people to read
 * @pid: the process; 0: one that is not visible from here
 * @text: for instance "pid 123 (stress)", clean, out; KNCPMU_PROCESS_LEN is always enough
 * @size: bytes of @text
 */
void kncpmu_process_name(int pid, char *text, size_t size);

/* Bytes that hold the name of any thread, clean, and of any process with its number */
#define KNCPMU_COMM_LEN		64
#define KNCPMU_PROCESS_LEN	96

/**
 * kncpmu_thread_name() - what a thread calls itself
 * @tid: the thread
 * @text: its name, clean, out; as it was if there is no such thread
 * @size: bytes of @text; KNCPMU_COMM_LEN is always enough
 *
 * Return: 0, or a negative errno.
 */
int kncpmu_thread_name(int tid, char *text, size_t size);

/**
 * kncpmu_read_line() - the first line of a small file, as those of /proc and /sys are
 * @path: the file
 * @line: the line without its newline, out; as somebody wrote it: see kncpmu_clean(); ""
 *	if there is none
 * @size: bytes of @line
 *
 * Return: 0, or a negative errno: the file can't be opened.
 */
int kncpmu_read_line(const char *path, char *line, size_t size);

/**
 * kncpmu_clean() - make text of somebody else fit to be shown
 * @text: the text, for instance the name of a thread or of a file
 * @len: bytes of it
 * @out: the same text, out; valid UTF-8 on one line
 * @size: bytes of @out
 *
 * A terminal obeys control characters, and bidirectional ones move what stands beside
 * them. These, characters that can't be seen and bytes that are not UTF-8 become
 * \xNN, \uNNNN or \UNNNNNNNN. All else stays as it is, a backslash too: clean text
 * does not change. @out ends with the last character or escape that has room as a whole.
 *
 * Return: bytes that the whole result has, without the NUL.
 */
size_t kncpmu_clean(const char *text, size_t len, char *out, size_t size);

/* rings */

/**
 * struct kncpmu_ring - the reader's side of a ring
 * @page: what the kernel says of it; struct knc_pmu_ring
 * @data: the records
 * @size: bytes of them
 * @tail: bytes read and given back
 * @next: bytes read
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
 * @index: which: 0 is that of its first hardware thread
 * @ring_size: as in CONFIG
 * @ring: the ring, out
 *
 * Return: 0; -EPROTO: it is not what uapi/knc_pmu.h describes; a negative errno.
 */
int kncpmu_ring_map(int fd, unsigned int index, unsigned int ring_size,
		    struct kncpmu_ring *ring);

/**
 * kncpmu_ring_unmap() - let go of it
 * @ring: a ring; one that is all zeros: nothing happens
 */
void kncpmu_ring_unmap(struct kncpmu_ring *ring);

/**
 * kncpmu_ring_attach() - use memory as a ring
 * @ring: the ring, out
 * @memory: struct knc_pmu_ring and the records
 * @size: bytes of it
 *
 * Return: 0; -EPROTO: it is not what uapi/knc_pmu.h describes.
 */
int kncpmu_ring_attach(struct kncpmu_ring *ring, void *memory, size_t size);

/**
 * kncpmu_ring_read() - what there is to read, as far as it is in one piece
 * @ring: the ring
 * @records: complete records, without KNC_PMU_RECORD_PAD; valid until
 *	kncpmu_ring_release(), out
 *
 * Nothing is copied and the kernel does not write there before they are
 * released. Read again after that: the rest may be at the beginning of the ring.
 *
 * Return: bytes of records; 0: there are none; -EPROTO: the ring is damaged.
 */
long kncpmu_ring_read(struct kncpmu_ring *ring, const void **records);

/**
 * kncpmu_ring_release() - give back to the kernel what was read
 * @ring: the ring
 */
void kncpmu_ring_release(struct kncpmu_ring *ring);

/**
 * kncpmu_ring_next() - one record after the other
 * @records: what kncpmu_ring_read() returned
 * @size: bytes of it
 * @at: 0 at first, in and out
 *
 * Return: the record, or NULL: that was all. What it holds (call chains) is
 * within @size.
 */
const struct knc_pmu_record *kncpmu_ring_next(const void *records, size_t size,
					      size_t *at);

/* errors */

/**
 * enum kncpmu_op - what failed
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
 * struct kncpmu_failure - what is known of a failure
 * @op: what failed
 * @error: the negative errno it returned
 * @cpu: the hardware thread, for KNCPMU_OP_REGS, KNCPMU_OP_OWNER and
 *	KNCPMU_OP_EVICT
 * @path: the device node, for KNCPMU_OP_OPEN; NULL: KNC_PMU_DEVICE
 * @config: what kncpmu_config() returned, for KNCPMU_OP_CONFIG, or NULL
 * @events: the events it was asked for; @config has their number
 */
struct kncpmu_failure {
	enum kncpmu_op op;
	int error;
	unsigned int cpu;
	const char *path;
	const struct knc_pmu_config *config;
	const struct knc_pmu_event *events;
};

/**
 * kncpmu_explain() - say in one line what failed, why, and what to do
 * @failure: what is known of it
 * @err: the line, out
 */
void kncpmu_explain(const struct kncpmu_failure *failure,
		    struct kncpmu_error *err);

#ifdef __cplusplus
}
#endif

#endif /* KNCPMU_H */
