// SPDX-License-Identifier: GPL-2.0
/*
 * Reads files of stat --json, one at a time: finds their ranks and hosts, and what is wrong.
 * Only a file's figures stay in memory, which therefore grows with events and hosts, not files.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "merge/merge.h"

#define MOST_RANKS	0x7fffffffLL

void merge_problem(struct merge *m, const char *path, long long rank, int merged,
		   const char *fmt, ...)
{
	struct problem *p;
	va_list ap;

	m->problems = xgrow(m->problems, m->nr_problems, &m->problems_room,
			    sizeof(*m->problems));
	p = &m->problems[m->nr_problems++];
	p->path = path;
	p->rank = rank;
	p->host = NULL;
	p->merged = merged;
	va_start(ap, fmt);
	if (vasprintf(&p->why, fmt, ap) < 0)
		out_of_memory();
	va_end(ap);
	if (rank == NO_RANK)
		complain("%s%s: %s", path, merged ? ", of which the beginning is merged" :
			 " is left out", p->why);
	else
		complain("rank %lld (%s)%s: %s", rank, path, merged ? "" : " is left out", p->why);
}

size_t merge_host(struct merge *m, const json_t *total)
{
	const char *name = member_text(total, "host");
	struct host *host;
	size_t i;

	for (i = 0; i < m->nr_hosts; i++) {
		if (!strcmp(m->hosts[i].name, name))
			return i;
	}
	m->hosts = xgrow(m->hosts, m->nr_hosts, &m->hosts_room, sizeof(*m->hosts));
	host = &m->hosts[m->nr_hosts++];
	memset(host, 0, sizeof(*host));
	host->name = xcopy(name);
	return i;
}

/* The first place whose rank is at least @rank */
static size_t find_place(const struct merge *m, unsigned int rank)
{
	size_t low = 0, high = m->nr_places, at;

	while (low < high) {
		at = low + (high - low) / 2;
		if (m->places[at].rank < rank)
			low = at + 1;
		else
			high = at;
	}
	return low;
}

static void add_place(struct merge *m, size_t at, unsigned int rank, const char *path)
{
	m->places = xgrow(m->places, m->nr_places, &m->places_room, sizeof(*m->places));
	memmove(m->places + at + 1, m->places + at, (m->nr_places - at) * sizeof(*m->places));
	m->places[at].rank = rank;
	m->places[at].path = path;
	m->nr_places++;
}

/* The rank of a total, or of the beginning of a run without a total; NO_RANK if it has none */
long long merge_rank_of(const json_t *object)
{
	const json_t *value = json_object_get(object, "rank");
	long long rank = json_integer_value(value);

	return json_is_integer(value) && rank >= 0 && rank < MOST_RANKS ? rank : NO_RANK;
}

int merge_rank(struct merge *m, const json_t *total, const char *path, unsigned int *rank)
{
	long long number = merge_rank_of(total);
	long long ranks = json_integer_value(json_object_get(total, "ranks"));
	size_t at;

	if (number == NO_RANK || ranks < 0 || ranks > MOST_RANKS) {
		merge_problem(m, path, NO_RANK, 0,
			      "it has no rank: start %s by mpirun, mpiexec or srun, or set PMI_RANK for it",
			      m->recordings ? "record" : "stat");
		return -1;
	}
	if (m->nr_places && ranks && m->ranks && ranks != m->ranks) {
		merge_problem(m, path, number, 0,
			      "it is of another run, with %lld ranks; %s is of one with %u", ranks,
			      m->first.path, m->ranks);
		return -1;
	}
	at = find_place(m, number);
	if (at < m->nr_places && m->places[at].rank == number) {
		merge_problem(m, path, number, 0, "%s has this rank, too: merge files of one run",
			      m->places[at].path);
		return -1;
	}
	if (ranks)
		m->ranks = ranks;
	*rank = number;
	add_place(m, at, number, path);
	return 0;
}

void merge_check_cpus(struct merge *m, const json_t *total, struct host *host,
		      unsigned int rank, const char *path)
{
	const char *text = json_string_value(json_object_get(total, "cpus"));
	struct kncpmu_error err;
	struct kncpmu_cpus cpus;
	unsigned int i, both = 0;

	if (!text || kncpmu_cpus_parse(text, &cpus, &err))
		return;
	for (i = 0; i < KNCPMU_CPUS_LONGS; i++) {
		both |= !!(host->cpus.bits[i] & cpus.bits[i]);
		host->cpus.bits[i] |= cpus.bits[i];
	}
	if (both)
		merge_problem(m, path, rank, 1,
			      "it counted hardware threads (%s) of %s that another rank counted, too: the sums have them more than once; let one rank of each host use -a or -C",
			      text, host->name);
}

static void check_total(struct merge *m, const json_t *total, unsigned int rank, const char *path)
{
	const char *version = member_text(total, "version");
	long long status = json_integer_value(json_object_get(total, "exit_status"));
	char *differ = rows_differ(m);

	if (*differ)
		merge_problem(m, path, rank, 1,
			      "other events or metrics than those of rank %u (%s): %s",
			      m->first.rank, m->first.path, differ);
	free(differ);
	if (strcmp(version, m->version))
		merge_problem(m, path, rank, 1, "counted by version %s, rank %u (%s) by %s",
			      version, m->first.rank, m->first.path, m->version);
	if (status)
		merge_problem(m, path, rank, 1, "its command ended with status %lld", status);
}

static void merge_total(struct merge *m, const json_t *total, const char *path)
{
	unsigned int rank;
	size_t host;

	if (merge_rank(m, total, path, &rank))
		return;
	if (m->nr_places == 1) {
		m->first.rank = rank;
		m->first.path = path;
		m->version = xcopy(member_text(total, "version"));
	}
	host = merge_host(m, total);
	m->hosts[host].nr++;
	rows_add(m, total, rank, host);
	check_total(m, total, rank, path);
	merge_check_cpus(m, total, &m->hosts[host], rank, path);
}

/* Explain how a file ends if it does not end with a total; NULL: it does */
static char *bad_end(const struct totals *t, enum totals_line line, unsigned int nr)
{
	const char *host = json_string_value(json_object_get(t->begin, "host"));
	char *why = NULL;
	int ret = 0;

	if (line == TOTALS_OTHER)
		ret = asprintf(&why, "its schema is %s, and this version reads %s", t->schema,
			       STAT_SCHEMA);
	else if (line == TOTALS_DAMAGED)
		ret = asprintf(&why, "it is damaged, or no output of stat --json: %s", t->why);
	else if (ferror(t->f))
		ret = asprintf(&why, "it can't be read: %s", strerror(errno));
	else if (!nr || t->open)
		ret = asprintf(&why,
			       "it ends without a total: stat was killed%s%s, or still counts",
			       host ? " on " : "", host ? : "");
	if (ret < 0)
		out_of_memory();
	return why;
}

static void merge_lines(struct merge *m, struct totals *t, const char *path)
{
	enum totals_line line;
	unsigned int nr = 0;
	const char *host;
	long long rank;
	json_t *total;
	char *why;

	while ((line = totals_next(t, &total)) == TOTALS_TOTAL) {
		merge_total(m, total, path);
		json_decref(total);
		nr++;
	}
	why = bad_end(t, line, nr);
	if (!why)
		return;
	/* the rank that began is lost; totals without a rank are merged */
	rank = merge_rank_of(t->begin);
	merge_problem(m, path, rank, rank == NO_RANK && nr > 0, "%s", why);
	free(why);
	if (rank == NO_RANK)
		return;
	if (!m->ranks)
		m->ranks = json_integer_value(json_object_get(t->begin, "ranks"));
	host = json_string_value(json_object_get(t->begin, "host"));
	if (host)
		m->problems[m->nr_problems - 1].host = xcopy(host);
}

void merge_file(struct merge *m, const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	struct totals t;

	if (!f) {
		merge_problem(m, path, NO_RANK, 0, "it can't be opened: %s", strerror(errno));
		return;
	}
	totals_open(&t, f);
	merge_lines(m, &t, path);
	totals_close(&t);
	/* rows and hosts have copies of the texts that they need */
	intern_free();
}

/* Print ranks @from to @to - 1 as "3" or "7-9", and @host; nothing if the range is empty */
static void put_ranks(FILE *f, long long from, long long to, const char *host,
		      const char **before)
{
	if (from >= to)
		return;
	fprintf(f, "%s%lld", *before, from);
	if (to - from > 1)
		fprintf(f, "-%lld", to - 1);
	if (host)
		fprintf(f, " (%s)", host);
	*before = host ? ", " : ",";
}

static int by_rank(const void *a, const void *b)
{
	const struct problem *left = *(struct problem * const *)a;
	const struct problem *right = *(struct problem * const *)b;

	return (left->rank > right->rank) - (left->rank < right->rank);
}

/* List ranks that began to count and left no total, by number, with NULL at the end */
static struct problem **lost_ranks(const struct merge *m)
{
	struct problem **lost = calloc(m->nr_problems + 1, sizeof(*lost));
	size_t i, nr = 0;

	if (!lost)
		out_of_memory();
	for (i = 0; i < m->nr_problems; i++) {
		if (m->problems[i].host)
			lost[nr++] = &m->problems[i];
	}
	qsort(lost, nr, sizeof(*lost), by_rank);
	return lost;
}

/*
 * Print the missing ranks @from to @to - 1, with their host if @lost has it, otherwise with @other.
 * @lost continues from the previous call.
 */
static void put_missing(FILE *f, long long from, long long to, struct problem ***lost,
			const char *other, const char **before)
{
	const char *host;
	long long end;

	while (from < to) {
		while (**lost && (**lost)->rank < from)
			++*lost;
		host = other;
		end = **lost && (**lost)->rank < to ? (**lost)->rank : to;
		if (end == from) {
			for (host = (**lost)->host; **lost && (**lost)->rank <= end && end < to &&
			     !strcmp((**lost)->host, host); ++*lost)
				end = (**lost)->rank + 1;
		}
		put_ranks(f, from, end, host, before);
		from = end;
	}
}

/* List the missing ranks, and their hosts as far as @lost tells */
static char *missing_ranks(const struct merge *m, struct problem **lost)
{
	const char *before = "", *other = *lost ? "host unknown" : NULL;
	long long next = 0;
	size_t i, size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		out_of_memory();
	for (i = 0; i < m->nr_places; i++) {
		put_missing(f, next, m->places[i].rank, &lost, other, &before);
		next = m->places[i].rank + 1LL;
	}
	put_missing(f, next, m->ranks, &lost, other, &before);
	if (fclose(f))
		out_of_memory();
	return text;
}

void merge_end(struct merge *m)
{
	struct problem *none = NULL, **lost = lost_ranks(m);

	m->missing = missing_ranks(m, &none);
	m->missing_hosts = missing_ranks(m, lost);
	free(lost);
	if (*m->missing)
		complain("ranks are missing: %s; the %s those of the others", m->missing_hosts,
			 m->recordings ? "samples are" : "sums are");
}

void merge_free(struct merge *m)
{
	size_t i;

	rows_free(m);
	for (i = 0; i < m->nr_hosts; i++)
		free(m->hosts[i].name);
	for (i = 0; i < m->nr_problems; i++) {
		free(m->problems[i].why);
		free(m->problems[i].host);
	}
	free(m->hosts);
	free(m->places);
	free(m->problems);
	free(m->version);
	free(m->missing);
	free(m->missing_hosts);
}
