/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of serve, and their text: counts.c, text.c */
#ifndef KNC_CTL_SERVE_COUNTS_H
#define KNC_CTL_SERVE_COUNTS_H

#include <stddef.h>
#include <place.h>

#include "stat/stat.h"

/* However many clients ask, the counters are read once in this time at most */
#define SERVE_FRESH_MS	1000

/* counts.c */

/**
 * struct serve_thread - a hardware thread
 * @known: it has been counted
 * @counting: the last reading had counts of it
 * @core: the first hardware thread of its core; its own number if the core is not known
 * @package: its package
 * @since: when it was counted first, ns
 * @missing: ns since @since for which it was not counted
 * @running: ns for which its counters counted
 * @value: counts
 * @counted: ns for which each event was counted
 */
struct serve_thread {
	int known;
	int counting;
	unsigned int core;
	unsigned int package;
	unsigned long long since;
	unsigned long long missing;
	unsigned long long running;
	unsigned long long value[KNC_PMU_MAX_SET];
	unsigned long long counted[KNC_PMU_MAX_SET];
};

/**
 * struct serve_session - a session
 * @fd: its file
 * @cpus: its hardware threads
 * @next: the next one
 */
struct serve_session {
	int fd;
	struct kncpmu_cpus cpus;
	struct serve_session *next;
};

/**
 * struct serve_counts - the counts of all hardware threads
 * @opts: the events, and -C
 * @part: the groups of the events
 * @sessions: the open sessions
 * @base: counts of the sessions that have ended, by hardware thread; without @counting
 * @now: @base and the counts of the open sessions, at the last reading
 * @records: room for READ
 * @size: bytes of @records
 * @read_at: time of the last reading, ns; 0: there was none
 * @readings: number of readings
 */
struct serve_counts {
	struct stat_opts *opts;
	struct kncpmu_part part;
	struct serve_session *sessions;
	struct serve_thread *base;
	struct serve_thread *now;
	void *records;
	size_t size;
	unsigned long long read_at;
	unsigned long long readings;
};

/* Open the first sessions; returns 0 or an exit status */
int serve_begin(struct serve_counts *c, struct stat_opts *opts);
/* Unless the last reading is fresh, replace evicted sessions and read all into @c->now */
void serve_read(struct serve_counts *c);
void serve_end(struct serve_counts *c);

/* text.c */

/* Returns all counts as text, which the caller frees; NULL: out of memory */
char *serve_text(const struct serve_counts *c, int openmetrics, const char *card, size_t *size);

#endif /* KNC_CTL_SERVE_COUNTS_H */
