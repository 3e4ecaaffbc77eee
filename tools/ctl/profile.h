/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a data file to what report, script and timeline show
 *
 *	cmd-report.c, cmd-script.c, cmd-timeline.c	options, what to do
 *	histogram.c  calltree.c  annotate.c  timeline.c	sums
 *	flamegraph.c  speedscope.c  timeline-svg.c	pictures of them
 *	profile.c	samples with names, filtered, in the order of time
 *	symbols.c	addresses to places; elf-file.c, kernel-syms.c: symbols
 *	tasks.c		who had which name and mappings when
 *	data-read.c, data-walk.c	the file: checked, in the order of time
 *	strings.c	each string once
 *
 * Everything in a data file is taken for wrong until it is checked.
 */
#ifndef KNC_CTL_PROFILE_H
#define KNC_CTL_PROFILE_H

#include <stdio.h>
#include <sys/types.h>

#include "ctl.h"
#include "data.h"

/* A program that reads a file has nothing to give back if memory is out */
#define uthash_fatal(msg)	out_of_memory()
#include <uthash.h>

/* Empty a table whose entries have nothing but themselves to be freed */
#define free_entries(table)						\
	do {								\
		__typeof__(table) *__table = &(table), __entry, __next;	\
									\
		HASH_ITER(hh, *__table, __entry, __next) {		\
			HASH_DEL(*__table, __entry);			\
			free(__entry);					\
		}							\
	} while (0)

#ifndef __noreturn
#define __noreturn	__attribute((noreturn))
#endif

void __noreturn out_of_memory(void);
void *must_alloc(size_t n, size_t size);
/* Room in an array for one more than @nr */
void *must_grow(void *array, size_t nr, size_t *room, size_t size);

/* strings.c */

/* The text behind the last '/' */
const char *base_name(const char *path);

/* @text for XML, with &, <, > and quotes replaced */
void print_xml(FILE *f, const char *text);

/* data-read.c */

/**
 * struct data_event - an event of a data file
 * @name: as it was asked for
 * @period: events between two samples; 0: not sampled, or by frequency
 * @freq: samples a second; 0: by period, or not sampled
 */
struct data_event {
	const char *name;
	unsigned long long period;
	unsigned long long freq;
};

/**
 * struct data_sums - what the rings say of themselves
 * @samples: samples there, of each event
 * @times: time samples there
 * @lost: samples lost
 * @throttles: how often samples were throttled
 * @lost_events: what the lost ones stood for
 * @unsampled: events counted while no samples were taken
 * @tasks_lost: task records that the kernel had no room for
 */
struct data_sums {
	unsigned long long samples[KNC_NR_COUNTERS];
	unsigned long long times;
	unsigned long long lost;
	unsigned long long throttles;
	unsigned long long lost_events[KNC_NR_COUNTERS];
	unsigned long long unsampled[KNC_NR_COUNTERS];
	unsigned long long tasks_lost;
};

/**
 * struct data_piece - where records of a ring are
 * @offset: of the first one
 * @size: bytes of records that are good
 * @cpu: the hardware thread
 */
struct data_piece {
	unsigned long long offset;
	unsigned long long size;
	unsigned int cpu;
};

/**
 * struct data_file - a data file that was checked
 * @fd: the file
 * @path: its name
 * @size: its bytes when it was opened
 * @info: INFO
 * @end: END; NULL: the recording did not end by itself
 * @events: the events
 * @nr_events: how many
 * @started: CLOCK_MONOTONIC when it began, ns
 * @sums: of all records
 * @pieces: records, in the order of the file
 * @nr_pieces: how many
 * @room_pieces: room for how many
 * @tasks: task records, one behind the other
 * @tasks_size: bytes of them
 * @ksyms: symbols of the kernel, lines
 * @ksyms_size: bytes of them
 * @chains: there are call chains
 * @cut: the file ends in the middle of a chunk
 * @damaged: something in it is not what was written
 */
struct data_file {
	int fd;
	const char *path;
	unsigned long long size;
	json_t *info;
	json_t *end;
	struct data_event events[KNC_NR_COUNTERS];
	unsigned int nr_events;
	unsigned long long started;
	struct data_sums sums;
	struct data_piece *pieces;
	size_t nr_pieces;
	size_t room_pieces;
	char *tasks;
	size_t tasks_size;
	char *ksyms;
	size_t ksyms_size;
	int chains;
	int cut;
	int damaged;
};

/* Open and check; 0 or an exit status, the message being out */
int data_open(struct data_file *f, const char *path);
/* The same of an open file, which data_close() closes */
int data_open_fd(struct data_file *f, int fd, const char *path);
void data_close(struct data_file *f);

/* Is the record whole, are its numbers possible? @room: bytes there are */
int data_record_good(const struct data_file *f,
		     const struct knc_pmu_record *record, size_t room);

/* A sampled event; the others come with time samples only */
static inline int data_sampled(const struct data_event *event)
{
	return event->period || event->freq;
}

/* Members of INFO; a string that is not there is "unknown", a number 0 */
const char *data_text(const struct data_file *f, const char *key);
unsigned long long data_number(const struct data_file *f, const char *key);
/* The command as one would type it; NULL: there was none */
const char *data_command(const struct data_file *f);

/* data-walk.c */

/**
 * struct data_visitor - who is shown the records, in the order of time
 * @record: one of a ring
 * @task: one of a task
 */
struct data_visitor {
	void (*record)(void *ctx, const struct knc_pmu_record *record);
	void (*task)(void *ctx, const struct data_task *task);
};

/* 0 or an exit status, the message being out */
int data_walk(const struct data_file *f, const struct data_visitor *visitor,
	      void *ctx);

/* CLOCK_MONOTONIC of a record; 0: it has none */
unsigned long long data_record_time(const struct knc_pmu_record *record);

/* symbols.c */

/**
 * struct symbol - a function
 * @name: its name
 * @module: of the kernel's, the module it is in; else NULL
 * @start: its first address, as its file has it
 * @end: the address behind it
 * @rank: which of those with the same address to take: the highest
 * @demangled: @name is as people want it
 */
struct symbol {
	const char *name;
	const char *module;
	unsigned long long start;
	unsigned long long end;
	unsigned int rank;
	int demangled;
};

/**
 * struct symtab - functions of a file
 * @symbols: in ascending order
 * @nr: how many
 * @room: room for how many
 */
struct symtab {
	struct symbol *symbols;
	size_t nr;
	size_t room;
};

/* A @size of 0: not known. @name is not copied. */
struct symbol *symtab_add(struct symtab *table, const char *name,
			  unsigned long long start, unsigned long long size);
/* Put in order; what has no size ends where the next one begins, or at @end */
void symtab_sort(struct symtab *table, unsigned long long end);
struct symbol *symtab_find(const struct symtab *table, unsigned long long addr);
void symtab_free(struct symtab *table);

struct elf_file;

/**
 * struct dso - a file that addresses are in, or something like it
 * @key: where it is, as recorded, and behind its end @build_id
 * @name: what to show
 * @short_name: the last part of it
 * @build_id: what was recorded
 * @build_id_size: bytes of @build_id; 0: not known
 * @kernel: the kernel or a module
 * @loaded: @table and @elf are as good as they can be
 * @table: its functions
 * @elf: the file; NULL: none or not usable
 * @hh: in a hash, by @key
 */
struct dso {
	char *key;
	const char *name;
	const char *short_name;
	unsigned char build_id[24];
	unsigned int build_id_size;
	int kernel;
	int loaded;
	struct symtab table;
	struct elf_file *elf;
	UT_hash_handle hh;
};

/**
 * struct map - a mapping of an address space, and those before it
 * @next: the mapping before; what is newer goes first
 * @start: first address
 * @end: the address behind it
 * @offset: where in the file it begins
 * @dso: the file
 *
 * An address space is its newest mapping. Nothing is ever changed or freed, so
 * a child begins with its parent's, and what was found in one stays true.
 */
struct map {
	const struct map *next;
	unsigned long long start;
	unsigned long long end;
	unsigned long long offset;
	struct dso *dso;
};

/**
 * struct label - what a frame of a call tree is called
 * @key: @text: the function, or [file] if that is not known; @kernel: it is in
 *	the kernel; @process: it is the name of a thread
 * @id: number of the label
 * @hh: in a hash, by @key
 */
struct label {
	struct {
		const char *text;
		int kernel;
		int process;
	} key;
	unsigned int id;
	UT_hash_handle hh;
};

/**
 * struct place - an address with its name
 * @dso: what it is in
 * @addr: the address, as the file has it; that of the machine if not in a file
 * @symbol: the function; NULL: not known
 * @name: the function, or the address
 * @row: the same for tables: @name, and whether it is in the kernel
 * @label: for call trees
 * @srcline: source file and line; NULL: not looked for yet
 * @hh: in a hash, by @dso and @addr
 */
struct place {
	struct dso *dso;
	unsigned long long addr;
	const struct symbol *symbol;
	const char *name;
	const struct label *row;
	const struct label *label;
	const char *srcline;
	UT_hash_handle hh;
};

struct symbols;

/* @sysroot: where the recorded machine's files are; NULL: here */
struct symbols *symbols_new(const struct data_file *f, const char *sysroot);
void symbols_free(struct symbols *s);
struct dso *symbols_dso(struct symbols *s, const char *path,
			const unsigned char *build_id, unsigned int size);
/* @space: the process's newest mapping; not used for the kernel */
struct place *symbols_place(struct symbols *s, const struct map *space,
			    unsigned long long addr, int kernel);
const char *symbols_srcline(struct place *place);
const struct label *symbols_label(struct symbols *s, const char *text,
				  int kernel, int process);
unsigned int symbols_nr_labels(const struct symbols *s);
const struct label *symbols_label_at(const struct symbols *s, unsigned int id);

/* demangle.c */

/* NULL: it is no mangled name; else to be freed */
char *demangle_name(const char *name);

/* elf-file.c */

/**
 * enum elf_result - what came of opening a file
 * @ELF_GOOD: its symbols are there
 * @ELF_NONE: there is no such file, or it is no ELF file
 * @ELF_CHANGED: its build id is not what was recorded
 */
enum elf_result {
	ELF_GOOD,
	ELF_NONE,
	ELF_CHANGED
};

/* Symbols of @path into the dso; @debug: where elfutils looks for debug files */
enum elf_result elf_file_open(struct dso *dso, const char *path, char **debug);
void elf_file_close(struct elf_file *elf);
/* The vdso of this machine, if its build id is what was recorded */
enum elf_result elf_vdso(struct dso *dso);
/* Address in the file of what is @offset bytes in it; 0: not mapped */
int elf_file_addr(const struct elf_file *elf, unsigned long long offset,
		  unsigned long long *addr);
/* Source file and line; NULL: not known */
const char *elf_file_line(struct elf_file *elf, unsigned long long addr,
			  int *line);
const char *elf_file_path(const struct elf_file *elf);

/* kernel-syms.c */

/* The kernel that was recorded, as far as it is known */
void kernel_syms(const struct data_file *f, struct symtab *table);

/* tasks.c */

struct tasks;

struct tasks *tasks_new(struct symbols *symbols);
void tasks_free(struct tasks *t);
void tasks_apply(struct tasks *t, const struct data_task *task);
const char *tasks_comm(struct tasks *t, unsigned int pid, unsigned int tid);
const struct map *tasks_space(struct tasks *t, unsigned int pid);
const struct map *map_find(const struct map *space, unsigned long long addr);

/* profile.c */

/**
 * struct sample - a sample with names
 * @event: index of its event
 * @cpu: the hardware thread
 * @pid: process
 * @tid: thread
 * @time: CLOCK_MONOTONIC, ns
 * @period: how many events it stands for
 * @comm: name of the thread
 * @frames: where, innermost first
 * @nr: how many frames, at least one
 * @first_user: the first of them in user mode
 */
struct sample {
	unsigned int event;
	unsigned int cpu;
	unsigned int pid;
	unsigned int tid;
	unsigned long long time;
	unsigned long long period;
	const char *comm;
	struct place *frames[2 * KNC_PMU_MAX_FRAMES + 1];
	unsigned int nr;
	unsigned int first_user;
};

/*
 * Is the frame where it was, not where it will return to? Of the latter the call
 * is looked up, the byte before: behind it another function may begin.
 */
static inline int sample_exact(const struct sample *s, unsigned int frame)
{
	return !frame || frame == s->first_user;
}

/**
 * struct profile_opts - what all three commands can be asked
 * @input: the data file
 * @sysroot: see symbols_new()
 * @event: only this event; NULL: all
 * @comm: only threads of this name; NULL: all
 * @dso: only samples in this file; NULL: all
 * @pid: only this process; -1: all
 * @tid: only this thread; -1: all
 * @cpus: only these hardware threads
 * @have_cpus: @cpus was given
 */
struct profile_opts {
	const char *input;
	const char *sysroot;
	const char *event;
	const char *comm;
	const char *dso;
	long long pid;
	long long tid;
	struct kncpmu_cpus cpus;
	int have_cpus;
};

#define PROFILE_OPTS	{ .input = DATA_DEFAULT, .pid = -1, .tid = -1 }

/* letters and long options of them all */
#define PROFILE_SHORTS	"i:e:C:"
#define PROFILE_LONGS							\
	{ "input", required_argument, NULL, 'i' },			\
	{ "event", required_argument, NULL, 'e' },			\
	{ "cpu", required_argument, NULL, 'C' },			\
	{ "comm", required_argument, NULL, OPT_COMM },			\
	{ "dso", required_argument, NULL, OPT_DSO },			\
	{ "pid", required_argument, NULL, OPT_PID },			\
	{ "tid", required_argument, NULL, OPT_TID },			\
	{ "sysroot", required_argument, NULL, OPT_SYSROOT }

enum profile_option {
	OPT_COMM = 512,
	OPT_DSO,
	OPT_PID,
	OPT_TID,
	OPT_SYSROOT,
	OPT_SORT,
	OPT_PERCENT_LIMIT,
	OPT_ANNOTATE,
	OPT_STDIO,
	OPT_FOLDED,
	OPT_FLAMEGRAPH,
	OPT_SPEEDSCOPE,
	OPT_PER_THREAD,
	OPT_TITLE,
	OPT_CSV,
	OPT_SVG,
	OPT_BIN
};

/* Takes one of the options of them all; -1: it is none */
int profile_option(const struct command *cmd, struct profile_opts *opts,
		   int opt, const char *arg);
/* A number from @min to @max; 0 or an exit status */
int profile_number(const struct command *cmd, const char *what, const char *text,
		   double min, double max, double *value);

/**
 * struct profile - a data file being read for a purpose
 * @opts: what was asked
 * @file: the file
 * @symbols: names of its addresses
 * @tasks: its tasks, at the time of the sample last shown
 * @nr: samples shown, of each event
 * @weight: events they stand for
 */
struct profile {
	const struct profile_opts *opts;
	struct data_file file;
	struct symbols *symbols;
	struct tasks *tasks;
	unsigned long long nr[KNC_NR_COUNTERS];
	unsigned long long weight[KNC_NR_COUNTERS];
};

/* Open, read, say what is wrong; 0 or an exit status, the message being out */
int profile_open(struct profile *p, const struct profile_opts *opts);
/* The same of an open file */
int profile_open_fd(struct profile *p, const struct profile_opts *opts, int fd);
void profile_close(struct profile *p);
/* The status to end with when all went well */
int profile_status(const struct profile *p);
/* Was this event asked for? */
int profile_wants(const struct profile *p, unsigned int event);

/**
 * struct profile_visitor - who is shown the samples
 * @sample: a sample that was asked for
 * @other: a record of another kind; may be NULL
 */
struct profile_visitor {
	void (*sample)(void *ctx, const struct sample *sample);
	void (*other)(void *ctx, const struct knc_pmu_record *record);
};

int profile_walk(struct profile *p, const struct profile_visitor *visitor,
		 void *ctx);

/* What every output says first: lines, each behind @prefix */
void profile_header(const struct profile *p, FILE *f, const char *prefix);
/* What is missing of an event, in words; empty if nothing is */
void profile_missing(const struct profile *p, unsigned int event, char *text,
		     size_t size);
/* How an event was sampled, in words */
void profile_how(const struct profile *p, unsigned int event, char *text,
		 size_t size);

static inline double percent(unsigned long long part, unsigned long long whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* histogram.c */

enum sort_key {
	SORT_SYMBOL,
	SORT_DSO,
	SORT_COMM,
	SORT_PID,
	SORT_TID,
	SORT_CPU,
	SORT_EVENT,
	SORT_SRCLINE,
	NR_SORT_KEYS
};

/**
 * struct hist_opts - which table
 * @keys: its rows
 * @nr_keys: how many
 * @limit: rows below this percentage are left out
 * @samples: show numbers of samples
 */
struct hist_opts {
	enum sort_key keys[NR_SORT_KEYS];
	unsigned int nr_keys;
	double limit;
	int samples;
};

struct histogram;

/* 0 or an exit status, the message being out */
int sort_parse(const struct command *cmd, const char *text,
	       struct hist_opts *opts);
struct histogram *histogram_new(const struct profile *p,
				const struct hist_opts *opts);
void histogram_free(struct histogram *h);
void histogram_add(struct histogram *h, const struct sample *sample);
void histogram_print(struct histogram *h, FILE *f, unsigned int event);
json_t *histogram_json(struct histogram *h, unsigned int event);

/* calltree.c */

/**
 * struct node - a frame with those that called it
 * @key: its caller and its name
 * @self: events of samples that were here
 * @total: events here and in what it called
 * @samples: how many samples were here
 * @child: the first of those it called
 * @next: the next one of the same caller
 * @id: number of the node
 * @hh: in a hash, by @key
 */
struct node {
	struct {
		struct node *parent;
		const struct label *label;
	} key;
	unsigned long long self;
	unsigned long long total;
	unsigned long long samples;
	struct node *child;
	struct node *next;
	unsigned int id;
	UT_hash_handle hh;
};

/**
 * struct calltree - all stacks of an event
 * @root: has no name; its children are threads by name
 * @nodes: hash of all
 * @nr: how many
 * @depth: of the deepest stack
 */
struct calltree {
	struct node root;
	struct node *nodes;
	unsigned int nr;
	unsigned int depth;
};

struct node *calltree_add(struct calltree *t, struct symbols *symbols,
			  const struct sample *sample);
/* Children in the order of their names (or: the most events first) */
void calltree_sort(struct calltree *t, int by_weight);
void calltree_folded(const struct calltree *t, FILE *f);
void calltree_print(struct calltree *t, FILE *f, double limit);
void calltree_free(struct calltree *t);

/* flamegraph.c */
void flamegraph_write(const struct profile *p, struct calltree *t,
		      unsigned int event, const char *title, FILE *f);

/* speedscope.c */

struct speedscope;

/* @per_thread: a profile for each thread */
struct speedscope *speedscope_new(const struct profile *p, int per_thread);
void speedscope_add(struct speedscope *s, const struct sample *sample,
		    struct node *node);
void speedscope_write(struct speedscope *s, FILE *f);
void speedscope_free(struct speedscope *s);

/* annotate.c */

struct annotation;

struct annotation *annotation_new(const struct profile *p, const char *symbol);
void annotation_add(struct annotation *a, const struct sample *sample);
/* 0 or an exit status, the message being out */
int annotation_print(struct annotation *a, FILE *f);
void annotation_free(struct annotation *a);

/* timeline.c */

/**
 * struct bin - what a hardware thread counted in an interval
 * @cpu: the hardware thread
 * @event: index of the event
 * @start: its beginning, ns since the recording's
 * @end: its end
 * @count: events
 */
struct bin {
	unsigned int cpu;
	unsigned int event;
	unsigned long long start;
	unsigned long long end;
	double count;
};

/**
 * struct timeline - counts over time
 * @bins: by event, hardware thread and time
 * @nr: how many
 * @room: room for how many
 * @by_time: they come from time samples, of which it says nothing but the truth;
 *	else from event samples, each a period in the bin it ends in
 */
struct timeline {
	struct bin *bins;
	size_t nr;
	size_t room;
	int by_time;
};

int timeline_read(struct timeline *t, struct profile *p, unsigned long long bin);
void timeline_csv(const struct timeline *t, const struct profile *p, FILE *f);
void timeline_svg(const struct timeline *t, const struct profile *p, FILE *f);
void timeline_free(struct timeline *t);

#endif /* KNC_CTL_PROFILE_H */
