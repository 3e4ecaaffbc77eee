/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * libkncpmu: a thin layer over the ioctls of /dev/knc_pmu
 *
 * It keeps no state of its own, prints nothing and never exits. Functions that fail
 * return a negative errno; kncpmu_explain() turns it into one line that says what
 * failed, why, and what to do.
 *
 *	struct kncpmu_error err;
 *	struct kncpmu_cpus cpus;
 *	struct knc_pmu_event event;
 *	struct knc_pmu_config config;
 *	struct knc_pmu_thread records[4];
 *
 *	fd = kncpmu_open(NULL);
 *	kncpmu_spec_parse("INSTRUCTIONS_EXECUTED:u", &event, &err);
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
 * @KNCPMU_RATE_COMMON: once in some cycles
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
 * @KNCPMU_EMULATED_STAND_IN: only with knc-vm --vpu-stand-in, and then packed SSE operations
 */
enum kncpmu_emulated {
	KNCPMU_EMULATED_NONE,
	KNCPMU_EMULATED_EXACT,
	KNCPMU_EMULATED_MODELLED,
	KNCPMU_EMULATED_STAND_IN
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

/* Counters of a PMU, at most, and events that are counted at the same time */
#define KNCPMU_MAX_COUNTERS	KNC_PMU_MAX_EVENTS

/**
 * struct kncpmu_pmu - a PMU whose events this library knows by name
 * @name: as in struct knc_pmu_desc
 * @counters: mask of its counters
 * @nr_counters: how many
 * @nr_general: how many can be picked by /N after the name of an event
 * @cycles: its event of core clock cycles
 * @instructions: its event of executed instructions
 * @id: @pmu of struct knc_pmu_config
 */
struct kncpmu_pmu {
	const char *name;
	__u64 counters;
	unsigned int nr_counters;
	unsigned int nr_general;
	const char *cycles;
	const char *instructions;
	unsigned int id;
};

/**
 * struct kncpmu_level - something whose level is read, where an event is counted
 * @name: its name, with that of its PMU as perf writes it: "cmt/llc_occupancy/"
 * @pmu: name of the PMU in INFO
 * @event: @event of struct knc_pmu_event; its @flags are 0
 * @desc: description
 */
struct kncpmu_level {
	const char *name;
	const char *pmu;
	__u64 event;
	const char *desc;
};

/**
 * kncpmu_levels() - all levels
 * @nr: their number, out
 *
 * Return: the levels.
 */
const struct kncpmu_level *kncpmu_levels(unsigned int *nr);

/**
 * kncpmu_level_named() - the level of a name
 * @name: its name
 *
 * Return: the level, or NULL.
 */
const struct kncpmu_level *kncpmu_level_named(const char *name);

/**
 * kncpmu_pmu_find() - find a PMU of this machine by its name
 * @fd: a session
 * @name: "knc", "arch", "cmt"
 * @pmu: the PMU, out; its @id is @pmu of struct knc_pmu_config for kncpmu_config_sampling()
 *
 * Return: 0; -ENOENT: this machine has none of this name; or another negative errno.
 */
int kncpmu_pmu_find(int fd, const char *name, struct knc_pmu_desc *pmu);

/**
 * kncpmu_pmu_use() - choose the PMU whose events have names from here on
 * @name: "knc"; "arch": the architectural PMU of a host (CPUID leaf 0xA); "westmere": that of a
 *	Westmere; "uncore": that of its packages
 *
 * Without this it is the PMU of the machine, if module knc_pmu is loaded there, else Knights
 * Corner's.
 *
 * Return: 0, or -ENOENT.
 */
int kncpmu_pmu_use(const char *name);

/**
 * kncpmu_list_pmu() - take the names of PMUs out of a list of events
 * @text: a list for kncpmu_list_parse(), or one with events such as "uncore/QMC_NORMAL_READS.ANY/"
 * @list: the list without these names, out
 * @size: bytes of @list: more than @text has
 * @err: the error, out
 *
 * Chooses the PMU, as kncpmu_pmu_use() does; sessions name it by @id of kncpmu_pmu(). All events of
 * a list are of one PMU. Without a name nothing changes.
 *
 * Return: 0, -EINVAL; -ENODEV: the machine does not have it.
 */
int kncpmu_list_pmu(const char *text, char *list, size_t size, struct kncpmu_error *err);

/**
 * kncpmu_pmu() - the PMU whose events have names
 *
 * Return: the PMU.
 */
const struct kncpmu_pmu *kncpmu_pmu(void);

/**
 * kncpmu_events() - the table of all named events of the PMU
 * @nr: number of its entries, out
 *
 * Return: the table, constant.
 */
const struct kncpmu_event_desc *kncpmu_events(unsigned int *nr);

/**
 * kncpmu_event_find() - look an event up by its name
 * @name: the name, in capitals or small letters
 *
 * Return: the event, or NULL.
 */
const struct kncpmu_event_desc *kncpmu_event_find(const char *name);

/* tools that have a name: struct kncpmu_alias @tools */
#define KNCPMU_TOOL_COLLECT	0x1
#define KNCPMU_TOOL_PERF	0x2
#define KNCPMU_TOOL_PAPI	0x4

/**
 * struct kncpmu_alias - another name of an event
 * @name: the name
 * @event: the event's name
 * @tools: KNCPMU_TOOL_*: the tools that have it
 * @title: what collect calls it; NULL: it has no such name
 */
struct kncpmu_alias {
	const char *name;
	const char *event;
	unsigned int tools;
	const char *title;
};

/**
 * kncpmu_aliases() - the table of other names of events of the PMU
 * @nr: number of its entries, out
 *
 * Return: the table, constant.
 */
const struct kncpmu_alias *kncpmu_aliases(unsigned int *nr);

/**
 * kncpmu_tool_name() - name of a tool that has names for events
 * @bit: bit number of a KNCPMU_TOOL_*
 *
 * Return: "collect", "perf" or "PAPI"; NULL after the last one.
 */
const char *kncpmu_tool_name(unsigned int bit);

/**
 * kncpmu_event_by_alias() - look an event up by another name of it
 * @name: the name that another tool has for it, in capitals or small letters
 *
 * Return: the event, or NULL.
 */
const struct kncpmu_event_desc *kncpmu_event_by_alias(const char *name);

/**
 * kncpmu_event_named() - look an event up by its own name or another
 * @name: the name, as a user writes it: kncpmu_event_find() and kncpmu_event_by_alias()
 *
 * Return: the event, or NULL.
 */
const struct kncpmu_event_desc *kncpmu_event_named(const char *name);

/**
 * kncpmu_event_by_code() - look an event up by its code
 * @event: event select
 * @umask: unit mask
 *
 * Return: the event, or NULL: no source documents that code.
 */
const struct kncpmu_event_desc *kncpmu_event_by_code(unsigned int event,
						     unsigned int umask);

/* Number of names that kncpmu_near_add() keeps */
#define KNCPMU_MAX_NEAR	8

/**
 * struct kncpmu_near - names similar to a misspelt one
 * @word: the misspelt name
 * @loose: accept less similar names too, after all others
 * @nr: number of names
 * @name: the names, the most similar one first
 * @rank: of each: smaller is more similar
 */
struct kncpmu_near {
	const char *word;
	int loose;
	unsigned int nr;
	const char *name[KNCPMU_MAX_NEAR];
	unsigned int rank[KNCPMU_MAX_NEAR];
};

/**
 * kncpmu_near_add() - keep a name if it is one of the most similar
 * @near: the names so far; at first only @word and @loose are set, the rest is 0
 * @name: the name; only its address is kept
 *
 * Capitals and small letters are the same; @word may also be a part of @name.
 */
void kncpmu_near_add(struct kncpmu_near *near, const char *name);

/**
 * kncpmu_event_nearest() - find the events whose names are similar to a misspelt one
 * @name: the misspelt or shortened name
 * @near: room for @max events, the nearest first, out
 * @max: number of events wanted
 *
 * Names that other tools have for events are looked at as well.
 *
 * Return: the number of events; 0: no name is similar.
 */
unsigned int kncpmu_event_nearest(const char *name,
				  const struct kncpmu_event_desc **near,
				  unsigned int max);

/**
 * kncpmu_unit_name() - name of a unit
 * @unit: the unit
 *
 * Return: "P54C", "CRI", "VPU", "core" or "unc".
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
 * kncpmu_emulated_name() - name of a way to count on the emulated card
 * @emulated: the way
 *
 * Return: "exact", "modelled" or "no", constant.
 */
const char *kncpmu_emulated_name(enum kncpmu_emulated emulated);

/**
 * kncpmu_source_name() - name of a source of event codes
 * @bit: bit number of a KNCPMU_SRC_*
 *
 * Return: for instance "libpfm4"; NULL after the last one.
 */
const char *kncpmu_source_name(unsigned int bit);

/**
 * kncpmu_event_of() - look up the description of a session's event
 * @event: the event
 *
 * Return: its description, or NULL: its code is not in the table.
 */
const struct kncpmu_event_desc *kncpmu_event_of(const struct knc_pmu_event *event);

/**
 * kncpmu_event_core_wide() - do all threads of a core count the same?
 * @event: the event with its flags
 *
 * A sum over threads must include such a count once for each core.
 *
 * Return: 1 for core-wide events and for events in thread mode, else 0.
 */
int kncpmu_event_core_wide(const struct knc_pmu_event *event);

/**
 * kncpmu_event_cycles() - does an event count cycles, not what happens in them?
 * @event: the event with its flags
 *
 * Return: 1 for events that count cycles, and for all with a counter mask; with EDGE 0.
 */
int kncpmu_event_cycles(const struct knc_pmu_event *event);

/**
 * kncpmu_event_timed() - does an event count cycles that all take the same time?
 * @event: the event with its flags
 *
 * The cores of a card have one clock, at the rate of the time stamp counter. Those of a host go
 * slower and faster (turbo): only the reference cycles of fixed counter 2 tick at that rate.
 *
 * Return: 1 if its cycles can be shown as seconds, else 0.
 */
int kncpmu_event_timed(const struct knc_pmu_event *event);

/**
 * kncpmu_event_by_others() - do other cores cause an event, whatever the program does?
 * @event: the event
 *
 * Where the program was at such an event says nothing about the event.
 *
 * Return: 1 if they do (KNCPMU_CAUSE_OTHERS), else 0.
 */
int kncpmu_event_by_others(const struct knc_pmu_event *event);

/**
 * kncpmu_event_tries_counter() - is an event asked for on a counter not known to count it?
 * @event: the event
 *
 * A module that was loaded with any_counter=1 allows it (KNC_PMU_FEATURE_ANY_COUNTER): the count is
 * a trial.
 *
 * Return: 1 if @counters of @event has none of those that are known to count it, else 0.
 */
int kncpmu_event_tries_counter(const struct knc_pmu_event *event);

/**
 * kncpmu_event_kind() - the kind of an event, in the words of collect -h
 * @event: the event with its flags
 *
 * Return: "CPU-cycles", "events", "load events", "store events", "load-store events" or
 *	"not-program-related events", constant.
 */
const char *kncpmu_event_kind(const struct knc_pmu_event *event);

/* event specifications: NAME[/COUNTER][:MODIFIERS] or rUUEE[/COUNTER][:MODIFIERS] */

/* Bytes of the longest specification, with its NUL */
#define KNCPMU_SPEC_LEN	96

/**
 * kncpmu_spec_parse() - parse an event specification
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
 * @group: the number of its {group}; 0: in no group
 */
struct kncpmu_item {
	struct knc_pmu_event event;
	char name[KNCPMU_SPEC_LEN];
	unsigned int group;
};

/**
 * kncpmu_list_parse() - parse a list of event specifications
 * @text: specifications separated by commas; {A,B} must be counted together, {A,B}:u both
 *	with these modifiers
 * @items: room for the events; new ones are appended, out
 * @nr: number of events in @items, in and out
 * @max: room in @items
 * @err: the message of an error, out
 *
 * Return: 0; -ENOENT, -EINVAL as kncpmu_spec_parse(); -E2BIG: more than @max.
 */
int kncpmu_list_parse(const char *text, struct kncpmu_item *items,
		      unsigned int *nr, unsigned int max,
		      struct kncpmu_error *err);

/* how often to take a sample: N, N/s or the name of a period */

/**
 * kncpmu_interval_parse() - parse how often an event is to be sampled
 * @text: a number of events, 1 to KNC_PMU_MAX_PERIOD; N/s: samples a second, 1
 *	to KNC_PMU_MAX_FREQ; "on", "hi" or "lo": a prime that suits the event,
 *	with hi ten times as many samples and with lo a tenth, and with a limit of 2000
 *	samples a second, 20000 and 200 (KNC_PMU_LIMITED())
 * @event: the event; KNC_PMU_EVENT_SAMPLE, _FREQ, _LIMIT and @sample_period are set
 * @err: the message of an error, out
 *
 * Return: 0; -EINVAL: malformed; -ERANGE: out of range.
 */
int kncpmu_interval_parse(const char *text, struct knc_pmu_event *event,
			  struct kncpmu_error *err);

/**
 * kncpmu_samples_parse() - parse a list of events to be sampled
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
int kncpmu_samples_parse(const char *text, struct kncpmu_item *items,
			 unsigned int *nr, unsigned int max,
			 struct kncpmu_error *err);

/**
 * struct kncpmu_set - events that are counted at the same time: a group of the glossary
 * @nr: number of events
 * @item: their indices
 */
struct kncpmu_set {
	unsigned int nr;
	unsigned int item[KNCPMU_MAX_COUNTERS];
};

/**
 * kncpmu_group() - put events into sets that can be counted together
 * @items: the events
 * @nr: number of events
 * @sets: room for @nr sets, out
 *
 * A {group} becomes one set, also if it can't be counted: CONFIG then has the reason. One that has
 * more events than there are counters becomes several. The other events are put together in
 * their order, into as few sets as possible.
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
 * kncpmu_cpus_clear() - remove a CPU
 * @cpus: the set
 * @cpu: the CPU, below KNC_PMU_MAX_CPUS
 */
void kncpmu_cpus_clear(struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_or() - add the CPUs of another set
 * @cpus: the set
 * @others: the CPUs to add
 */
void kncpmu_cpus_or(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others);

/**
 * kncpmu_cpus_and() - remove all CPUs but those of another set
 * @cpus: the set
 * @others: the CPUs to keep
 */
void kncpmu_cpus_and(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others);

/**
 * kncpmu_cpus_andnot() - remove the CPUs of another set
 * @cpus: the set
 * @others: the CPUs to remove
 */
void kncpmu_cpus_andnot(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others);

/**
 * kncpmu_cpus_test() - is a CPU in the set?
 * @cpus: the set
 * @cpu: the CPU
 *
 * Return: 1 or 0.
 */
int kncpmu_cpus_test(const struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_count() - count the CPUs of the set
 * @cpus: the set
 *
 * Return: their number.
 */
unsigned int kncpmu_cpus_count(const struct kncpmu_cpus *cpus);

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
 * kncpmu_cpus_possible() - the CPUs that the machine can have
 * @cpus: the set, out
 *
 * Return: 0 or the negative errno of reading sysfs.
 */
int kncpmu_cpus_possible(struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_online() - the CPUs that are online
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
 * kncpmu_cpus_packages() - keep one hardware thread of each package
 * @cpus: hardware threads that are online; the lowest of each package remains
 *
 * Return: 0, or a negative errno: the kernel does not tell the packages.
 */
int kncpmu_cpus_packages(struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_check() - are all CPUs of a set online?
 * @cpus: the set
 * @err: the message of an error: which CPU is not, what to do; out
 *
 * Return: 0; -EINVAL: the set is empty; -ENXIO: a CPU does not exist or is offline.
 */
int kncpmu_cpus_check(const struct kncpmu_cpus *cpus, struct kncpmu_error *err);

/* the hardware threads of each core */

/**
 * struct kncpmu_core - a core
 * @package: the kernel's number of its package
 * @id: the kernel's number of the core; numbers may be missing
 * @cpus: its hardware threads
 */
struct kncpmu_core {
	unsigned int package;
	unsigned int id;
	struct kncpmu_cpus cpus;
};

/**
 * struct kncpmu_topology - all cores
 * @nr_cores: number of cores
 * @cores: the cores in ascending order
 * @width: the largest number of threads that a core has online
 * @online: the hardware threads online. The kernel does not tell the core of the
 *	others: @cores has one of them if only one core can be its own
 * @unknown: offline hardware threads whose core is not known
 */
struct kncpmu_topology {
	unsigned int nr_cores;
	struct kncpmu_core *cores;
	unsigned int width;
	struct kncpmu_cpus online;
	struct kncpmu_cpus unknown;
};

/**
 * kncpmu_topology_read() - read the topology from sysfs
 * @root: directory to be read; NULL: /sys/devices/system/cpu, which must be the kernel's, or that
 *	of the environment variable KNC_PMUCTL_SYSFS
 * @t: the cores, out; on success kncpmu_topology_free() frees them
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
 * Return: the index of the core in @t->cores; -1: not known.
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
 * kncpmu_topology_order() - list hardware threads in the order in which to use them
 * @t: the cores
 * @order: the order
 * @of: the hardware threads that can be used
 * @list: room for as many as @of has, out
 *
 * Return: the length of the list.
 */
unsigned int kncpmu_topology_order(const struct kncpmu_topology *t,
				   enum kncpmu_order order,
				   const struct kncpmu_cpus *of, unsigned int *list);

/**
 * struct kncpmu_part - one of the sessions that together count a list of events
 * @cpus: its hardware threads
 * @nr: number of its events
 * @item: their indices in the list, in the order of CONFIG
 * @group: for each, @group of struct knc_pmu_event
 * @nr_groups: number of groups; more than 1: they take turns
 * @flags: KNC_PMU_EVENT_* that the events get besides their own
 * @for_core: its hardware threads count for all threads of their cores
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
 * kncpmu_turns() - count all events in one session
 * @items: the events; an event with KNC_PMU_EVENT_PINNED is in all groups
 * @nr: number of events
 * @part: the session: @nr, @item, @group and @nr_groups; out
 *
 * Events for which the counters suffice are one group, which CONFIG takes or refuses.
 * Otherwise kncpmu_group() makes the groups; if an event is pinned, each other event or
 * {group} is one.
 *
 * Return: 0; -E2BIG: more than KNC_PMU_MAX_SET events.
 */
int kncpmu_turns(const struct kncpmu_item *items, unsigned int nr,
		 struct kncpmu_part *part);

/* avoid turns for a core-wide event and two others: use counters of other threads of the core */
#define KNCPMU_PLACE_EXACT	0x1
/* count each hardware thread for itself, never in thread mode */
#define KNCPMU_PLACE_PER_CPU	0x2

/* largest number of parts */
#define KNCPMU_PLACE_PARTS	4

/**
 * struct kncpmu_request - which events are to be counted on which hardware threads
 * @items: the events
 * @nr: number of events, at most KNC_PMU_MAX_SET
 * @cpus: hardware threads to be counted, all of them online
 * @online: hardware threads that may be used for it
 * @preferred: hardware threads that are to count for their cores if possible; NULL: none
 * @siblings: kncpmu_cpus_siblings(), or a function that replaces it
 * @flags: KNCPMU_PLACE_*
 */
struct kncpmu_request {
	const struct kncpmu_item *items;
	unsigned int nr;
	const struct kncpmu_cpus *cpus;
	const struct kncpmu_cpus *online;
	const struct kncpmu_cpus *preferred;
	int (*siblings)(unsigned int cpu, struct kncpmu_cpus *cpus);
	unsigned int flags;
};

/**
 * kncpmu_place() - distribute events over sessions and hardware threads
 * @request: the events and hardware threads
 * @parts: room for KNCPMU_PLACE_PARTS; out
 *
 * Without KNCPMU_PLACE_EXACT, or if the events are not one core-wide event and a pair of others,
 * all are in one session, as by kncpmu_turns().
 *
 * With it, a core-wide event (CPU_CLK_UNHALTED) and a pair of others are always counted. A
 * thread that is not to be counted counts the core-wide event for its core. If all are to be
 * counted, one counts the pair in thread mode and another one the core-wide event. Threads of
 * @preferred come first. The events take turns only on cores with a single thread online, and
 * with KNCPMU_PLACE_PER_CPU on cores of which all threads are to be counted.
 *
 * Return: the number of parts.
 */
unsigned int kncpmu_place(const struct kncpmu_request *request,
			  struct kncpmu_part *parts);

/* the card */

/**
 * struct kncpmu_cpu - this CPU by CPUID
 * @family: its family; 0: not known
 * @model: its model
 * @hypervisor: it has the flag of virtual machines
 */
struct kncpmu_cpu {
	unsigned int family;
	unsigned int model;
	int hypervisor;
};

/**
 * kncpmu_cpu_read() - what CPU is this?
 * @cpu: the CPU, out
 *
 * By CPUID; whether it is a virtual one by /proc/cpuinfo, if there is one.
 * A Knights Corner has KNC_CPU_FAMILY and KNC_CPU_MODEL of knc/regs.h.
 */
void kncpmu_cpu_read(struct kncpmu_cpu *cpu);

/**
 * struct kncpmu_card - the card that this program runs on
 * @emulated: it is the emulated card, which does not count all events
 * @nr_counters: counters of a hardware thread; 0: not known; then @features and @tsc_khz
 *	are 0 too
 * @features: KNC_PMU_FEATURE_*
 * @tsc_khz: rate of the time stamp counter in kHz
 * @real_time: it is the emulated card of knc-vm --realtime: its speed depends on the
 *	events, and counts of different turns are at different speeds
 * @instructions: it is the emulated card of knc-vm --icount: a tick of the time stamp counter is
 *	an instruction, and no cycle
 * @stand_in: it is the emulated card with knc-vm --vpu-stand-in
 */
struct kncpmu_card {
	int emulated;
	unsigned int nr_counters;
	__u64 features;
	unsigned int tsc_khz;
	int real_time;
	int instructions;
	int stand_in;
};

/**
 * kncpmu_card_read() - ask the CPU and the module for their properties
 * @card: the card, out
 *
 * Return: 0, or the negative errno of opening or asking the module.
 */
int kncpmu_card_read(struct kncpmu_card *card);

/**
 * kncpmu_card_lacks() - is the card unable to count an event?
 * @card: the card
 * @event: the event
 *
 * A real card may count any code that has no name. On a host CPUID leaf 0xA tells which of the
 * architectural events the CPU lacks.
 *
 * Return: 1: it can't count the event; 0: it can, or may.
 */
int kncpmu_card_lacks(const struct kncpmu_card *card, const struct knc_pmu_event *event);

/**
 * kncpmu_card_stands_in() - does the card count something else in an event's place?
 * @card: the card
 * @event: the event
 *
 * The emulated card counts packed SSE operations for those of the vector unit if knc-vm
 * has --vpu-stand-in. Whoever shows such a count must say that it is a stand-in.
 *
 * Return: 1: the count is a stand-in; 0: it is the event's.
 */
int kncpmu_card_stands_in(const struct kncpmu_card *card, const struct knc_pmu_event *event);

/* the ioctls */

/**
 * kncpmu_open() - open the device: a session that is not configured yet
 * @path: the device node; NULL: KNC_PMU_DEVICE
 *
 * Return: a file descriptor, or a negative errno.
 */
int kncpmu_open(const char *path);

/**
 * kncpmu_close() - close a session, which gives everything back
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

/* More PMUs than a machine has: arch or westmere, uncore, cmt */
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
 * @config: @pmu, @flags, @pid, @max_frames, @sample_interval, @ring_size and @watermark,
 *	with KNC_PMU_CONFIG_PIDS @cpus and @cpus_size, in; the request, with the
 *	reason if it was refused; out
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
 * kncpmu_process_name() - write the number and name of a process
 * @pid: the process; 0: one that is not visible from here
 * @text: for instance "pid 123 (stress)", clean, out; KNCPMU_PROCESS_LEN is always enough
 * @size: bytes of @text
 */
void kncpmu_process_name(int pid, char *text, size_t size);

/* Bytes for the clean name of any thread, and for kncpmu_process_name() */
#define KNCPMU_COMM_LEN		64
#define KNCPMU_PROCESS_LEN	96

/**
 * kncpmu_thread_name() - get the name of a thread
 * @tid: the thread
 * @text: its name, clean, out; not changed if there is no such thread
 * @size: bytes of @text; KNCPMU_COMM_LEN is always enough
 *
 * Return: 0, or a negative errno.
 */
int kncpmu_thread_name(int tid, char *text, size_t size);

/**
 * kncpmu_read_line() - read the first line of a small file, as of /proc and /sys
 * @path: the file
 * @line: the line without its newline, or ""; not clean (kncpmu_clean()); out
 * @size: bytes of @line
 *
 * Return: 0, or a negative errno: the file can't be opened.
 */
int kncpmu_read_line(const char *path, char *line, size_t size);

/**
 * kncpmu_kernel_line() - read the first line of a small file of /proc or /sys
 * @path: the file
 * @line: the line without its newline, or ""; not clean (kncpmu_clean()); out
 * @size: bytes of @line
 *
 * In a container a file of another file system may be mounted over one of the kernel, as by lxcfs,
 * and directories may be missing.
 *
 * Return: 0; -ENOENT: the kernel has no such file; -EXDEV: the file, or the directory in which it
 * would be, is not the kernel's; another negative errno of opening it.
 */
int kncpmu_kernel_line(const char *path, char *line, size_t size);

/**
 * kncpmu_kernel_open() - open a file of /proc or /sys
 * @path: the file
 * @error: 0, or a negative errno as of kncpmu_kernel_line(), out
 *
 * Return: the file; NULL: @error says why.
 */
FILE *kncpmu_kernel_open(const char *path, int *error);

/**
 * kncpmu_kernel_has() - does the kernel have a file or directory in /proc or /sys?
 * @path: the file
 *
 * Return: 0, or a negative errno as of kncpmu_kernel_line().
 */
int kncpmu_kernel_has(const char *path);

/**
 * kncpmu_kernel_why() - why a file of /proc or /sys can't be used
 * @path: the file
 * @error: what the function returned that was to read it
 *
 * Return: the text, with what to do where that is known.
 */
const char *kncpmu_kernel_why(const char *path, int error);

/**
 * kncpmu_proc_own() - are numbers of processes in /proc those of this process' pid namespace?
 *
 * Otherwise /proc/PID is another process than the one that the module, or the kernel, calls PID.
 *
 * Return: 0; -ESRCH: they are those of another one; -EXDEV: /proc is not mounted.
 */
int kncpmu_proc_own(void);

/**
 * kncpmu_proc_all() - does /proc show this process all processes of the machine?
 *
 * Return: 0; -EACCES: not those of other pid namespaces, or of other users (hidepid); else as
 * kncpmu_proc_own().
 */
int kncpmu_proc_all(void);

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
 * @text: one or two specifications as in kncpmu_list_parse(); user mode (:u) needs no privilege
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
