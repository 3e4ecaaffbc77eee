// SPDX-License-Identifier: GPL-2.0
/* The JSON objects of a recording: its properties (DATA_INFO) and sums (DATA_END) */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <kernel-file.h>
#include <pmus.h>

#include "cli/json.h"
#include "cli/pmu.h"
#include "cli/rank.h"
#include "record/summary.h"

#define SCHEMA	"knc-pmuctl-data/1"

static json_t *command_json(char **command)
{
	json_t *array;

	if (!command)
		return json_null();
	array = json_array();
	for (; *command; command++)
		json_array_append_new(array, text_json(*command));
	return array;
}

static json_t *followed_json(const struct record_opts *opts, int pid)
{
	if (opts->target == TARGET_CPUS)
		return json_null();
	return json_integer(opts->pid ? opts->pid : pid);
}

static json_t *event_json(const struct kncpmu_card *card, const struct knc_pmu_event *event)
{
	__u64 freq = event->flags & KNC_PMU_EVENT_FREQ ? event->sample_period : 0;
	char text[KNCPMU_SPEC_LEN], code[8];
	__u64 limit;

	limit = freq ? 0 : KNC_PMU_LIMITED_HZ(event->sample_period);
	kncpmu_spec_format(card->pmu, event, text, sizeof(text));
	snprintf(code, sizeof(code), "r%04llx", (unsigned long long)event->event);
	return json_pack("{s:s, s:s, s:i, s:I, s:I, s:I, s:b}", "event", text, "raw", code,
			 "counter", (int)event->counter,
			 "period", (json_int_t)(freq ? 0 :
						KNC_PMU_LIMITED_PERIOD(event->sample_period)),
			 "freq", (json_int_t)freq, "max_freq", (json_int_t)limit,
			 "stand_in", kncpmu_card_stands_in(card, event));
}

static json_t *events_json(const struct rings *r)
{
	json_t *array = json_array();
	struct kncpmu_card card;
	unsigned int i;

	kncpmu_card_read(own_pmu(), &card);
	for (i = 0; i < r->config.nr_events; i++)
		json_array_append_new(array, event_json(&card, &r->events[i]));
	return array;
}

/* The pid namespace of the recording; before Linux 3.8 the kernel does not tell */
static json_t *pid_namespace_json(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? json_null() : json_integer(st.st_ino);
}

static void date(char *text, size_t size)
{
	time_t now = time(NULL);

	strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
}

/* The module's parameter pmi */
static const char *pmi_mode(unsigned long long features)
{
	if (!(features & KNC_PMU_FEATURE_PMI_IRQ))
		return "nmi";
	return features & KNC_PMU_FEATURE_PMI_NMI ? "auto" : "irq";
}

/*
 * Add the place in a parallel program, for merge. @started is CLOCK_MONOTONIC; together with the
 * time of day it makes times of several hosts comparable.
 */
static void add_rank(json_t *info, unsigned long long started)
{
	struct timespec day;
	struct rank rank;

	clock_gettime(CLOCK_REALTIME, &day);
	json_object_set_new(info, "utc_ns",
			    json_integer(day.tv_sec * NSEC_PER_SEC + day.tv_nsec -
					 (now_ns() - started)));
	own_rank(&rank);
	if (!rank.known)
		return;
	json_object_set_new(info, "rank", json_integer(rank.rank));
	if (rank.ranks)
		json_object_set_new(info, "ranks", json_integer(rank.ranks));
	if (*rank.job)
		json_object_set_new(info, "job", text_json(rank.job));
}

static json_t *properties(const struct record_opts *opts, const struct rings *r, int pid,
			  unsigned long long started)
{
	struct knc_pmu_info info;
	char boot[64], when[32], cpus[4096];
	struct utsname name;

	if (kncpmu_info(r->fd, &info))
		memset(&info, 0, sizeof(info));
	if (uname(&name))
		memset(&name, 0, sizeof(name));
	kncpmu_kernel_line(BOOT_ID, boot, sizeof(boot));
	date(when, sizeof(when));
	kncpmu_cpus_format(&opts->cpus, cpus, sizeof(cpus));
	return json_pack("{s:s, s:s+, s:o, s:o, s:s, s:o, s:o, s:s, s:i, s:s, s:s,"
			 "s:s, s:I, s:o, s:I, s:i, s:i, s:i, s:b, s:b, s:b, s:s, s:o, s:o, s:b, s:o}",
			 "schema", SCHEMA,
			 "program", PROGRAM " ", kncpmu_version(),
			 "host", text_json(name.nodename),
			 "kernel", text_json(name.release), "boot_id", boot,
			 "command", command_json(opts->command),
			 "pid", opts->command ? json_integer(pid) : json_null(),
			 "cpus", cpus, "tsc_khz", (int)info.tsc_khz,
			 "pmi", pmi_mode(info.features),
			 "pmu", own_pmu()->name,
			 "started", when, "started_ns", (json_int_t)started,
			 "events", events_json(r),
			 "sample_interval_ns", (json_int_t)opts->interval,
			 "ring_size", (int)r->config.ring_size,
			 "max_frames", (int)r->config.max_frames,
			 "stack_size", (int)r->config.stack_size,
			 "switches", !!opts->off_cpu,
			 "chain_user", !!(opts->chain & KNC_PMU_CONFIG_CHAIN_USER),
			 "chain_kernel", !!(opts->chain & KNC_PMU_CONFIG_CHAIN_KERNEL),
			 "target", target_name(opts), "followed", followed_json(opts, pid),
			 "who", opts->who[0] ? text_json(opts->who) : json_null(),
			 "inherit", opts->target != TARGET_CPUS && !opts->no_inherit,
			 "pid_namespace", pid_namespace_json());
}

json_t *record_info(const struct record_opts *opts, const struct rings *r, int pid,
		    unsigned long long started)
{
	json_t *info = properties(opts, r, pid, started);

	if (info)
		add_rank(info, started);
	return info;
}

static json_t *numbers_json(const __u64 *numbers, unsigned int nr)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < nr; i++)
		json_array_append_new(array, json_integer(numbers[i]));
	return array;
}

static json_t *ring_json(const struct knc_pmu_ring *page, unsigned int nr)
{
	return json_pack("{s:i, s:I, s:I, s:o, s:o, s:I, s:I, s:I}",
			 "cpu", (int)page->cpu, "samples", (json_int_t)page->samples,
			 "lost", (json_int_t)page->lost,
			 "lost_events", numbers_json(page->lost_events, nr),
			 "unsampled", numbers_json(page->unsampled, nr),
			 "throttles", (json_int_t)page->throttles,
			 "switches", (json_int_t)page->switches,
			 "lost_switches", (json_int_t)page->lost_switches);
}

json_t *record_end(const struct rings *r, int status, unsigned long long ended)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		json_array_append_new(array, ring_json(r->rings[i].page, r->config.nr_events));
	return json_pack("{s:I, s:i, s:o}", "ended_ns", (json_int_t)ended,
			 "status", status, "rings", array);
}
