/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl record share
 *
 *	record.c	command line
 *	run.c		from start to end
 *	summary.c	the last line
 *	target.c	which tasks or hardware threads are recorded
 *	rings.c		the session and its rings; READ; sums
 *	sideband.c	what tasks do, from the kernel's software events
 *	listen.c	these events
 *	known.c		processes that /proc is asked about
 *	proc.c		what tasks have, from /proc
 *	build-id.c	the build ids of what they map
 *	buffer.c	records of tasks on their way to the file
 *	ksyms.c		symbols of the kernel
 *	info.c		what was recorded, as JSON
 *	writer.c	the file
 */
#ifndef KNC_CTL_RECORD_H
#define KNC_CTL_RECORD_H

#include <poll.h>

#include <kncpmu.h>

#include "cli/child.h"
#include "cli/event.h"
#include "cli/message.h"
#include "record/writer.h"

/**
 * struct record_opts - what the command line asks for
 * @items: events; those that are sampled have KNC_PMU_EVENT_SAMPLE
 * @nr_items: how many
 * @period: -c: the interval of events without one of their own; NULL: none
 * @freq: -F: samples a second for those; NULL: none
 * @interval: ns between time samples; 0: none
 * @chain: KNC_PMU_CONFIG_CHAIN_*
 * @max_frames: of a call chain
 * @limit_frames: @max_frames was asked for
 * @ring_size: bytes
 * @have_ring: it was asked for
 * @target: who is recorded
 * @pid: the process or thread that is followed, if it runs already; 0: none
 * @who: it, or the command, for people
 * @no_inherit: what is followed, without what it creates
 * @user_only: events that name no ring don't count kernel mode, it is not allowed
 * @cpus: where; all that are possible, if a program is followed
 * @have_cpus: -C or -a was given
 * @pin: where the command runs
 * @have_pin: --pin was given
 * @output: the data file
 * @quiet: no closing line
 * @command: what to run, ends with NULL; NULL: nothing
 */
struct record_opts {
	struct kncpmu_item items[KNC_NR_COUNTERS];
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

/* -p and -t; returns 0 or an exit status, the message being out */
int target_take(const struct command *cmd, struct record_opts *opts, int opt,
		const char *arg);
/* Who and where, when all options are known; the same */
int target_complete(const struct command *cmd, struct record_opts *opts);
/* Leave kernel mode out where it was not asked for and is not allowed */
int target_choose_rings(struct record_opts *opts);
/* KNC_PMU_CONFIG_* for what is followed; 0: nothing is */
unsigned int target_flags(const struct record_opts *opts);
/* As the data file has it */
const char *target_name(const struct record_opts *opts);

/* ksyms.c */

/**
 * struct addresses - a set of addresses
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
void addresses_free(struct addresses *set);

/* The lines of /proc/kallsyms that they fall into; returns 0 or -1 */
int ksyms_write(struct data_writer *file, const struct addresses *set);

/* build-id.c */

#define BUILD_ID_SIZE	20	/* longest that is taken; struct data_mmap has room */

/* The build id of a file that @pid has mapped; returns its bytes, 0: none */
unsigned int build_id(int pid, const char *path, unsigned char *id);
void build_ids_free(void);

/* proc.c */

struct sideband;

/* The process of thread @tid; 0: it is gone */
int proc_of_thread(int tid);
/* Hand each thread of a process to @fn until that returns what is not 0: it comes back */
int proc_threads(int pid, int (*fn)(int tid, void *ctx), void *ctx);

/*
 * What process @pid has: its mappings, and the names of its threads. Returns a
 * number that changes with them; if it is @seen, nothing is told. 0: it is gone.
 */
__u64 proc_process(struct sideband *sb, int pid, unsigned long long time,
		   __u64 seen);

/* sideband.c */

struct perf_ring;
struct known;

/**
 * struct sideband - what tasks do and have
 * @file: where it is written
 * @rings: of the kernel's software events, one a CPU
 * @nr_rings: how many; 0: the kernel refused, /proc is asked
 * @ring_size: bytes of records of each
 * @more: events of more threads, which write into the same rings
 * @nr_more: how many
 * @clock: to be added to the kernel's times, ns
 * @buffer: records that are not written yet
 * @used: bytes of it
 * @room: for that many
 * @hold: nothing is to be written yet
 * @known: processes that /proc was asked for, if @nr_rings is 0
 * @turn: counts the times that rings were emptied
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
	unsigned int turn;
};

int sideband_init(struct sideband *sb, struct data_writer *file);
void sideband_free(struct sideband *sb);

/* Descriptors to wait for: room for sb->nr_rings */
void sideband_poll(const struct sideband *sb, struct pollfd *fds);

/* Take what is there, and write it */
void sideband_drain(struct sideband *sb);

/* listen.c */

/*
 * Listen to what process @pid does and those that it creates; 0: to all. Warns if
 * the kernel does not let us: then processes are known_init().
 */
void sideband_listen(struct sideband *sb, int pid);

/* known.c */

void known_init(struct sideband *sb);
void known_free(struct sideband *sb);
/* Every process that runs: sideband_look() at each */
void proc_snapshot(struct sideband *sb);
/* Look at a process in /proc */
void sideband_look(struct sideband *sb, int pid, unsigned long long time);
/* A process was sampled: look at it, once a turn, if the kernel tells nothing */
void sideband_seen(struct sideband *sb, int pid, unsigned long long time);

/* buffer.c */

int buffer_init(struct sideband *sb);
void sideband_flush(struct sideband *sb);
/* A record: @fixed bytes of it and a text of at most @size bytes; NULL: none */
void sideband_put(struct sideband *sb, struct data_task *task, size_t fixed,
		  const char *text, size_t size);

/* rings.c */

/**
 * struct rings - a session that samples
 * @fd: the session
 * @config: as the kernel took it
 * @events: its events
 * @rings: one a hardware thread
 * @nr: how many
 * @file: where it is written
 * @sb: who is told which processes there were
 * @kernel: addresses in the kernel that were sampled
 * @samples: written
 * @times: time samples, of those written or not
 * @unwritten: read when nothing could be written any more
 * @damaged: a ring was not as it should be; the message is out
 */
struct rings {
	int fd;
	struct knc_pmu_config config;
	struct knc_pmu_event events[KNC_NR_COUNTERS];
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

/* @pid: who is followed, if hardware threads are not recorded */
int rings_open(struct rings *r, const struct record_opts *opts, int pid);
void rings_close(struct rings *r);
/* Take what there is once; returns the bytes */
unsigned long long rings_drain(struct rings *r);
/* The same until nothing is left */
void rings_finish(struct rings *r);
/* The counts of all events */
int rings_counts(struct rings *r);
/* KNC_PMU_THREAD_* of what is followed */
unsigned int rings_flags(const struct rings *r);

/**
 * struct rings_sums - what the rings say of all samples
 * @samples: produced
 * @lost: of them
 * @unsampled: events that were counted while samples were throttled
 * @throttles: how often they were
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

/* info.c */

json_t *record_info(const struct record_opts *opts, const struct rings *r, int pid,
		    unsigned long long started);
json_t *record_end(const struct rings *r, int status, unsigned long long ended);

#endif /* KNC_CTL_RECORD_H */
