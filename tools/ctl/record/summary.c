// SPDX-License-Identifier: GPL-2.0
/* The closing line of record: the events and samples, and what is missing */
#include <stdio.h>

#include "cli/cpus.h"
#include "cli/pmu.h"
#include "cli/text.h"
#include "record/summary.h"

#define STAND_IN " (stand-in)"

static void size_text(unsigned long long bytes, char *text, size_t size)
{
	if (bytes < 10000)
		snprintf(text, size, "%llu bytes", bytes);
	else if (bytes < 1000000)
		snprintf(text, size, "%.1f kB", bytes / 1e3);
	else
		snprintf(text, size, "%.1f MB", bytes / 1e6);
}

static void events_text(const struct rings *r, char *text, size_t size)
{
	char name[KNCPMU_SPEC_LEN];
	struct kncpmu_card card;
	size_t len = 0;
	unsigned int i;

	kncpmu_card_read(own_pmu(), &card);
	for (i = 0; i < r->config.nr_events && len < size; i++) {
		kncpmu_spec_format(own_pmu(), &r->events[i], name, sizeof(name));
		len += snprintf(text + len, size - len, "%s%s%s", i ? ", " : "", name,
				kncpmu_card_stands_in(&card, &r->events[i]) ? STAND_IN : "");
	}
}

/* The numbers of samples and of time samples, which report separates too */
static void samples_text(const struct rings *r, char *text, size_t size)
{
	unsigned long long others = r->samples - r->times;

	if (!r->times)
		snprintf(text, size, "%llu sample%s", others, plural_of(others));
	else if (!others)
		snprintf(text, size, "%llu time sample%s", r->times, plural_of(r->times));
	else
		snprintf(text, size, "%llu sample%s and %llu time sample%s", others,
			 plural_of(others), r->times, plural_of(r->times));
}

/* The target, for the end of a sentence: "on CPU 3" or "in PROGRAM" */
static void where_text(const struct record_opts *opts, char *text, size_t size)
{
	char cpus[CPUS_TEXT];

	kncpmu_cpus_format(&opts->cpus, cpus, sizeof(cpus));
	if (opts->target == TARGET_CPUS)
		snprintf(text, size, "on CPU%s %s", plural(&opts->cpus), cpus);
	else
		snprintf(text, size, "in %s", opts->who);
}

/* Why there are no samples */
static const char *nothing_text(const struct rings *r)
{
	struct kncpmu_card card;
	unsigned int i;

	kncpmu_card_read(own_pmu(), &card);
	for (i = 0; i < r->config.nr_events; i++) {
		if (!kncpmu_card_lacks(&card, &r->events[i]))
			return "the period may be longer than the whole count: "
			       "use -c hi or a number";
	}
	return card.emulated ? "the emulated card never counts this; a real one may" :
			       "there is nothing on this card that could count it";
}

static void print_losses(const struct record_opts *opts, const struct rings *r)
{
	struct rings_sums sums;

	rings_sums(r, &sums);
	if (sums.lost && r->config.ring_size < opts->ring_size)
		fprintf(stderr,
			"; %llu lost: the rings have %u bytes, you may lock no more memory; raise that (ulimit -l), or use a longer period",
			sums.lost, r->config.ring_size);
	else if (sums.lost)
		fprintf(stderr, "; %llu lost: use a bigger --ring-size or a longer period",
			sums.lost);
	if (opts->off_cpu)
		fprintf(stderr, "; %llu context switches", sums.switches);
	if (sums.lost_switches)
		fprintf(stderr, ", %llu of them lost: use a bigger --ring-size",
			sums.lost_switches);
	if (sums.throttles)
		fprintf(stderr,
			"; throttled %llu time%s, %llu events not sampled: use a longer period",
			sums.throttles, plural_of(sums.throttles), sums.unsampled);
	if (!sums.samples && !r->samples)
		fprintf(stderr, "; %s", nothing_text(r));
	if (opts->user_only)
		fprintf(stderr,
			"; kernel mode is left out, which needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN)");
}

static void print_marks(const struct marks *m)
{
	unsigned long long lost = m->lost + m->beyond;

	if (m->nr_visits)
		fprintf(stderr, "; %llu visit%s of %u region%s", m->nr_visits,
			plural_of(m->nr_visits), m->nr_regions, plural_of(m->nr_regions));
	if (lost)
		fprintf(stderr, "; %llu visit%s of regions lost: mark larger regions", lost,
			plural_of(lost));
	if (m->impossible)
		fprintf(stderr, "; %llu visit%s of regions left out, which could not be true",
			m->impossible, plural_of(m->impossible));
}

void print_summary(const struct record_opts *opts, const struct rings *r,
		   const struct marks *marks, const struct data_writer *file, int evicted)
{
	char events[2 * (KNCPMU_SPEC_LEN + sizeof(STAND_IN)) + 4], size[32];
	char where[CPUS_TEXT + 16], samples[96];

	events_text(r, events, sizeof(events));
	samples_text(r, samples, sizeof(samples));
	size_text(file->size, size, sizeof(size));
	where_text(opts, where, sizeof(where));
	fprintf(stderr, "%s record: %s of %s %s written to %s (%s)",
		PROGRAM, samples, events, intern_text(where), intern_text(file->path), size);
	print_losses(opts, r);
	print_marks(marks);
	fputc('\n', stderr);
	if (evicted)
		complain("warning: evicted: a privileged user has taken the counters away "
			 "('knc-pmuctl reset --force' does that); nothing was sampled from "
			 "then on; record again");
	if (opts->target != TARGET_CPUS && rings_flags(r) & KNC_PMU_THREAD_PARTIAL)
		complain("warning: a task was not followed to its end, because it executed a "
			 "program that is not yours to look at (set-user-ID), or for lack of memory; "
			 "run as root to follow such programs too; or a core lost its counters while a "
			 "task ran there");
}
