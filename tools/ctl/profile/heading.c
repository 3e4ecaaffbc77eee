// SPDX-License-Identifier: GPL-2.0
/* The heading of every output of a data file: properties of the recording, and what is missing */
#include <stdio.h>
#include <string.h>

#include "profile/filter.h"

/*
 * Shares get a mark (profile_mark()) if samples represent less than this percentage of the events
 */
#define CERTAIN	99.0

const char *profile_title(const struct profile *p)
{
	const char *command = data_command(&p->file);

	if (command)
		return command;
	return data_number(&p->file, "followed") ? data_text(&p->file, "who") :
						   "hardware threads";
}

/* Say so if the mean period exceeds the requested one by more than this fraction */
#define SLOWED	0.01

/* Did samples exceed the rate limit, so that the module lengthened the period? */
static int is_slowed(const struct profile *p, unsigned int event)
{
	const struct data_event *e = &p->file.events[event];

	return e->max_freq && p->weight[event] > (1 + SLOWED) * e->period * p->nr[event];
}

void profile_how(const struct profile *p, unsigned int event, char *text, size_t size)
{
	const struct data_event *e = &p->file.events[event];
	unsigned long long interval = data_number(&p->file, "sample_interval_ns");

	if (e->off_cpu)
		snprintf(text, size, "each time that a thread left its hardware thread");
	else if (e->freq)
		snprintf(text, size, "%llu samples a second", e->freq);
	else if (is_slowed(p, event))
		snprintf(text, size, "a sample each %llu events, slowed to each %llu: limit %llu/s",
			 e->period, p->weight[event] / p->nr[event], e->max_freq);
	else if (e->period)
		snprintf(text, size, "a sample each %llu events", e->period);
	else
		snprintf(text, size, "counted at time samples, each %g ms", interval / 1e6);
}

/* Sampled, lost and unsampled events of the file */
static double all_events(const struct profile *p, unsigned int event)
{
	const struct data_sums *s = &p->file.sums;

	return (double)p->weight[event] + s->lost_events[event] + s->unsampled[event];
}

void profile_missing(const struct profile *p, unsigned int event, char *text,
		     size_t size)
{
	const struct data_sums *s = &p->file.sums;
	double all = all_events(p, event), unsampled = 100.0 * s->unsampled[event] / all;
	size_t len = 0;

	text[0] = '\0';
	if (!data_sampled(&p->file.events[event]) || profile_has_filter(p))
		return;
	if (s->lost_events[event])
		len = snprintf(text, size,
			       "%.2g %% of the events were lost: their samples found no room",
			       100.0 * s->lost_events[event] / all);
	if (s->unsampled[event] && len < size)
		snprintf(text + len, size - len, "%s%.*g %% of the events were not sampled: %s",
			 len ? "; " : "", unsampled < 99 ? 2 : 4, unsampled,
			 s->throttles ? "throttled" :
			 "they came when the recording stopped, a hardware thread went offline, or the kernel was entered");
}

double profile_sampled(const struct profile *p, unsigned int event)
{
	double all = all_events(p, event);

	return all ? 100.0 * p->weight[event] / all : 100;
}

const char *profile_mark(const struct profile *p, unsigned int event)
{
	if (!data_sampled(&p->file.events[event]) || profile_has_filter(p))
		return "";
	return profile_sampled(p, event) < CERTAIN ? "~" : "";
}

const char *profile_few(const struct profile *p, unsigned int event)
{
	if (p->file.events[event].off_cpu || !p->nr[event] || p->nr[event] >= FEW_SAMPLES)
		return "";
	return "so few samples say little about shares: record longer, or more often (-c, -F)";
}

void profile_sum(const struct profile *p, unsigned int event, char *text, size_t size)
{
	double seconds = profile_seconds(p, event, p->weight[event]);
	const char *unit = p->file.events[event].cycles ? "cycles" : "events";
	char of[2][32] = { "", "" };
	size_t len;

	if (profile_has_filter(p)) {
		snprintf(of[0], sizeof(of[0]), "of %llu ", p->all_nr[event]);
		snprintf(of[1], sizeof(of[1]), "of %llu ", p->all_weight[event]);
	}
	if (p->file.events[event].off_cpu) {
		snprintf(text, size, "%llu %stime%s %s, %llu %sns: %.6f s", p->nr[event], of[0],
			 plural_of(*of[0] ? p->all_nr[event] : p->nr[event]),
			 p->file.events[event].name, p->weight[event], of[1], seconds);
		return;
	}
	len = snprintf(text, size, "%llu %ssample%s of %s, %llu %s%s", p->nr[event], of[0],
		       plural_of(*of[0] ? p->all_nr[event] : p->nr[event]),
		       p->file.events[event].name, p->weight[event], of[1], unit);
	if (p->opts->latency && len < size)
		snprintf(text + len, size - len, ", each shared among the threads that ran");
	if (p->opts->latency)
		return;
	if (seconds >= 0 && len < size)
		snprintf(text + len, size - len,
			 ": %.6f s at %.3f GHz, the rate of the time stamp counter", seconds,
			 data_number(&p->file, "tsc_khz") / 1e6);
}

const char profile_others_text[] =
	"not-program-related: other cores cause this event, wherever the program is at that moment";

/* Hosts, and ranks with losses, that the heading names */
#define SHOWN_RANKS	8

/* The function that prints the lines of the heading, and its argument */
struct lines {
	heading_fn fn;
	void *ctx;
};

static void print_line(const struct lines *to, const char *what, const char *text)
{
	to->fn(to->ctx, what, text);
}

static void event_line(const struct profile *p, const struct lines *lines, unsigned int event)
{
	const struct data_file *file = &p->file;
	char how[96], text[256];

	profile_how(p, event, how, sizeof(how));
	if (data_sampled(&file->events[event]) && !file->events[event].off_cpu)
		snprintf(text, sizeof(text), "%s, %s: %llu sample%s",
			 file->events[event].name, how, file->sums.samples[event],
			 plural_of(file->sums.samples[event]));
	else
		snprintf(text, sizeof(text), "%s, %s", file->events[event].name, how);
	print_line(lines, "event", text);
}

static void loss_lines(const struct profile *p, const struct lines *lines)
{
	const struct data_sums *s = &p->file.sums;
	char text[160];

	if (s->lost) {
		snprintf(text, sizeof(text), "%llu sample%s found no room in the ring",
			 s->lost, plural_of(s->lost));
		print_line(lines, "lost", text);
	}
	if (s->lost_switches) {
		snprintf(text, sizeof(text),
			 "%llu context switch%s found no room in the ring: times of waiting are missing, or have no place",
			 s->lost_switches, s->lost_switches == 1 ? "" : "es");
		print_line(lines, "lost", text);
	}
	if (s->lost_visits) {
		snprintf(text, sizeof(text),
			 "%llu visit%s of regions: found no room, or could not be true; --time REGION lacks them",
			 s->lost_visits, plural_of(s->lost_visits));
		print_line(lines, "lost", text);
	}
	if (s->throttles) {
		snprintf(text, sizeof(text), "%llu time%s: samples came too fast",
			 s->throttles, plural_of(s->throttles));
		print_line(lines, "throttled", text);
	}
	if (s->tasks_lost) {
		snprintf(text, sizeof(text),
			 "%llu records of tasks are missing: some addresses have no name or a wrong one",
			 s->tasks_lost);
		print_line(lines, "tasks", text);
	}
	if (!p->file.end)
		print_line(lines, "end", "missing: what was lost at last is not known");
}

/* "part      from 1.5 s to 3 s": of --time */
static void part_line(const struct profile *p, const struct lines *lines)
{
	const struct time_limit *limit = p->opts->time;
	char from[64] = "the beginning", to[64] = "the end", text[160];

	if (!has_time(p->opts))
		return;
	if (limit[0].given)
		snprintf(from, sizeof(from), "%.6g s", (p->from - p->file.started) / 1e9);
	if (limit[1].given)
		snprintf(to, sizeof(to), "%.6g s", (p->to - p->file.started) / 1e9);
	snprintf(text, sizeof(text), "from %s to %s of the recording", from, to);
	print_line(lines, "part", text);
}

/* "filter    comm worker, pid 100: shares are of these samples" */
static void filter_line(const struct profile *p, const struct lines *lines)
{
	char text[512];
	size_t len;

	filter_describe(p, text, sizeof(text) - 40);
	len = strlen(text);
	if (!len)
		return;
	snprintf(text + len, sizeof(text) - len, ": shares are of these samples");
	print_line(lines, "filter", text);
}

/* The host; in a file of merge each host once, up to SHOWN_RANKS */
static void describe_hosts(const struct data_file *f, char *text, size_t size)
{
	const char *names[SHOWN_RANKS];
	size_t i, n, nr = 0, len = 0;

	for (i = 0; i < f->nr_ranks && nr <= SHOWN_RANKS && len < size; i++) {
		for (n = 0; n < nr && strcmp(names[n], data_host(f, i)); n++)
			;
		if (n < nr)
			continue;
		if (nr < SHOWN_RANKS)
			names[nr] = data_host(f, i);
		len += snprintf(text + len, size - len, "%s%s", nr ? ", " : "",
				nr < SHOWN_RANKS ? names[nr] : "and others");
		nr++;
	}
}

/* Samples that ranks lost, for the first of these ranks */
static void lost_lines(const struct profile *p, const struct lines *lines)
{
	const struct data_file *f = &p->file;
	unsigned int shown = 0;
	char text[160];
	size_t i;

	for (i = 0; i < f->nr_ranks && shown <= SHOWN_RANKS; i++) {
		if (!f->ranks[i].sums.lost)
			continue;
		snprintf(text, sizeof(text), "rank %lld: %llu sample%s", f->ranks[i].rank,
			 f->ranks[i].sums.lost, plural_of(f->ranks[i].sums.lost));
		print_line(lines, "lost", shown++ < SHOWN_RANKS ? text : "other ranks, too");
	}
}

static void rank_lines(const struct profile *p, const struct lines *lines)
{
	const struct data_file *f = &p->file;
	char text[64];

	snprintf(text, sizeof(text), "%zu", f->nr_ranks);
	if (data_nr_ranks(f))
		snprintf(text, sizeof(text), "%zu of %llu", f->nr_ranks, data_nr_ranks(f));
	print_line(lines, "ranks", text);
	lost_lines(p, lines);
}

void profile_heading_lines(const struct profile *p, heading_fn fn, void *ctx)
{
	const struct lines lines = { .fn = fn, .ctx = ctx };
	const char *command = data_command(&p->file);
	const char *cpus = data_text(&p->file, "cpus");
	char text[512], hosts[256];
	unsigned int i;

	snprintf(text, sizeof(text), "none: %s",
		 data_number(&p->file, "followed") ? data_text(&p->file, "who") :
		 "hardware threads were recorded");
	print_line(&lines, "command", command ? : text);
	describe_hosts(&p->file, hosts, sizeof(hosts));
	snprintf(text, sizeof(text), "%s, Linux %s, CPU%s %s", hosts,
		 data_text(&p->file, "kernel"), strpbrk(cpus, "-,") ? "s" : "", cpus);
	print_line(&lines, "machine", text);
	if (p->file.merged)
		rank_lines(p, &lines);
	print_line(&lines, "recorded", data_text(&p->file, "started"));
	part_line(p, &lines);
	filter_line(p, &lines);
	for (i = 0; i < p->file.nr_events; i++) {
		if (profile_wants(p, i))
			event_line(p, &lines, i);
	}
	if (data_number(&p->file, "stack_size")) {
		unwinder_describe(p->unwinder, text, sizeof(text));
		print_line(&lines, "chains", text);
	}
	regions_describe(p->regions, text, sizeof(text));
	if (*text)
		print_line(&lines, "regions", text);
	loss_lines(p, &lines);
}

/* A file with a prefix for its lines */
struct prefixed {
	FILE *f;
	const char *prefix;
};

static void write_line(void *ctx, const char *what, const char *text)
{
	const struct prefixed *to = ctx;

	fprintf(to->f, "%s%-10s%s\n", to->prefix, what, text);
}

void profile_heading(const struct profile *p, FILE *f, const char *prefix)
{
	struct prefixed to = { .f = f, .prefix = prefix };

	profile_heading_lines(p, write_line, &to);
}
