// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl script: the samples one by one, as perf script shows them */
#include <stdio.h>
#include <string.h>

#include "cli/text.h"
#include "profile/input.h"
#include "profile/profile.h"

/* The argument of -F */
enum field {
	FIELD_COMM = 1 << 0,
	FIELD_PID = 1 << 1,
	FIELD_TID = 1 << 2,
	FIELD_CPU = 1 << 3,
	FIELD_TIME = 1 << 4,
	FIELD_PERIOD = 1 << 5,
	FIELD_EVENT = 1 << 6,
	FIELD_IP = 1 << 7,
	FIELD_SYM = 1 << 8,
	FIELD_SYMOFF = 1 << 9,
	FIELD_DSO = 1 << 10,
	FIELD_RANK = 1 << 11,
	FIELD_REGION = 1 << 12,
	FIELD_USUAL = FIELD_RANK - 1
};

static const char * const field_names[] = {
	"comm", "pid", "tid", "cpu", "time", "period", "event", "ip", "sym", "symoff",
	"dso", "rank", "region",
};

static struct script_opts {
	struct profile_opts common;
	unsigned int fields;
} want = { .common = PROFILE_OPTS, .fields = FIELD_USUAL };

struct script {
	struct profile p;
	const struct script_opts *opts;
};

static const char * const usage[] = {
	"usage: knc-pmuctl script [OPTIONS]",
	"",
	"Shows every sample with its call chain, in the order of time, in the format of perf",
	"script, which Firefox's profiler, speedscope, stackcollapse-perf.pl and other tools read.",
	"Of several events give them one with -e. Lines about lost and throttled samples begin",
	"with '#'.",
	NULL
};

/* Take -F as perf script does: NAME,... or +NAME,-NAME... to change the default */
static int take_fields(const struct command *cmd, const struct opt *o, const char *text)
{
	unsigned int i, *fields = o->to;
	size_t length;
	char sign;

	*fields = *text == '+' || *text == '-' ? FIELD_USUAL : 0;
	while (1) {
		sign = *text;
		text += sign == '+' || sign == '-';
		length = strcspn(text, ",");
		for (i = 0; i < ARRAY_SIZE(field_names); i++) {
			if (strlen(field_names[i]) == length &&
			    !strncmp(field_names[i], text, length))
				break;
		}
		if (i == ARRAY_SIZE(field_names))
			return usage_error(cmd, "unknown field '%.*s': there are %s", (int)length,
					   text, intern_list(field_names, ARRAY_SIZE(field_names)));
		if (sign == '-')
			*fields &= ~(1U << i);
		else
			*fields |= 1U << i;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static const struct opt options[] = {
	INPUT_OPTION(want.common),
	{ 'F', "fields", "FIELD,...", CALL(take_fields, &want.fields),
	  "show only these fields: comm, pid, tid, cpu, time, period, event, ip, sym, symoff, dso, "
	  "rank, region (the innermost of ring3.h); +FIELD or -FIELD adds to, or removes from, the "
	  "default: all but rank and region" },
	SYSROOT_OPTION(want.common),
	HEADING("Show only samples of:"),
	FILTER_OPTIONS(want.common),
	END_OF_OPTIONS
};

/* Print at least @width characters; printf() would take most of the command's time */
static char *put_number(char *to, unsigned long long value, unsigned int width, char fill)
{
	char digits[32], *first = digits + sizeof(digits);
	char *last = first;

	do {
		*--first = '0' + value % 10;
		value /= 10;
	} while (value);
	while (last - first < (int)width)
		*--first = fill;
	memcpy(to, first, last - first);
	return to + (last - first);
}

/*
 * The number of a task: on its host if the rank is shown beside it, else a unique number, because
 * readers of perf script's output merge equal numbers
 */
static unsigned int shown_number(const struct script *x, unsigned int number)
{
	return x->opts->fields & FIELD_RANK ? data_task_number(&x->p.file, number) : number;
}

/* Print "pid/tid " in columns, or only one of them */
static char *put_task(char *to, const struct script *x, const struct sample *s)
{
	const unsigned int fields = x->opts->fields, pid = shown_number(x, s->pid);
	const unsigned int tid = shown_number(x, s->tid);
	char *begin;

	to = put_number(to, fields & FIELD_PID ? pid : tid, 7, ' ');
	if ((fields & FIELD_PID) && (fields & FIELD_TID)) {
		*to++ = '/';
		begin = to;
		to = put_number(to, tid, 0, ' ');
		while (to < begin + 7)
			*to++ = ' ';
	}
	*to++ = ' ';
	return to;
}

/* "[cpu] " */
static char *put_cpu(char *to, unsigned int cpu)
{
	*to++ = '[';
	to = put_number(to, cpu, 3, '0');
	*to++ = ']';
	*to++ = ' ';
	return to;
}

/* "seconds: " */
static char *put_time(char *to, unsigned long long time)
{
	to = put_number(to, time / 1000000000, 5, ' ');
	*to++ = '.';
	to = put_number(to, time / 1000 % 1000000, 6, '0');
	*to++ = ':';
	*to++ = ' ';
	return to;
}

/* The character at @at in a clean text, and its number of bytes */
static unsigned int char_at(const char *at, size_t *bytes)
{
	const unsigned char *p = (const unsigned char *)at;

	*bytes = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	switch (*bytes) {
	case 1:
		return *p;
	case 2:
		return (p[0] & 0x1f) << 6 | (p[1] & 0x3f);
	case 3:
		return (p[0] & 0xf) << 12 | (p[1] & 0x3f) << 6 | (p[2] & 0x3f);
	}
	return 0x10000;
}

/* Is it a blank for readers in JavaScript and Python, which know Unicode's too? */
static int is_blank(unsigned int c)
{
	return c == ' ' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
	       c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Whose name it is: in each kind other characters are escaped */
enum named {
	THREAD,
	FUNCTION,
	FILE_NAME
};

/*
 * Must the character be escaped? Readers of perf script's output know no escapes. They take a line
 * that begins with '#' as a comment, and one that begins with a blank as a frame. A blank before a
 * number ends a thread's name. Functions that begin with '(' are skipped. A file is one word, up to
 * the first ')'.
 */
static int is_unsafe(enum named what, unsigned int c, int first, char next)
{
	switch (what) {
	case THREAD:
		if (!is_blank(c))
			return first && c == '#';
		return first || c != ' ' || !next || (next >= '0' && next <= '9');
	case FUNCTION:
		return first && (c == '(' || is_blank(c));
	default:
		return c == ')' || is_blank(c);
	}
}

/* Escape what is_unsafe() finds in the first @length bytes of a clean text */
static const char *safe(const char *text, size_t length, enum named what)
{
	const char *at, *from = text, *end = text + length, *out = "";
	unsigned int c;
	size_t bytes;

	for (at = text; at < end; at += bytes) {
		/* fast path for the names in each sample: characters above ')' are always safe */
		bytes = 1;
		if (*at > ')' && at > text)
			continue;
		c = char_at(at, &bytes);
		if (!is_unsafe(what, c, at == text, at[bytes]))
			continue;
		out = intern_format(c < 0x80 ? "%s%.*s\\x%02x" : "%s%.*s\\u%04x", out,
				    (int)(at - from), from, c);
		from = at + bytes;
	}
	if (from == text)
		return text[length] ? intern(text, length) : text;
	return intern_format("%s%.*s", out, (int)(end - from), from);
}

/* Print a thread's name, padded to the two characters that readers expect */
static char *put_comm(const struct sample *s, char *to)
{
	size_t length = strlen(s->comm);
	const char *comm;

	comm = length ? safe(s->comm, length, THREAD) : intern_format(":%u", s->tid);
	fputs_unlocked(comm, stdout);
	if (length == 1 || (*comm & 0x80 && text_width(comm) == 1))
		*to++ = ' ';
	*to++ = ' ';
	return to;
}

/* Print the rank in a column, "-" if there is none */
static char *put_rank(char *to, long long rank)
{
	if (rank >= 0) {
		to = put_number(to, rank, 4, ' ');
	} else {
		memset(to, ' ', 3);
		to[3] = '-';
		to += 4;
	}
	*to++ = ' ';
	return to;
}

/* Print the region, "-" if there is none; it may begin the line, as a thread's name does */
static void print_region(const struct sample *s)
{
	const char *name = s->region ? s->region : "-";

	fputs_unlocked(safe(name, strlen(name), THREAD), stdout);
}

/* Print "comm pid/tid [cpu] seconds: period event: region" */
static void print_head(const struct script *x, const struct sample *s)
{
	unsigned int fields = x->opts->fields;
	char numbers[128], *to = numbers;

	if (fields & FIELD_RANK)
		fwrite_unlocked(numbers, 1, put_rank(to, s->rank) - numbers, stdout);
	if (fields & FIELD_COMM)
		to = put_comm(s, to);
	if (fields & (FIELD_PID | FIELD_TID))
		to = put_task(to, x, s);
	if (fields & FIELD_CPU)
		to = put_cpu(to, data_cpu(s->cpu));
	if (fields & FIELD_TIME)
		to = put_time(to, s->time);
	if (fields & FIELD_PERIOD) {
		to = put_number(to, s->period, 10, ' ');
		*to++ = ' ';
	}
	fwrite_unlocked(numbers, 1, to - numbers, stdout);
	if (fields & FIELD_EVENT) {
		/* readers of perf script's output expect one word */
		fputs_unlocked(x->p.file.events[s->event].spec, stdout);
		if (x->p.file.events[s->event].stand_in)
			fputs_unlocked("(stand-in)", stdout);
		fputs_unlocked(": ", stdout);
	}
	if (fields & FIELD_REGION)
		print_region(s);
	putchar_unlocked('\n');
}

/* Make a frame's line, without " (deleted)": readers take the last '(' as the file's */
static const char *make_line(const struct script *x, const struct place *place,
			     unsigned long long addr)
{
	unsigned int fields = x->opts->fields;
	int sym = fields & FIELD_SYM, dso = fields & FIELD_DSO;
	const char *file = place->dso->name, *name = "[unknown]";
	char ip[24] = "", offset[24] = "";

	if (fields & FIELD_IP)
		snprintf(ip, sizeof(ip), "%16llx", addr);
	if (place->symbol)
		name = safe(place->name, strlen(place->name), FUNCTION);
	if (sym && (fields & FIELD_SYMOFF) && place->symbol)
		snprintf(offset, sizeof(offset), "+0x%llx", addr - place->symbol->start);
	file = safe(file, file_name_length(file), FILE_NAME);
	return intern_format("%s%s%s%s%s%s%s", ip, sym ? " " : "", sym ? name : "", offset,
			     dso ? " (" : "", dso ? file : "", dso ? ")" : "");
}

/* Print a frame. A place's line is made once, and once more for return addresses. */
static void print_frame(const struct script *x, const struct sample *s,
			unsigned int i)
{
	struct place *place = s->frames[i];
	/* a return address has the place of its call, one byte before; 0 has none */
	int later = !s->exact[i] && s->ips[i];
	const char **line = &place->line[later];

	if (!*line)
		*line = make_line(x, place, place->addr + later);
	putchar_unlocked('\t');
	fputs_unlocked(*line, stdout);
	putchar_unlocked('\n');
}

static void print_sample(void *ctx, const struct sample *s)
{
	const struct script *x = ctx;
	unsigned int i;

	print_head(x, s);
	for (i = 0; i < s->nr && (x->opts->fields & (FIELD_IP | FIELD_SYM | FIELD_DSO)); i++)
		print_frame(x, s, i);
	putchar_unlocked('\n');
}

/* Print a number for each event, named as in the file */
static void print_events(const struct data_file *f, const __u64 *events)
{
	unsigned int i;

	for (i = 0; i < f->nr_counted; i++)
		printf("%s %llu %s", i ? "," : "", (unsigned long long)events[i],
		       f->events[i].name);
	putchar('\n');
}

static void print_other(void *ctx, const struct knc_pmu_record *record)
{
	const struct knc_pmu_lost *lost = (const void *)record;
	const struct knc_pmu_throttle *throttle = (const void *)record;
	const struct script *x = ctx;
	unsigned long long time = data_record_time(record);
	__u64 events[DATA_EVENTS] = { 0 };

	if (!profile_passes_record(&x->p, record))
		return;
	if (record->type != KNC_PMU_RECORD_LOST &&
	    record->type != KNC_PMU_RECORD_THROTTLE &&
	    record->type != KNC_PMU_RECORD_UNTHROTTLE)
		return;
	fputs("# ", stdout);
	if (x->p.file.merged)
		printf("rank %lld ", data_rank_of(&x->p.file, record->cpu));
	printf("[%03u] %5llu.%06llu: ", data_cpu(record->cpu), time / 1000000000,
	       time / 1000 % 1000000);
	if (record->type == KNC_PMU_RECORD_LOST) {
		printf("%llu samples lost,", (unsigned long long)lost->samples);
		print_events(&x->p.file, lost->events);
	} else if (record->type == KNC_PMU_RECORD_UNTHROTTLE) {
		printf("sampled again; meanwhile");
		events[throttle->event] = throttle->unsampled;
		print_events(&x->p.file, events);
	} else {
		printf("throttled\n");
	}
}

static int run_script(const struct command *cmd, int argc, char **argv)
{
	static const struct profile_visitor visitor = {
		.sample = print_sample,
		.other = print_other,
		.prints = 1,
	};
	struct script x = { .opts = &want };
	int status;

	want.common.regions = !!(want.fields & FIELD_REGION);
	status = profile_open(&x.p, &want.common, input_open(want.common.input));
	if (!status) {
		/* as perf script --header, by which the Firefox Profiler recognizes the format */
		puts("# ========");
		profile_heading(&x.p, stdout, "# ");
		puts("# ========\n#");
		status = profile_walk(&x.p, &visitor, &x) ? : profile_status(&x.p);
	}
	profile_close(&x.p);
	return status;
}

const struct command script_command = {
	.name = "script",
	.summary = "the samples of a recording one by one",
	.usage = usage,
	.options = options,
	.paged = 1,
	.run = run_script,
};
