// SPDX-License-Identifier: GPL-2.0
/* Source lines or instructions of a function, with their shares of the events */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/suggest.h"
#include "cli/text.h"
#include "profile/annotate.h"
#include "profile/match.h"

#define AROUND	3	/* source lines shown around those with events */

/**
 * struct spot - the events at an address, or at all addresses of a source line
 * @place: the address
 * @file: path of the source file; NULL: not known
 * @given: the part of @file that the compiler was given; a relative one is also tried from here
 * @line: the line in it
 * @weight: number of events, of each event
 * @hh: in a hash, by @place
 */
struct spot {
	struct place *place;
	char *file;
	const char *given;
	int line;
	unsigned long long weight[DATA_EVENTS];
	UT_hash_handle hh;
};

/* A function with samples */
struct function {
	const struct symbol *symbol;
	const char *name;
	enum match match;
	UT_hash_handle hh;
};

/**
 * struct annotation - the functions that a word names
 * @p: the profile
 * @word: the word
 * @best: the best match among @functions; only functions that match as well are shown
 * @functions: all functions with samples
 * @spots: addresses with samples in those that match
 */
struct annotation {
	const struct profile *p;
	const char *word;
	enum match best;
	struct function *functions;
	struct spot *spots;
};

/* Rows of one function, in order */
struct listing {
	const struct annotation *a;
	const struct spot **spots;
	size_t nr;
	unsigned long long sum[DATA_EVENTS];
};

struct annotation *annotation_new(const struct profile *p, const char *symbol)
{
	struct annotation *a = xalloc(1, sizeof(*a));

	a->p = p;
	a->word = symbol;
	return a;
}

void annotation_free(struct annotation *a)
{
	struct spot *spot;

	for (spot = a->spots; spot; spot = spot->hh.next)
		free(spot->file);
	free_entries(a->spots);
	free_entries(a->functions);
	free(a);
}

static struct function *get_function(struct annotation *a, const struct place *place)
{
	struct function *function;

	HASH_FIND_PTR(a->functions, &place->symbol, function);
	if (function)
		return function;
	function = xalloc(1, sizeof(*function));
	function->symbol = place->symbol;
	function->name = place->name;
	/* don't match place->name: if two functions have one name it also names the file */
	function->match = match_name(place->symbol->name, a->word);
	if (function->match > a->best)
		a->best = function->match;
	HASH_ADD_PTR(a->functions, symbol, function);
	return function;
}

static void find_line(struct spot *spot)
{
	struct source source;

	if (!spot->place->dso->elf ||
	    !elf_file_line(spot->place->dso->elf, spot->place->addr, &source))
		return;
	spot->file = source.path;
	spot->given = source.given;
	spot->line = source.line;
}

void annotation_add(struct annotation *a, const struct sample *s)
{
	struct place *place = s->frames[0];
	struct spot *spot;

	if (!place->symbol || !get_function(a, place)->match)
		return;
	HASH_FIND_PTR(a->spots, &place, spot);
	if (!spot) {
		spot = xalloc(1, sizeof(*spot));
		spot->place = place;
		find_line(spot);
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
static void print_share(const struct listing *l, FILE *f, unsigned int event, double share)
{
	char text[16];

	snprintf(text, sizeof(text), "%s%.2f%%", profile_mark(l->a->p, event), share);
	fprintf(f, "%9s", text);
}

static void print_shares(const struct listing *l, FILE *f,
			 const unsigned long long *weight)
{
	unsigned int i;

	for (i = 0; i < l->a->p->file.nr_events; i++) {
		if (!profile_wants(l->a->p, i))
			continue;
		if (weight && weight[i])
			print_share(l, f, i, percent(weight[i], l->sum[i]));
		else
			fprintf(f, "%9s", "");
	}
}

static void add_weights(const struct spot *spot, unsigned long long *weight)
{
	unsigned int i;

	for (i = 0; i < DATA_EVENTS; i++)
		weight[i] += spot->weight[i];
}

/* Sum up the spots of a line, from index @at on; returns the index after them */
static size_t line_weights(const struct listing *l, size_t at,
			   unsigned long long *weight)
{
	const struct spot *first = l->spots[at];

	memset(weight, 0, DATA_EVENTS * sizeof(*weight));
	for (; at < l->nr && !compare_lines(&first, &l->spots[at]); at++)
		add_weights(l->spots[at], weight);
	return at;
}

/* Open a file of the recorded machine (--sysroot) */
static int open_there(const struct profile *p, const char *path)
{
	char *full;
	int fd;

	if (asprintf(&full, "%s%s", p->opts->sysroot ? : "", path) < 0)
		out_of_memory();
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	free(full);
	return fd;
}

static FILE *open_source(const struct profile *p, const struct spot *spot)
{
	struct stat st;
	FILE *f;
	int fd = open_there(p, spot->file);

	if (fd < 0 && *spot->given != '/')
		fd = open(spot->given, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	f = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!f)
		close(fd);
	return f;
}

/* Print clean text and expand tabs, which the percentages before it would shift */
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

/* Print only line numbers, for a file that can't be read */
static size_t print_numbers(const struct listing *l, FILE *f, size_t at, size_t end)
{
	unsigned long long weight[DATA_EVENTS];
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
	unsigned long long weight[DATA_EVENTS];
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

	while (at < l->nr) {
		for (end = at; end < l->nr && same_file(l->spots[end], l->spots[at]);)
			end++;
		fprintf(f, "\n%s\n", l->spots[at]->file ? intern_text(l->spots[at]->file) :
			"no source file known");
		source = l->spots[at]->file ? open_source(l->a->p, l->spots[at]) : NULL;
		if (source) {
			print_source(l, f, source, at, end);
			fclose(source);
		} else {
			print_numbers(l, f, at, end);
		}
		at = end;
	}
}

/* Print the spots before an instruction that lie within none, then those of the instruction */
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

/**
 * struct instructions - a function while its instructions are printed
 * @l: its rows
 * @f: output
 * @at: the next row
 * @path: the source file of the last instruction, the only copy; NULL: not known
 * @line: its line
 */
struct instructions {
	const struct listing *l;
	FILE *f;
	size_t at;
	const char *path;
	int line;
};

/* Print the source line of an instruction, if it differs from the previous instruction's */
static void print_line_of(struct instructions *in, unsigned long long addr)
{
	struct source source;
	const char *path;

	if (!elf_file_line(in->l->spots[0]->place->dso->elf, addr, &source))
		return;
	path = intern_text(source.given);
	free(source.path);
	if (source.line == in->line && path == in->path)
		return;
	in->path = path;
	in->line = source.line;
	print_shares(in->l, in->f, NULL);
	fprintf(in->f, "  %s:%d\n", path, source.line);
}

static void print_instruction(void *ctx, unsigned long long addr, const char *text)
{
	struct instructions *in = ctx;

	print_line_of(in, addr);
	in->at = print_spots(in->l, in->f, in->at, addr, text);
}

static void print_instructions(const struct listing *l, FILE *f)
{
	const struct place *place = l->spots[0]->place;
	struct instructions in = { .l = l, .f = f };

	fputc('\n', f);
	qsort(l->spots, l->nr, sizeof(*l->spots), compare_spots);
	if (place->dso->elf)
		disassemble(place->dso, place->symbol->start, place->symbol->end,
			    print_instruction, &in);
	print_spots(l, f, in.at, ~0ULL, NULL);
}

/* Does the function have a source file? If not, say which are missing. Sorts the rows by line */
static int has_source(const struct listing *l, FILE *f)
{
	const struct spot *spot;
	FILE *source;
	size_t i;

	qsort(l->spots, l->nr, sizeof(*l->spots), compare_lines);
	for (i = 0; i < l->nr; i++) {
		spot = l->spots[i];
		if (!spot->file || (i && same_file(spot, l->spots[i - 1])))
			continue;
		source = open_source(l->a->p, spot);
		if (source) {
			fclose(source);
			return 1;
		}
		fprintf(f, "no source file %s: instructions are shown instead\n",
			intern_text(spot->file));
	}
	return 0;
}

static void print_function(struct listing *l, FILE *f)
{
	const struct place *place = l->spots[0]->place;
	unsigned int i;
	size_t n;

	memset(l->sum, 0, sizeof(l->sum));
	for (n = 0; n < l->nr; n++)
		add_weights(l->spots[n], l->sum);
	fprintf(f, "%s in %s\n", place->name, place->dso->name);
	for (i = 0; i < l->a->p->file.nr_events; i++) {
		if (profile_wants(l->a->p, i))
			fprintf(f, "%llu events of %s, %.2f%% of all%s\n", l->sum[i],
				l->a->p->file.events[i].name,
				percent(l->sum[i], l->a->p->weight[i]),
				profile_has_filter(l->a->p) ? " that pass the filters" : "");
	}
	fputs("skid: each event is shown at the first or second instruction after its cause\n", f);
	if (has_source(l, f))
		print_lines(l, f);
	else
		print_instructions(l, f);
}

static int same_function(const struct spot *a, const struct spot *b)
{
	return a->place->dso == b->place->dso && a->place->symbol == b->place->symbol;
}

/* Complain that no function with samples has the word in its name, or that several have */
static int not_found(const struct annotation *a)
{
	struct kncpmu_near near = { .word = a->word, .loose = 1 };
	const struct function *f;
	const char *name;
	size_t length;

	for (f = a->functions; f; f = f->hh.next) {
		name = unqualified(f->name, &length);
		if (!a->best)
			kncpmu_near_add(&near, intern(name, length));
		else if (f->match && near.nr < KNCPMU_MAX_NEAR)
			near.name[near.nr++] = f->name;
	}
	if (a->best)
		return complain("%s is a part of several names: %s", a->word,
				suggest(&near, "name one as a whole"));
	return complain("no sample is in a function %s: %s", a->word,
			suggest(&near, "report lists the functions with samples"));
}

/* Is the word a part of several names? */
static int is_ambiguous(const struct annotation *a)
{
	const struct function *f, *first = NULL;

	for (f = a->functions; a->best == MATCH_PART && f; f = f->hh.next) {
		if (f->match && first && strcmp(f->name, first->name))
			return 1;
		if (f->match)
			first = f;
	}
	return 0;
}

/* The spots of the functions to be shown, sorted */
static const struct spot **chosen_spots(struct annotation *a, size_t *nr)
{
	const struct spot **all = xalloc(HASH_COUNT(a->spots), sizeof(*all));
	struct spot *spot;

	*nr = 0;
	for (spot = a->spots; spot; spot = spot->hh.next) {
		if (get_function(a, spot->place)->match == a->best)
			all[(*nr)++] = spot;
	}
	qsort(all, *nr, sizeof(*all), compare_spots);
	return all;
}

int annotation_print(struct annotation *a, FILE *f)
{
	struct listing l = { .a = a };
	const struct spot **all;
	size_t nr, i, end;

	if (!a->best || is_ambiguous(a))
		return not_found(a);
	all = chosen_spots(a, &nr);
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
