// SPDX-License-Identifier: GPL-2.0
/*
 * A journal on disk while the checks run: a line of JSON when a check begins, and one with its
 * outcome. If the machine stops during a check, the next run knows which check, and skips it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/text.h"
#include "selftest/journal.h"

/**
 * struct journal - the file
 * @path: its name
 * @f: the file, open to append; NULL: it can't be written
 */
struct journal {
	char *path;
	FILE *f;
};

static void write_line(struct journal *journal, json_t *line)
{
	if (journal->f && line) {
		json_dumpf(line, journal->f, JSON_COMPACT | JSON_REAL_PRECISION(12));
		fputc('\n', journal->f);
		/* the machine may stop during the next check */
		fflush(journal->f);
		fsync(fileno(journal->f));
	}
	json_decref(line);
}

static int find_check(const struct selftest *t, const char *name)
{
	unsigned int i;

	for (i = 0; name && i < t->nr_checks; i++) {
		if (!strcmp(t->checks[i].name, name))
			return i;
	}
	return -1;
}

static void take_outcome(struct outcome *outcome, const json_t *line)
{
	const char *result = json_string_value(json_object_get(line, "result"));
	const char *why = json_string_value(json_object_get(line, "why"));
	json_t *figures = json_object_get(line, "measured");
	unsigned int i;

	for (i = CHECK_PASSED; i <= CHECK_SKIPPED; i++) {
		if (result && !strcmp(result, result_name(i)))
			outcome->result = i;
	}
	outcome->done = 1;
	snprintf(outcome->why, sizeof(outcome->why), "%s", why ? why : "");
	outcome->seconds = json_number_value(json_object_get(line, "seconds"));
	if (json_is_object(figures))
		outcome->measured = json_incref(figures);
}

/* Take a line. A check whose end has no line has stopped the machine. */
static void take_line(struct selftest *t, const json_t *line)
{
	int begun = find_check(t, json_string_value(json_object_get(line, "begin")));
	int ended = find_check(t, json_string_value(json_object_get(line, "end")));

	if (ended >= 0) {
		take_outcome(&t->outcomes[ended], line);
	} else if (begun >= 0) {
		t->outcomes[begun].done = 1;
		t->outcomes[begun].result = CHECK_FAILED;
		snprintf(t->outcomes[begun].why, sizeof(t->outcomes[begun].why),
			 "the machine, or this program, stopped during this check: the kernel's log may tell why; --restart runs it again");
	}
}

/* Does the first line describe this kernel, module and card? */
static int is_ours(const struct selftest *t, const json_t *line)
{
	json_t *now = identity_json(t);
	char *a = json_dumps(json_object_get(line, "machine"), JSON_COMPACT);
	char *b = json_dumps(now, JSON_COMPACT);
	int same = a && b && !strcmp(a, b);

	free(a);
	free(b);
	json_decref(now);
	return same;
}

/* Read the journal; returns whether it belongs to this run */
static int read_journal(struct selftest *t, const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	int ours = 0;
	size_t room = 0;
	ssize_t size;
	json_t *line;

	while (f && (size = getline(&text, &room, f)) > 0) {
		/* the last line may be incomplete */
		line = json_loadb(text, size, 0, NULL);
		if (!line)
			break;
		if (ours)
			take_line(t, line);
		else
			ours = is_ours(t, line);
		json_decref(line);
		if (!ours)
			break;
	}
	free(text);
	if (f)
		fclose(f);
	return ours;
}

struct journal *journal_open(struct selftest *t, const char *path, int restart)
{
	struct journal *journal = xalloc(1, sizeof(*journal));
	json_t *head = json_object();
	int goes_on = !restart && read_journal(t, path);

	journal->path = strdup(path);
	journal->f = fopen(path, goes_on ? "ae" : "we");
	if (!journal->f)
		fprintf(stderr, "%s: can't write %s: %s; after a crash all checks would run "
			"again\n",
			PROGRAM, path, strerror(errno));
	json_object_set_new(head, "machine", identity_json(t));
	if (goes_on)
		json_decref(head);
	else
		write_line(journal, head);
	return journal;
}

void journal_begin(struct journal *journal, const struct check *check)
{
	write_line(journal, json_pack("{s:s}", "begin", check->name));
}

void journal_end(struct journal *journal, const struct check *check, const struct outcome *outcome)
{
	write_line(journal, json_pack("{s:s, s:s, s:s, s:f, s:o}", "end", check->name,
				      "result", result_name(outcome->result), "why", outcome->why,
				      "seconds", outcome->seconds,
				      "measured", json_incref(outcome->measured)));
}

void journal_remove(struct journal *journal)
{
	if (journal->f) {
		fclose(journal->f);
		unlink(journal->path);
	}
	free(journal->path);
	free(journal);
}
