// SPDX-License-Identifier: GPL-2.0
/* timeline: shows the levels in an output of stat -I MS --json, in place of a recording's counts */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sets.h>

#include "cli/hash.h"
#include "cli/json.h"
#include "cli/level.h"
#include "profile/bins.h"

#define NSEC		1e9
#define MAX_TIME	1e18	/* ns */

/* The current bin of an L3, to which readings are added */
struct l3 {
	unsigned int cpu;
	struct bin bin;
	UT_hash_handle hh;
};

struct reading {
	struct timeline *t;
	const struct profile_opts *opts;
	unsigned long long bin;
	unsigned long long last;	/* time of the last reading, ns */
	int ended;			/* further lines belong to another run (stat --append) */
	struct l3 *l3s;
};

static struct l3 *get_l3(struct reading *r, unsigned int cpu)
{
	struct l3 *l3;

	HASH_FIND(hh, r->l3s, &cpu, sizeof(cpu), l3);
	if (l3)
		return l3;
	l3 = xalloc(1, sizeof(*l3));
	l3->cpu = cpu;
	l3->bin.cpu = cpu;
	HASH_ADD(hh, r->l3s, cpu, sizeof(l3->cpu), l3);
	return l3;
}

static void finish_bin(struct reading *r, struct l3 *l3)
{
	struct timeline *t = r->t;
	unsigned long long end = l3->bin.end;

	if (end <= l3->bin.start)
		return;
	l3->bin.count = level_mean(&l3->bin.readings);
	t->bins = xgrow(t->bins, t->nr, &t->room, sizeof(*t->bins));
	t->bins[t->nr++] = l3->bin;
	memset(&l3->bin, 0, sizeof(l3->bin));
	l3->bin.cpu = l3->cpu;
	l3->bin.start = end;
	l3->bin.end = end;
}

/* Take a reading of an L3 at @time, which stands for the time since the last reading */
static void take_l3(struct reading *r, const json_t *object, unsigned long long time)
{
	const json_t *cpu = json_object_get(object, "cpu"), *bytes;
	struct l3 *l3;

	if (!json_is_integer(cpu) || json_integer_value(cpu) < 0 ||
	    json_integer_value(cpu) >= KNC_PMU_MAX_CPUS ||
	    (r->opts->have_cpus && !kncpmu_cpus_test(&r->opts->cpus, json_integer_value(cpu))))
		return;
	l3 = get_l3(r, json_integer_value(cpu));
	bytes = json_object_get(object, "bytes");
	level_add(&l3->bin.readings, json_is_integer(bytes) && json_integer_value(bytes) >= 0,
		  json_integer_value(bytes));
	l3->bin.end = time;
	if (time - l3->bin.start >= r->bin)
		finish_bin(r, l3);
}

static void take_line(struct reading *r, const json_t *line)
{
	const char *schema = json_string_value(json_object_get(line, "schema"));
	const char *type = json_string_value(json_object_get(line, "type"));
	const char *level = json_string_value(json_object_get(line, "level"));
	double time = json_number_value(json_object_get(line, "time")) * NSEC;
	const json_t *l3;
	size_t i;

	if (!schema || strcmp(schema, LEVEL_SCHEMA) || !type || !level)
		return;
	r->ended |= !strcmp(type, "total");
	if (strcmp(type, "interval") || !(time > r->last) || time > MAX_TIME)
		return;
	if (r->opts->event && strcmp(r->opts->event, level))
		return;
	if (!r->t->level)
		r->t->level = intern_text(level);
	r->last = time;
	json_array_foreach(json_object_get(line, "l3"), i, l3)
		take_l3(r, l3, r->last);
}

static int compare_bins(const void *a, const void *b)
{
	const struct bin *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void read_lines(struct reading *r, FILE *f)
{
	struct l3 *l3, *next;
	char *text = NULL;
	size_t room = 0;
	ssize_t size;
	json_t *line;

	while (!r->ended && (size = getline(&text, &room, f)) > 0) {
		line = load_json(text, size, 0, 0, NULL);
		take_line(r, line);
		json_decref(line);
	}
	free(text);
	HASH_ITER(hh, r->l3s, l3, next) {
		finish_bin(r, l3);
		HASH_DEL(r->l3s, l3);
		free(l3);
	}
	if (r->t->nr)
		qsort(r->t->bins, r->t->nr, sizeof(*r->t->bins), compare_bins);
}

int timeline_read_levels(struct timeline *t, const struct profile_opts *opts, int fd,
			 unsigned long long bin)
{
	struct reading r = { .t = t, .opts = opts, .bin = bin };
	FILE *f = fdopen(fd, "r");

	memset(t, 0, sizeof(*t));
	if (!f)
		return complain("can't read %s: %s", opts->input, strerror(errno));
	read_lines(&r, f);
	fclose(f);
	if (t->nr)
		return CTL_OK;
	return complain("%s has no intervals of schema %s to show: make it with stat -I MS --json "
			"-e cmt/llc_occupancy/, and leave -e and -C out here", opts->input,
			LEVEL_SCHEMA);
}
