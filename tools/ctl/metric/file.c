// SPDX-License-Identifier: GPL-2.0
/*
 * A file of metrics (Documentation/metrics.rst): reading and checking it by itself. find.c has the
 * places where files are; link.c resolves the references between them.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmus.h>

#include "metric/files.h"
#include "metric/value.h"

#define MAX_ENTRIES	1024		/* metrics, and groups */
#define MAX_NAME	32

/**
 * struct key - a key of objects of a file
 * @name: its name
 * @type: type of its value; JSON_TRUE: true or false; JSON_REAL: any number
 * @required: every object must have it
 */
struct key {
	const char *name;
	json_type type;
	int required;
};

static const struct key file_keys[] = {
	{ "version", JSON_INTEGER, 1 },
	{ "pmu", JSON_STRING, 0 },
	{ "metrics", JSON_ARRAY, 0 },
	{ "groups", JSON_ARRAY, 0 },
	{ NULL, 0, 0 }
};

static const struct key metric_keys[] = {
	{ "name", JSON_STRING, 1 },
	{ "formula", JSON_STRING, 1 },
	{ "unit", JSON_STRING, 1 },
	{ "title", JSON_STRING, 1 },
	{ "says", JSON_STRING, 0 },
	{ "source", JSON_STRING, 1 },
	{ "unverified", JSON_TRUE, 0 },
	{ "together", JSON_TRUE, 0 },
	{ "limits", JSON_ARRAY, 0 },
	{ NULL, 0, 0 }
};

static const struct key limit_keys[] = {
	{ "verdict", JSON_STRING, 1 },
	{ "from", JSON_REAL, 0 },
	{ "above", JSON_REAL, 0 },
	{ "below", JSON_REAL, 0 },
	{ "cores_from", JSON_REAL, 0 },
	{ "cores_below", JSON_REAL, 0 },
	{ "says", JSON_STRING, 1 },
	{ "source", JSON_STRING, 1 },
	{ "unverified", JSON_TRUE, 0 },
	{ NULL, 0, 0 }
};

static const struct key group_keys[] = {
	{ "name", JSON_STRING, 1 },
	{ "title", JSON_STRING, 1 },
	{ "metrics", JSON_ARRAY, 0 },
	{ "events", JSON_ARRAY, 0 },
	{ "together", JSON_TRUE, 0 },
	{ NULL, 0, 0 }
};

static const char *type_name(json_type type)
{
	switch (type) {
	case JSON_STRING:
		return "a text";
	case JSON_ARRAY:
		return "an array";
	case JSON_INTEGER:
		return "a whole number";
	case JSON_REAL:
		return "a number";
	default:
		return "true or false";
	}
}

static int has_type(const json_t *value, json_type type)
{
	if (type == JSON_TRUE)
		return json_is_boolean(value);
	if (type == JSON_REAL)
		return json_is_number(value);
	return json_typeof(value) == type;
}

static const struct key *find_key(const struct key *keys, const char *name)
{
	for (; keys->name; keys++) {
		if (!strcmp(keys->name, name))
			return keys;
	}
	return NULL;
}

static void unknown_key(struct metrics *ms, const char *where, const struct key *keys,
			const char *name)
{
	char text[256];
	size_t len = 0;

	for (; keys->name && len < sizeof(text); keys++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", len ? ", " : "",
				keys->name);
	metric_problem(ms, where, "unknown key \"%s\": there are %s", name, text);
}

static int bad_value(struct metrics *ms, const char *where, const struct key *key,
		     const json_t *value)
{
	if (!has_type(value, key->type)) {
		metric_problem(ms, where, "\"%s\" must be %s", key->name,
			       type_name(key->type));
		return 1;
	}
	if (key->type == JSON_STRING && !json_string_length(value)) {
		metric_problem(ms, where, "\"%s\" is empty", key->name);
		return 1;
	}
	return 0;
}

/* Is @object an object with all required keys, and no unknown one? */
static int check_keys(struct metrics *ms, const char *where, json_t *object,
		      const struct key *keys)
{
	const struct key *key;
	const char *name;
	json_t *value;
	int good = 1;
	size_t i;

	if (!json_is_object(object)) {
		metric_problem(ms, where, "this must be an object, { ... }");
		return 0;
	}
	json_object_foreach(object, i, name, value) {
		key = find_key(keys, name);
		if (!key)
			unknown_key(ms, where, keys, name);
		if (!key || bad_value(ms, where, key, value))
			good = 0;
	}
	for (key = keys; key->name; key++) {
		if (!key->required || json_object_get(object, key->name))
			continue;
		metric_problem(ms, where, "\"%s\" is missing", key->name);
		good = 0;
	}
	return good;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Is the name valid? Capitals and other characters are reserved for formulas and options */
static int check_name(struct metrics *ms, const char *where, const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	if (!islower((unsigned char)name[0]) || name[len]) {
		metric_problem(ms, where,
			       "the name may have small letters, digits and _ only, a letter first");
		return 0;
	}
	if (len > MAX_NAME) {
		metric_problem(ms, where, "the name is longer than %d letters", MAX_NAME);
		return 0;
	}
	return 1;
}

/*
 * A name of a metric must differ from all events, in capitals or small letters: formulas have both
 */
static int name_is_free(struct metrics *ms, const char *where, const char *name)
{
	int event = !!kncpmu_event_find(ms->pmu, name);

	if (!event && metric_quantity_find(name) < 0)
		return 1;
	metric_problem(ms, where, "the name is that of %s: choose another",
		       event ? "an event" : "a quantity of formulas");
	return 0;
}

/* Write "FILE: metric NAME", or its number if it has no valid name */
static void locate(const char *file, const char *what, json_t *object, size_t index,
		   char *where, size_t size)
{
	const char *name = text_of(object, "name");

	if (name && strlen(name) <= MAX_NAME)
		snprintf(where, size, "%s: %s %s", file, what, name);
	else
		snprintf(where, size, "%s: %s number %zu", file, what, index + 1);
}

static double number_of(const json_t *object, const char *key, double otherwise)
{
	const json_t *value = json_object_get(object, key);

	return value ? json_number_value(value) : otherwise;
}

/* Read for which cards a range is; both numbers may be missing */
static int read_cores(struct metrics *ms, const char *where, const json_t *object,
		      struct metric_limit *limit)
{
	double from = number_of(object, "cores_from", 0);
	double below = number_of(object, "cores_below", 0);

	if (!(from >= 0 && from <= UINT_MAX && below >= 0 && below <= UINT_MAX) ||
	    from != floor(from) || below != floor(below)) {
		metric_problem(ms, where, "a number of cores is a whole number");
		return 0;
	}
	if (below && from >= below) {
		metric_problem(ms, where,
			       "no card can have so many cores: \"cores_from\" must be less than \"cores_below\"");
		return 0;
	}
	limit->cores_from = from;
	limit->cores_below = below;
	return 1;
}

static int read_limit(struct metrics *ms, const char *where, json_t *object,
		      struct metric_limit *limit)
{
	const char *verdict;

	if (!check_keys(ms, where, object, limit_keys))
		return 0;
	verdict = text_of(object, "verdict");
	limit->good = !strcmp(verdict, "good");
	if (!limit->good && strcmp(verdict, "bad")) {
		metric_problem(ms, where, "the verdict '%s' is neither \"good\" nor \"bad\"",
			       verdict);
		return 0;
	}
	limit->above = !!json_object_get(object, "above");
	limit->from = number_of(object, limit->above ? "above" : "from", -HUGE_VAL);
	limit->below = number_of(object, "below", HUGE_VAL);
	limit->says = text_of(object, "says");
	limit->source = text_of(object, "source");
	limit->unverified = json_is_true(json_object_get(object, "unverified"));
	if (limit->above && json_object_get(object, "from")) {
		metric_problem(ms, where,
			       "\"from\" and \"above\" exclude each other: choose one");
		return 0;
	}
	if (limit->from >= limit->below ||
	    (isinf(limit->from) && isinf(limit->below))) {
		metric_problem(ms, where,
			       "no value can be in it, or any can: give \"from\" or \"above\", \"below\" or both");
		return 0;
	}
	return read_cores(ms, where, object, limit);
}

static int read_limits(struct metrics *ms, const char *where, json_t *array,
		       struct metric *m)
{
	char place[600];
	json_t *value;
	size_t i;

	m->limits = calloc(json_array_size(array) + 1, sizeof(*m->limits));
	if (!m->limits) {
		metric_problem(ms, where, "out of memory");
		return 0;
	}
	json_array_foreach(array, i, value) {
		snprintf(place, sizeof(place), "%s: limit %zu", where, i + 1);
		if (!read_limit(ms, place, value, &m->limits[m->nr_limits]))
			return 0;
		m->nr_limits++;
	}
	return 1;
}

static int defined_here(struct metrics *ms, const char *where, const char *file,
			const char *other)
{
	if (file != other)	/* names of files are unique strings */
		return 0;
	metric_problem(ms, where, "it is there twice");
	return 1;
}

/* The place for metric @name: that of an older metric of this name, or a new one */
static struct metric *metric_place(struct metrics *ms, const char *where,
				   const char *file, const char *name)
{
	int index = metric_index(ms, name);
	struct metric *m;

	if (index >= 0) {
		m = &ms->metrics[index];
		if (defined_here(ms, where, file, m->file))
			return NULL;
		free(m->limits);
		memset(m, 0, sizeof(*m));
		return m;
	}
	m = NULL;
	if (ms->nr_metrics < MAX_ENTRIES)
		m = realloc(ms->metrics, (ms->nr_metrics + 1) * sizeof(*m));
	if (!m) {
		metric_problem(ms, where, "more than %d metrics, or no memory", MAX_ENTRIES);
		return NULL;
	}
	ms->metrics = m;
	m += ms->nr_metrics++;
	memset(m, 0, sizeof(*m));
	return m;
}

static struct metric_group *group_place(struct metrics *ms, const char *where,
					const char *file, const char *name)
{
	const struct metric_group *old = metric_group_find(ms, name);
	struct metric_group *g = NULL;

	if (old) {
		if (defined_here(ms, where, file, old->file))
			return NULL;
		g = &ms->groups[old - ms->groups];
		memset(g, 0, sizeof(*g));
		return g;
	}
	if (ms->nr_groups < MAX_ENTRIES)
		g = realloc(ms->groups, (ms->nr_groups + 1) * sizeof(*g));
	if (!g) {
		metric_problem(ms, where, "more than %d groups, or no memory", MAX_ENTRIES);
		return NULL;
	}
	ms->groups = g;
	g += ms->nr_groups++;
	memset(g, 0, sizeof(*g));
	return g;
}

static void read_metric(struct metrics *ms, const char *file, json_t *object, size_t index)
{
	struct metric *place, m = { .file = file };
	char where[512];

	locate(file, "metric", object, index, where, sizeof(where));
	if (!check_keys(ms, where, object, metric_keys))
		return;
	m.name = text_of(object, "name");
	m.formula = text_of(object, "formula");
	m.unit_text = text_of(object, "unit");
	m.title = text_of(object, "title");
	m.says = text_of(object, "says");
	m.source = text_of(object, "source");
	m.unverified = json_is_true(json_object_get(object, "unverified"));
	m.together = json_is_true(json_object_get(object, "together"));
	if (!check_name(ms, where, m.name) || !name_is_free(ms, where, m.name))
		return;
	place = NULL;
	if (read_limits(ms, where, json_object_get(object, "limits"), &m))
		place = metric_place(ms, where, file, m.name);
	if (place)
		*place = m;
	else
		free(m.limits);
}

static int check_texts(struct metrics *ms, const char *where, const char *key,
		       json_t *array)
{
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value) {
		if (json_is_string(value))
			continue;
		metric_problem(ms, where, "\"%s\" may have texts only", key);
		return 0;
	}
	return 1;
}

static void read_group(struct metrics *ms, const char *file, json_t *object, size_t index)
{
	struct metric_group *place, g = { .file = file };
	char where[512];

	locate(file, "group", object, index, where, sizeof(where));
	if (!check_keys(ms, where, object, group_keys))
		return;
	g.name = text_of(object, "name");
	g.title = text_of(object, "title");
	g.names = json_object_get(object, "metrics");
	g.specs = json_object_get(object, "events");
	g.together = json_is_true(json_object_get(object, "together"));
	if (!check_name(ms, where, g.name) ||
	    !check_texts(ms, where, "metrics", g.names) ||
	    !check_texts(ms, where, "events", g.specs))
		return;
	if (!json_array_size(g.names) && !json_array_size(g.specs)) {
		metric_problem(ms, where, "it has neither metrics nor events");
		return;
	}
	place = group_place(ms, where, file, g.name);
	if (place)
		*place = g;
}

const char *metric_root_pmu(const json_t *root)
{
	const char *pmu = json_is_object(root) ? text_of(root, "pmu") : NULL;

	return pmu ? pmu : "knc";
}

/* Are the metrics of this file to be read? -1: no, because it has an error */
static int check_pmu(struct metrics *ms, const char *file, const char *pmu, int named)
{
	if (!metric_pmu_known(pmu)) {
		metric_problem(ms, file,
			       "unknown PMU '%s': there are knc, arch, westmere and uncore", pmu);
		return -1;
	}
	if (metric_pmu_is_used(ms->pmu, pmu))
		return 1;
	if (!named)
		return 0;
	metric_problem(ms, file,
		       "it is for PMU %s (\"pmu\"; without it: knc), and metrics of PMU %s are asked for: leave it out, or ask for those of %s",
		       pmu, ms->pmu->name, pmu);
	return -1;
}

static int read_root(struct metrics *ms, const char *file, json_t *root, int named)
{
	json_t *value;
	json_int_t version;
	size_t i;
	int ret;

	/* check the version first, because other versions may have other keys */
	value = json_is_object(root) ? json_object_get(root, "version") : NULL;
	version = json_integer_value(value);
	if (json_is_integer(value) && version != METRIC_VERSION) {
		metric_problem(ms, file,
			       "it is of version %lld, and this %s reads version %d",
			       (long long)version, PROGRAM, METRIC_VERSION);
		return -1;
	}
	if (!check_keys(ms, file, root, file_keys))
		return -1;
	ret = check_pmu(ms, file, metric_root_pmu(root), named);
	if (ret <= 0)
		return ret;
	json_array_foreach(json_object_get(root, "metrics"), i, value)
		read_metric(ms, file, value, i);
	json_array_foreach(json_object_get(root, "groups"), i, value)
		read_group(ms, file, value, i);
	return 1;
}

/* Replace lines that begin with // by blanks; strings of JSON contain no newlines */
static void blank_comments(char *text, size_t size)
{
	size_t i = 0, begin;

	while (i < size) {
		for (begin = i; begin < size && strchr(" \t", text[begin]); begin++)
			;
		for (; i < size && text[i] != '\n'; i++)
			;
		if (begin + 1 < i && text[begin] == '/' && text[begin + 1] == '/')
			memset(text + begin, ' ', i - begin);
		i++;
	}
}

json_t *metric_text_parse(char *text, size_t size, json_error_t *err)
{
	blank_comments(text, size);
	return load_json(text, size, JSON_REJECT_DUPLICATES, 1, err);
}

int metric_text_read(struct metrics *ms, const char *name, char *text, size_t size, int named)
{
	json_t *root, *file;
	json_error_t err;

	root = metric_text_parse(text, size, &err);
	if (!root) {
		metric_problem(ms, name, "line %d, column %d: %s", err.line, err.column,
			       err.text);
		return -1;
	}
	file = text_json(name);
	if (!file || json_array_append_new(ms->files, file) ||
	    json_array_append_new(ms->roots, root)) {
		metric_problem(ms, name, "out of memory");
		return -1;
	}
	return read_root(ms, json_string_value(file), root, named);
}
