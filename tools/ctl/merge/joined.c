// SPDX-License-Identifier: GPL-2.0
/* A common time and common properties for several recordings */
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "json/text.h"
#include "merge/joined.h"
#include "profile/ranks.h"

static long long number_of(const json_t *info, const char *key)
{
	return json_integer_value(json_object_get(info, key));
}

static char *dumped(const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT) : xcopy("null");

	if (!text)
		out_of_memory();
	return text;
}

static int is_same(const json_t *a, const json_t *b)
{
	char *x = dumped(a), *y = dumped(b);
	int same = !strcmp(x, y);

	free(x);
	free(y);
	return same;
}

/* Do all recordings have the same value? */
static int is_common(const struct recording *all, size_t nr, const char *key)
{
	size_t i;

	for (i = 1; i < nr; i++) {
		if (!is_same(json_object_get(all[i].info, key), json_object_get(all[0].info, key)))
			return 0;
	}
	return 1;
}

/* The time of day at which the host's CLOCK_MONOTONIC was 0, ns since 1970 */
static long long began(const struct recording *r)
{
	return r->utc - r->started;
}

/*
 * Ranks of one host share a clock. Ranks of other hosts are aligned by the time of day, which may
 * differ a little between hosts.
 */
void joined_times(struct recording *all, size_t nr)
{
	const char *boot;
	size_t i, n;

	for (i = 0; i < nr; i++) {
		boot = member_text(all[i].info, "boot_id");
		all[i].shift = began(&all[i]) - began(&all[0]);
		for (n = 0; n < i && *boot; n++) {
			if (strcmp(member_text(all[n].info, "boot_id"), boot))
				continue;
			all[i].shift = all[n].shift;
			break;
		}
	}
}

static const char *cpus_of(const struct recording *all, size_t nr, char *text, size_t size)
{
	struct kncpmu_cpus cpus, sum;
	struct kncpmu_error err;
	size_t i;
	int n;

	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < nr; i++) {
		if (kncpmu_cpus_parse(member_text(all[i].info, "cpus"), &cpus, &err))
			continue;
		for (n = 0; n < (int)KNCPMU_CPUS_LONGS; n++)
			sum.bits[n] |= cpus.bits[n];
	}
	kncpmu_cpus_format(&sum, text, size);
	return text;
}

/* In a pid namespace of its own, thread 0 is not the idle task, and no task gets that name */
static const json_t *namespace_of(const struct recording *all, size_t nr)
{
	const json_t *ns = json_object_get(all[0].info, "pid_namespace");
	size_t i;

	for (i = 0; i < nr && json_integer_value(ns) == DATA_FIRST_PID_NS; i++)
		ns = json_object_get(all[i].info, "pid_namespace");
	return ns;
}

/* Properties that differ between ranks are in the DATA_RANK of each */
static const char * const differing[] = { "host", "kernel", "boot_id", "command", "who" };
/* Properties that are meaningless for several recordings */
static const char * const single[] = { "pid", "rank", "job", "utc_ns" };

static void set_times(json_t *info, const struct recording *all, size_t nr)
{
	const struct recording *first = &all[0];
	size_t i;

	for (i = 1; i < nr; i++) {
		if (data_shifted(all[i].started, all[i].shift) <
		    data_shifted(first->started, first->shift))
			first = &all[i];
	}
	json_object_set_new(info, "started", json_string(member_text(first->info, "started")));
	json_object_set_new(info, "started_ns",
			    json_integer(data_shifted(first->started, first->shift)));
}

json_t *joined_info(const struct merge *m, const struct recording *all, size_t nr)
{
	json_t *info = json_object(), *value;
	const char *key;
	char cpus[4096];
	size_t i;

	json_object_foreach(all[0].info, i, key, value)
		json_object_set_new(info, key, json_incref(value));
	for (i = 0; i < ARRAY_SIZE(differing); i++) {
		if (!is_common(all, nr, differing[i]))
			json_object_set_new(info, differing[i], json_null());
	}
	for (i = 0; i < ARRAY_SIZE(single); i++)
		json_object_set_new(info, single[i], json_null());
	if (!json_is_array(json_object_get(info, "command")))
		json_object_set_new(info, "who", text_json(intern_format("%zu ranks", nr)));
	json_object_set_new(info, "pid_namespace", json_incref((json_t *)namespace_of(all, nr)));
	json_object_set_new(info, "program",
			    text_json(intern_format(PROGRAM " %s", kncpmu_version())));
	json_object_set_new(info, "cpus", json_string(cpus_of(all, nr, cpus, sizeof(cpus))));
	json_object_set_new(info, "ranks", json_integer(m->ranks));
	set_times(info, all, nr);
	return info;
}

json_t *joined_end(const struct recording *all, size_t nr)
{
	unsigned long long ended = 0, time;
	long long status = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		time = data_shifted(all[i].ended, all[i].shift);
		ended = time > ended ? time : ended;
		status = status ? : all[i].status;
	}
	return json_pack("{s:I, s:I, s:o}", "ended_ns", (json_int_t)ended, "status",
			 (json_int_t)status, "rings", json_array());
}

/* "BRANCHES:u each 1000, ..." */
static char *events_of(const json_t *info)
{
	const json_t *event;
	size_t i, size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		out_of_memory();
	json_array_foreach(json_object_get(info, "events"), i, event) {
		fprintf(f, "%s%s%s", i ? ", " : "", member_text(event, "event"),
			json_is_true(json_object_get(event, "stand_in")) ? " (stand-in)" : "");
		if (number_of(event, "period"))
			fprintf(f, " each %lld", number_of(event, "period"));
		else if (number_of(event, "freq"))
			fprintf(f, " %lld times a second", number_of(event, "freq"));
	}
	if (fclose(f))
		out_of_memory();
	return text;
}

/* Options that decide which records exist; readers use the first recording's value */
static const struct {
	const char *key;
	const char *what;
} options[] = {
	{ "pmu", "PMU" }, { "sample_interval_ns", "interval of time samples" },
	{ "switches", "choice of --off-cpu" }, { "chain_user", "kind of call chains" },
	{ "chain_kernel", "kind of call chains" }, { "stack_size", "size of copies of the stack" },
};

char *joined_differ(const json_t *info, const struct recording *first)
{
	char *mine = events_of(info), *theirs = events_of(first->info), *why = NULL;
	unsigned int i;
	int ret = 0;

	if (strcmp(mine, theirs))
		ret = asprintf(&why,
			       "it has samples of %s, rank %u (%s) of %s: record all with the same options",
			       mine, first->rank, first->path, theirs);
	for (i = 0; !why && i < ARRAY_SIZE(options); i++) {
		if (!is_same(json_object_get(info, options[i].key),
			     json_object_get(first->info, options[i].key)))
			ret = asprintf(&why,
				       "it has another %s than rank %u (%s): record all with the same options",
				       options[i].what, first->rank, first->path);
	}
	if (ret < 0)
		out_of_memory();
	free(mine);
	free(theirs);
	return why;
}
