/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl record share
 *
 *	record.c	command line, the size of rings without --ring-size
 *	run.c		from start to end
 *	summary.c	the closing line
 *	target.c	the tasks or hardware threads that are recorded
 *	rings.c		the session and its rings; READ; sums
 *	sideband.c	records of tasks, from the kernel's software events
 *	listen.c	these events
 *	known.c		processes that were read from /proc
 *	proc.c		names and mappings, from /proc
 *	build-id.c	what tells mapped files from others
 *	jit.c		names of code that is made at run time
 *	buffer.c	records of tasks on their way to the file
 *	ksyms.c		symbols of the kernel
 *	kallsyms.c	where they are from
 *	modules.c	its modules, which come and go
 *	properties.c	properties and sums, as JSON
 *	writer.c	the file
 */
#ifndef KNC_CTL_RECORD_H
#define KNC_CTL_RECORD_H

#include <poll.h>
#include <time.h>

#include <kncpmu.h>

#include "cli/child.h"
#include "cli/data.h"
#include "cli/event.h"
#include "cli/message.h"
#include "cli/modules.h"
#include "record/writer.h"

/* The interval of events that have none */
#define RECORD_PERIOD		"on"

/**
 * struct record_opts - the command line
 * @items: events; sampled ones have KNC_PMU_EVENT_SAMPLE
 * @nr_items: number of events
 * @period: -c: the interval of events without one of their own; NULL: none
 * @freq: -F: their samples a second; NULL: none
 * @interval: ns between time samples; 0: none
 * @chain: KNC_PMU_CONFIG_CHAIN_*
 * @max_frames: the most frames of a call chain
 * @limit_frames: --max-frames was given
 * @ring_size: bytes of each ring
 * @have_ring: --ring-size was given
 * @target: what is recorded
 * @pid: the existing process or thread that is followed; 0: none
 * @who: name of it, or of the command
 * @no_inherit: do not follow tasks that the target creates
 * @user_only: events without u and k count user mode only, for lack of CAP_PERFMON
 * @cpus: hardware threads with a ring; all possible ones if a program is followed
 * @have_cpus: -C or -a was given
 * @pin: the CPUs of the command
 * @have_pin: --pin was given
 * @output: the data file
 * @quiet: no closing line
 * @command: the command and its arguments, up to NULL; NULL: no command
 */
struct record_opts {
	struct kncpmu_item items[DATA_EVENTS];
	unsigned int nr_items;
	const char *period;
	const char *freq;
	unsigned long long interval;
	unsigned int chain;
	unsigned int max_frames;
	int limit_frames;
	unsigned int ring_size;
	int have_ring;
	enum target target;
	int pid;
	char who[64];
	int no_inherit;
	int user_only;
	struct kncpmu_cpus cpus;
	int have_cpus;
	struct kncpmu_cpus pin;
	int have_pin;
	const char *output;
	int quiet;
	char **command;
};

/* run.c: returns an exit status */

int record_run(const struct record_opts *opts);

/* target.c */

/* Take -p or -t; returns 0, or an exit status after a message */
int target_take(const struct command *cmd, struct record_opts *opts, int opt,
		const char *arg);
/* Choose the target when all options are known; returns 0, or an exit status after a message */
int target_complete(const struct command *cmd, struct record_opts *opts);
/* Leave kernel mode out if no modifier asks for it and it is not permitted */
int target_choose_modes(struct record_opts *opts);
/* KNC_PMU_CONFIG_* for following the target; 0: hardware threads */
unsigned int target_flags(const struct record_opts *opts);
/* The target in the data file */
const char *target_name(const struct record_opts *opts);

/* modules.c */

/**
 * struct module - a module of the kernel, for as long as it is loaded
 * @next: the next one
 * @place: its name and where it is
 * @end: where its code ends, at most: another one begins there
 * @seen: of which look, a time
 * @from: it is not there before
 * @to: it is not there after; ~0: it still is
 * @text: its functions, if it was loaded or removed during the recording: lines of
 *	/proc/kallsyms; NULL: none
 */
struct module {
	struct module *next;
	struct module_place place;
	unsigned long long end;
	unsigned long long seen;
	unsigned long long from;
	unsigned long long to;
	char *text;
};

/**
 * struct modules - modules that come and go
 * @all: those that were there at some time
 * @events: socket that tells when one comes or goes; -1: none
 * @quiet: when none had come or gone since the last look, CLOCK_MONOTONIC
 * @names: the names of their functions are wanted
 * @text: functions of the kernel and its modules when the recording began: lines of
 *	/proc/kallsyms; NULL: not read
 */
struct modules {
	struct module *all;
	int events;
	__u64 quiet;
	int names;
	char *text;
};

/* Take down what there is, and if @names its functions */
void modules_begin(struct modules *m, int names);
/* Take down what has come and gone */
void modules_drain(struct modules *m);
/* The same at the end, from /proc/modules alone: in a container there are no events */
void modules_end(struct modules *m);
/* Take the functions of those that are there and came without names */
void modules_name(struct modules *m, const char *text);
void modules_free(struct modules *m);
/* Was it there all the time? */
static inline int module_stayed(const struct module *module)
{
	return !module->from && !~module->to;
}

/* kallsyms.c */

#define KALLSYMS	"/proc/kallsyms"

/**
 * struct kernel_function - a line "ADDRESS TYPE NAME [MODULE]"
 * @start: the address; 0: it is no function, or the kernel hides the address
 * @type: the letter; a blank and the name follow
 */
struct kernel_function {
	__u64 start;
	const char *type;
};

/* Read a line; returns the next one */
const char *kallsyms_line(const char *line, struct kernel_function *f);
/* Where a line of a module has its name, "[NAME]"; NULL: it is the kernel's own */
const char *kallsyms_module(const char *line);
/* Is the line of this module? */
int kallsyms_is_of(const char *line, const struct module_place *place);
/* All lines of functions, to be freed; NULL: the kernel hides their addresses */
char *kallsyms_read(void);
/* The lines of @text that are functions of the module, to be freed; NULL: none */
char *kallsyms_of_module(const char *text, const struct module *module);

/* ksyms.c */

/**
 * struct addresses - a set of addresses, or of threads
 * @table: open addressing; 0: free
 * @room: of @table, a power of two, or 0
 * @nr: addresses in it
 */
struct addresses {
	__u64 *table;
	size_t room;
	size_t nr;
};

void addresses_add(struct addresses *set, __u64 address);
int addresses_has(const struct addresses *set, __u64 address);
void addresses_free(struct addresses *set);

/* Write the functions that the addresses are in; returns 0 or -1 */
int ksyms_write(struct data_writer *file, const struct addresses *set, struct modules *modules);

/* build-id.c */

/**
 * struct mapped_file - a file that a process has mapped
 * @pid: the process
 * @path: the file's path, as the process or the kernel has it
 * @start: first address of the mapping
 * @length: its bytes
 * @inode: the file's inode; 0: the kernel has not told it
 */
struct mapped_file {
	int pid;
	const char *path;
	unsigned long long start;
	unsigned long long length;
	unsigned long long inode;
};

/*
 * Set the id of the file, or the size of @identity and the identity, if it has no id or its path
 * leads elsewhere by now
 */
void identify(const struct mapped_file *file, struct data_mmap *map,
	      struct data_identity *identity);
void build_ids_free(void);

/* proc.c */

struct sideband;

/* The process of thread @tid; 0: it has ended */
int proc_of_thread(int tid);
/* Call @fn for each thread of a process until it returns other than 0; returns that */
int proc_threads(int pid, int (*fn)(int tid, void *ctx), void *ctx);

/**
 * struct last_written - what was last written of a process
 * @process: hash of its name and mappings; 0: nothing was written
 * @threads: hash of the names of its threads
 */
struct last_written {
	__u64 process;
	__u64 threads;
};

/*
 * Write the name and mappings of process @pid, and the names of its threads, if they are not
 * those of @last, which becomes theirs. Nothing is written if the process has ended.
 */
void proc_process(struct sideband *sb, int pid, unsigned long long time,
		  struct last_written *last);

/* sideband.c */

struct perf_ring;
struct known;

/**
 * struct sideband - records of tasks: names, mappings, fork, exec, exit
 * @file: the data file
 * @rings: rings of the kernel's software events, one a CPU
 * @nr_rings: number of @rings; 0: the kernel refused, and /proc is read
 * @ring_size: bytes of records of each
 * @more: events of further threads, which write into the same rings
 * @nr_more: number of @more
 * @clock: to be added to the kernel's times, ns
 * @buffer: records that are not written yet
 * @used: bytes of records in @buffer
 * @room: bytes of @buffer
 * @hold: keep records in @buffer, write nothing yet
 * @known: processes that were read from /proc, if @nr_rings is 0
 * @round: how often the rings of samples were emptied
 */
struct sideband {
	struct data_writer *file;
	struct perf_ring *rings;
	unsigned int nr_rings;
	size_t ring_size;
	int *more;
	unsigned int nr_more;
	long long clock;
	unsigned char *buffer;
	size_t used;
	size_t room;
	int hold;
	struct known *known;
	unsigned int round;
};

int sideband_init(struct sideband *sb, struct data_writer *file);
void sideband_free(struct sideband *sb);

/* Descriptors to wait for: room for sb->nr_rings */
void sideband_poll(const struct sideband *sb, struct pollfd *fds);

/* Read all records, and write them */
void sideband_drain(struct sideband *sb);

/* listen.c */

/*
 * Receive the records of process @pid and of those that it creates; 0: of all. If the kernel
 * refuses, warns and calls known_init().
 */
void listen_start(struct sideband *sb, int pid);

/* known.c */

void known_init(struct sideband *sb);
void known_free(struct sideband *sb);
/* Warn if /proc has not the processes that the kernel tells of; returns 0 or a negative errno */
int known_check(void);
/* Call known_look() for every process */
void known_scan(struct sideband *sb);
/* Read a process from /proc, and write what is new */
void known_look(struct sideband *sb, int pid, unsigned long long time);
/* A process was sampled: if the kernel sends no records, known_look() once a round */
void known_sampled(struct sideband *sb, int pid, unsigned long long time);

/* jit.c */

/* A process has an executable mapping of this name: is it code made at run time, or its dump? */
void jit_note(int pid, const char *path);
/* Write the names of such code; @recorded: when the recording began, s since 1970 */
void jit_write(struct sideband *sb, time_t recorded);
void jit_free(void);

/* buffer.c */

int buffer_init(struct sideband *sb);
void buffer_flush(struct sideband *sb);
/* Put a record into the buffer: @fixed bytes, and a text of at most @size bytes or NULL */
void buffer_put(struct sideband *sb, struct data_task *task, size_t fixed,
		const char *text, size_t size);

/* A mapping on its way to the file */
struct identified_mmap {
	struct data_mmap map;
	struct data_identity identity;
};

/* Put a mapping of @path there, and identify its file if it has no id; @inode: see identify() */
void buffer_put_map(struct sideband *sb, struct identified_mmap *map, const char *path,
		    unsigned long long inode);

/* rings.c */

/**
 * struct rings - a session that samples
 * @fd: the session
 * @config: its CONFIG
 * @events: its events
 * @rings: its rings, one a hardware thread
 * @nr: number of rings
 * @file: the data file
 * @sb: is told the processes of samples
 * @kernel: addresses of samples in the kernel
 * @samples: number of samples written
 * @times: number of time samples, written or not
 * @unwritten: number of samples read after a write error
 * @damaged: a ring was damaged; the message has been printed
 */
struct rings {
	int fd;
	struct knc_pmu_config config;
	struct knc_pmu_event events[DATA_EVENTS];
	struct kncpmu_ring *rings;
	unsigned int nr;
	struct data_writer *file;
	struct sideband *sb;
	struct addresses kernel;
	unsigned long long samples;
	unsigned long long times;
	unsigned long long unwritten;
	int damaged;
};

/* @pid: the task to follow, unless hardware threads are recorded */
int rings_open(struct rings *r, const struct record_opts *opts, int pid);
void rings_close(struct rings *r);
/* Write at most a whole ring of each hardware thread; returns the bytes */
unsigned long long rings_drain(struct rings *r);
/* Empty all rings */
void rings_finish(struct rings *r);
/* Write the counts of all events */
int rings_counts(struct rings *r);
/* KNC_PMU_THREAD_* of the followed tasks */
unsigned int rings_flags(const struct rings *r);

/**
 * struct rings_sums - sums of the fields of all rings
 * @samples: samples produced
 * @lost: lost ones of them
 * @unsampled: events that were counted but are in no sample
 * @throttles: how often samples were throttled
 */
struct rings_sums {
	unsigned long long samples;
	unsigned long long lost;
	unsigned long long unsampled;
	unsigned long long throttles;
};

void rings_sums(const struct rings *r, struct rings_sums *sums);

/* summary.c */

void print_summary(const struct record_opts *opts, const struct rings *r,
		   const struct data_writer *file, int evicted);

/* properties.c */

json_t *record_info(const struct record_opts *opts, const struct rings *r, int pid,
		    unsigned long long started);
json_t *record_end(const struct rings *r, int status, unsigned long long ended);

#endif /* KNC_CTL_RECORD_H */
