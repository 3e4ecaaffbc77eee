/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of serve, and their text: counts.c, text.c */
#ifndef KNC_CTL_SERVE_COUNTS_H
#define KNC_CTL_SERVE_COUNTS_H

#include <stddef.h>
#include <place.h>

#include "stat/stat.h"

/* A reading is at least so old when the next one is made, whatever number of clients ask */
#define SERVE_FRESH_MS	1000

/* counts.c */

/**
 * struct serve_thread - a hardware thread
 * @known: it has been counted
 * @counting: its session had counts of it when it was read last
 * @core: the first hardware thread of its core; itself if that is not known
 * @package: its package
 * @since: when it was counted first, ns
 * @missing: ns since then of which the counts are missing
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
 * struct serve_counts - all that is counted
 * @opts: the events, and -C
 * @part: their groups
 * @sessions: the sessions
 * @base: what the sessions that have ended counted
 * @now: the last reading
 * @records: room for READ
 * @size: bytes of @records
 * @read_at: when it was read, ns; 0: not yet
 * @readings: how often
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

/* Begin to count; returns 0 or an exit status */
int serve_begin(struct serve_counts *c, struct stat_opts *opts);
/* Read all sessions, unless that was done just now; begin again where counters were taken away */
void serve_read(struct serve_counts *c);
void serve_end(struct serve_counts *c);

/* text.c */

/* All counts as text, to be freed; NULL: out of memory */
char *serve_text(const struct serve_counts *c, int openmetrics, const char *card, size_t *size);

#endif /* KNC_CTL_SERVE_COUNTS_H */
