// SPDX-License-Identifier: GPL-2.0
/* Source lines or instructions of a function, with their shares of the events */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/text.h"
#include "profile/annotate.h"

#define AROUND	3	/* lines shown before the first and after the last one with events */

/* The events at an address, or at all addresses of a source line */
struct spot {
	struct place *place;
	const char *file;
	int line;
	unsigned long long weight[KNC_NR_COUNTERS];
	UT_hash_handle hh;
};

struct annotation {
	const struct profile *p;
	const char *symbol;
	struct spot *spots;
};

/* Rows of one function, in order */
struct listing {
	const struct annotation *a;
	const struct spot **spots;
	size_t nr;
	unsigned long long sum[KNC_NR_COUNTERS];
};

struct annotation *annotation_new(const struct profile *p, const char *symbol)
{
	struct annotation *a = must_alloc(1, sizeof(*a));

	a->p = p;
	a->symbol = symbol;
	return a;
}

void annotation_free(struct annotation *a)
{
	free_entries(a->spots);
	free(a);
}

/* Is @symbol the name of the function, with or without arguments? */
static int is_named(const struct place *place, const char *symbol)
{
	size_t length = strlen(symbol);

	if (!place->symbol || strncmp(place->name, symbol, length))
		return 0;
	return !place->name[length] || place->name[length] == '(';
}

void annotation_add(struct annotation *a, const struct sample *s)
{
	struct place *place = s->frames[0];
	struct spot *spot;

	if (!is_named(place, a->symbol))
		return;
	HASH_FIND_PTR(a->spots, &place, spot);
	if (!spot) {
		spot = must_alloc(1, sizeof(*spot));
		spot->place = place;
		if (place->dso->elf)
			spot->file = elf_file_line(place->dso->elf, place->addr,
						   &spot->line);
		HASH_ADD_PTR(a->spots, place, spot);
	}
	spot->weight[s->event] += s->period;
}

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = *(const struct spot * const *)a;
	const struct spot *y = *(const struct spot * const *)b;
	int ret = strcmp(x->place->dso->name, y->place->dso->name);

	if (ret)
		return ret;
	return x->place->addr < y->place->addr ? -1 : x->place->addr > y->place->addr;
}

static int compare_lines(const void *a, const void *b)
{
	const struct spot *x = *(const struct spot * const *)a;
	const struct spot *y = *(const struct spot * const *)b;
	int ret = strcmp(x->file ? : "", y->file ? : "");

	return ret ? : x->line - y->line;
}

/* Print the percentages of each event, or blanks of the same width */
static void print_shares(const struct listing *l, FILE *f,
			 const unsigned long long *weight)
{
	unsigned int i;

	for (i = 0; i < l->a->p->file.nr_events; i++) {
		if (!profile_wants(l->a->p, i))
			continue;
		if (weight && weight[i])
			fprintf(f, "%8.2f%%", percent(weight[i], l->sum[i]));
		else
			fprintf(f, "%9s", "");
	}
}

static void add_weights(const struct spot *spot, unsigned long long *weight)
{
	unsigned int i;

	for (i = 0; i < KNC_NR_COUNTERS; i++)
		weight[i] += spot->weight[i];
}

/* Sum up the spots of a line, from index @at on; returns the index after them */
static size_t line_weights(const struct listing *l, size_t at,
			   unsigned long long *weight)
{
	const struct spot *first = l->spots[at];

	memset(weight, 0, KNC_NR_COUNTERS * sizeof(*weight));
	for (; at < l->nr && !compare_lines(&first, &l->spots[at]); at++)
		add_weights(l->spots[at], weight);
	return at;
}

/* Open a source file of the recorded machine (--sysroot) */
static FILE *open_source(const struct profile *p, const char *path)
{
	struct stat st;
	char *full;
	FILE *f;
	int fd;

	if (asprintf(&full, "%s%s", p->opts->sysroot ? : "", path) < 0)
		out_of_memory();
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	free(full);
	if (fd < 0)
		return NULL;
	f = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!f)
		close(fd);
	return f;
}

/* Print clean text with tabs expanded: percentages before it would shift them */
static void print_text(FILE *f, const char *text)
{
	unsigned int column = 0;
	const char *part;
	size_t len;

	for (; *text; text += len) {
		len = strcspn(text, "\t");
		part = intern(text, len);
		fputs(part, f);
		column += text_width(part);
		if (text[len] != '\t')
			continue;
		len++;
		fprintf(f, "%*s", (int)(8 - column % 8), "");
		column += 8 - column % 8;
	}
	fputc('\n', f);
}

/* Print only line numbers, of a file that can't be read */
static size_t print_numbers(const struct listing *l, FILE *f, size_t at, size_t end)
{
	unsigned long long weight[KNC_NR_COUNTERS];
	const struct spot *spot;

	while (at < end) {
		spot = l->spots[at];
		at = line_weights(l, at, weight);
		print_shares(l, f, weight);
		if (spot->file)
			fprintf(f, "  %6d\n", spot->line);
		else
			fprintf(f, "  no line known\n");
	}
	return at;
}

static void print_source(const struct listing *l, FILE *f, FILE *source, size_t at,
			 size_t end)
{
	int first = l->spots[at]->line - AROUND, last = l->spots[end - 1]->line + AROUND;
	unsigned long long weight[KNC_NR_COUNTERS];
	char *line = NULL;
	size_t size = 0;
	int number = 0;
	ssize_t length;

	while (number < last && (length = getline(&line, &size, source)) > 0) {
		if (++number < first)
			continue;
		while (length && strchr("\r\n", line[length - 1]))
			length--;
		line[length] = '\0';
		if (at < end && l->spots[at]->line == number) {
			at = line_weights(l, at, weight);
			print_shares(l, f, weight);
		} else {
			print_shares(l, f, NULL);
		}
		fprintf(f, "  %6d  ", number);
		print_text(f, line);
	}
	free(line);
	/* the file is shorter than its debug information says */
	print_numbers(l, f, at, end);
}

static int same_file(const struct spot *a, const struct spot *b)
{
	return !strcmp(a->file ? : "", b->file ? : "");
}

static void print_lines(struct listing *l, FILE *f)
{
	size_t at = 0, end;
	FILE *source;

	qsort(l->spots, l->nr, sizeof(*l->spots), compare_lines);
	while (at < l->nr) {
		for (end = at; end < l->nr && same_file(l->spots[end], l->spots[at]);)
			end++;
		fprintf(f, "\n%s\n", l->spots[at]->file ? intern_text(l->spots[at]->file) :
			"no source file known");
		source = l->spots[at]->file ? open_source(l->a->p, l->spots[at]->file) : NULL;
		if (source) {
			print_source(l, f, source, at, end);
			fclose(source);
		} else {
			print_numbers(l, f, at, end);
		}
		at = end;
	}
}

/* Start objdump for a function; returns the pipe, or -1 */
static int disassemble(const struct place *place, pid_t *pid)
{
	char start[48], stop[48];
	char *argv[8];
	posix_spawn_file_actions_t actions;
	int fds[2], error;

	if (!place->dso->elf || pipe(fds))
		return -1;
	snprintf(start, sizeof(start), "--start-address=0x%llx", place->symbol->start);
	snprintf(stop, sizeof(stop), "--stop-address=0x%llx", place->symbol->end);
	argv[0] = (char *)"objdump";
	argv[1] = (char *)"-d";
	argv[2] = (char *)"--no-show-raw-insn";
	argv[3] = start;
	argv[4] = stop;
	argv[5] = (char *)"--";
	argv[6] = (char *)elf_file_path(place->dso->elf);
	argv[7] = NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, fds[0]);
	error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (!error)
		return fds[0];
	close(fds[0]);
	return -1;
}

/* Print the spots before an instruction, where none begins, and the instruction with its spot */
static size_t print_spots(const struct listing *l, FILE *f, size_t at,
			  unsigned long long addr, const char *text)
{
	for (; at < l->nr && l->spots[at]->place->addr < addr; at++) {
		print_shares(l, f, l->spots[at]->weight);
		fprintf(f, "  %12llx\n", l->spots[at]->place->addr);
	}
	if (!text)
		return at;
	if (at < l->nr && l->spots[at]->place->addr == addr)
		print_shares(l, f, l->spots[at++]->weight);
	else
		print_shares(l, f, NULL);
	fprintf(f, "  %12llx  ", addr);
	print_text(f, text);
	return at;
}

static void print_instructions(const struct listing *l, FILE *f)
{
	unsigned long long addr;
	FILE *in = NULL;
	char *line = NULL, *end;
	size_t size = 0, at = 0;
	pid_t pid = -1;
	int fd;

	fputc('\n', f);
	fd = disassemble(l->spots[0]->place, &pid);
	if (fd >= 0)
		in = fdopen(fd, "r");
	while (in && getline(&line, &size, in) > 0) {
		addr = strtoull(line, &end, 16);
		if (end == line || end[0] != ':' || end[1] != '\t')
			continue;
		end[strcspn(end, "\n")] = '\0';
		at = print_spots(l, f, at, addr, end + 2);
	}
	print_spots(l, f, at, ~0ULL, NULL);
	free(line);
	if (in)
		fclose(in);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void print_function(struct listing *l, FILE *f)
{
	const struct place *place = l->spots[0]->place;
	int lines = 0;
	unsigned int i;
	size_t n;

	memset(l->sum, 0, sizeof(l->sum));
	for (n = 0; n < l->nr; n++) {
		lines |= !!l->spots[n]->file;
		add_weights(l->spots[n], l->sum);
	}
	fprintf(f, "%s in %s\n", place->name, place->dso->name);
	for (i = 0; i < l->a->p->file.nr_events; i++) {
		if (profile_wants(l->a->p, i))
			fprintf(f, "%llu events of %s, %.2f%% of all\n", l->sum[i],
				l->a->p->file.events[i].name,
				percent(l->sum[i], l->a->p->weight[i]));
	}
	fputs("shown at the instruction behind the one that caused them\n", f);
	if (lines)
		print_lines(l, f);
	else
		print_instructions(l, f);
}

static int same_function(const struct spot *a, const struct spot *b)
{
	return a->place->dso == b->place->dso && a->place->symbol == b->place->symbol;
}

int annotation_print(struct annotation *a, FILE *f)
{
	size_t nr = HASH_COUNT(a->spots), i = 0, end;
	struct listing l = { .a = a };
	const struct spot **all;
	struct spot *spot, *next;

	if (!nr)
		return complain("no sample is in a function %s: report lists the functions with "
				"samples",
				a->symbol);
	all = must_alloc(nr, sizeof(*all));
	HASH_ITER(hh, a->spots, spot, next)
		all[i++] = spot;
	qsort(all, nr, sizeof(*all), compare_spots);
	for (i = 0; i < nr; i = end) {
		for (end = i; end < nr && same_function(all[i], all[end]);)
			end++;
		l.spots = all + i;
		l.nr = end - i;
		if (i)
			fputc('\n', f);
		print_function(&l, f);
	}
	free(all);
	return CTL_OK;
}
