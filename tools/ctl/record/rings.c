// SPDX-License-Identifier: GPL-2.0
/*
 * The session that samples, and its rings, which are emptied into the data file
 *
 * Records are copied unchanged, in a chunk for each contiguous piece. Only the number of samples,
 * their processes and their kernel addresses are extracted.
 */
#include <stdlib.h>
#include <string.h>
#include <sets.h>

#include "cli/device.h"
#include "cli/pmu.h"
#include "record/known.h"
#include "record/rings.h"

#define LEAST_SAMPLE_RING	(8U << 10)	/* bytes; holds the longest call chain */

unsigned int least_ring(const struct record_opts *opts)
{
	unsigned int size = LEAST_SAMPLE_RING;

	while (opts->stack_size && size < 2 * (KNC_PMU_SAMPLE_SIZE(opts->max_frames) +
					       KNC_PMU_STACK_SIZE(opts->stack_size)))
		size *= 2;
	return size;
}

/*
 * Bytes of the stack in each sample. Copies that the user did not ask for must leave a small ring
 * enough room for other samples; otherwise none are made.
 */
static unsigned int stack_size(const struct rings *r, const struct record_opts *opts,
			       unsigned int ring_size)
{
	unsigned int size = opts->stack_size;

	if (r->no_stacks)
		return 0;
	if (!opts->may_drop_stack)
		return size;
	if (size > ring_size / STACK_PART)
		size = ring_size / STACK_PART;
	return ring_size < 2 * (KNC_PMU_SAMPLE_SIZE(opts->max_frames) + KNC_PMU_STACK_SIZE(size)) ?
	       0 : size;
}

static int map_rings(struct rings *r)
{
	unsigned int i;
	int ret;

	for (i = 0; i < r->nr; i++) {
		ret = kncpmu_ring_map(r->fd, i, r->config.ring_size, &r->rings[i]);
		if (ret)
			return explain_op(KNCPMU_OP_MAP, ret, 0);
	}
	return 0;
}

/* CONFIG with rings of @size; returns 0 or a negative errno */
static int config_rings(struct rings *r, const struct record_opts *opts, int pid,
			unsigned int flags, unsigned int size)
{
	memset(&r->config, 0, sizeof(r->config));
	r->config.flags = flags | opts->chain;
	r->config.pid = flags ? pid : 0;
	r->config.max_frames = opts->chain ? opts->max_frames : 0;
	r->config.stack_size = stack_size(r, opts, size);
	if (r->config.stack_size)
		r->config.flags |= KNC_PMU_CONFIG_STACK;
	if (opts->off_cpu)
		r->config.flags |= KNC_PMU_CONFIG_SWITCHES;
	r->config.sample_interval = opts->interval;
	r->config.ring_size = size;
	return kncpmu_config_sampling(r->fd, flags ? NULL : &opts->cpus, r->events,
				      opts->nr_items, &r->config);
}

/* Without --ring-size, try smaller rings until the kernel permits to lock them */
static int smaller_would_do(const struct rings *r, const struct record_opts *opts)
{
	unsigned int least = opts->may_drop_stack ? LEAST_SAMPLE_RING : least_ring(opts);

	return r->config.reason == KNC_PMU_REASON_RING_MEMLOCK && !opts->have_ring &&
	       r->config.ring_size > least;
}

/* After CONFIG was refused leave out something that the user did not ask for; 0: nothing is left */
static int ask_for_less(const struct rings *r, const struct record_opts *opts, int error,
			unsigned int *flags, unsigned int *size)
{
	if (leave_exec_out(flags, error, &r->config))
		return 1;
	if (!smaller_would_do(r, opts))
		return 0;
	*size /= 2;
	return 1;
}

/* Use fixed periods if the module can't limit a rate, because it is older or has no clock */
static void leave_limits_out(struct rings *r, unsigned int nr)
{
	struct knc_pmu_event *event;
	struct knc_pmu_info info;

	if (!kncpmu_info(r->fd, &info) && info.features & KNC_PMU_FEATURE_LIMIT)
		return;
	for (event = r->events; event < r->events + nr; event++) {
		if (!(event->flags & KNC_PMU_EVENT_LIMIT))
			continue;
		event->flags &= ~KNC_PMU_EVENT_LIMIT;
		event->sample_period = KNC_PMU_LIMITED_PERIOD(event->sample_period);
	}
}

static int has_feature(const struct rings *r, unsigned long long feature)
{
	struct knc_pmu_info info;

	return !kncpmu_info(r->fd, &info) && info.features & feature;
}

/*
 * Can the module copy stacks? Older modules and those for MPSS' kernel can't. Then -g uses frame
 * pointers; a module without call chains refuses them in CONFIG.
 */
static int check_stacks(struct rings *r, const struct record_opts *opts)
{
	if (!opts->stack_size || has_feature(r, KNC_PMU_FEATURE_STACK))
		return 0;
	if (!opts->may_drop_stack)
		return complain("--call-graph dwarf: the module copies no stacks: it is an older "
				"one, or for the kernel of MPSS; use -g, which takes frame "
				"pointers then");
	r->no_stacks = 1;
	if (has_feature(r, KNC_PMU_FEATURE_CALLCHAIN))
		complain("warning: the module copies no stacks: it is an older one; call chains "
			 "follow frame pointers only: compile with -fno-omit-frame-pointer");
	return 0;
}

/* Older modules can't report when a thread waits */
static int check_switches(const struct rings *r, const struct record_opts *opts)
{
	if (!opts->off_cpu || has_feature(r, KNC_PMU_FEATURE_SWITCHES))
		return 0;
	return complain("--off-cpu: the module records no context switches: it is an older one, "
			"load that of this version");
}

int rings_open(struct rings *r, const struct record_opts *opts, int pid)
{
	struct kncpmu_failure failure = {
		.op = KNCPMU_OP_CONFIG,
		.config = &r->config,
		.events = r->events,
		.pmu = own_pmu(),
	};
	unsigned int i, size = opts->ring_size, flags = target_flags(opts);

	for (i = 0; i < opts->nr_items; i++)
		r->events[i] = opts->items[i].event;
	r->fd = open_device();
	if (r->fd < 0)
		return CTL_FAILED;
	if (check_stacks(r, opts) || check_switches(r, opts))
		return CTL_FAILED;
	leave_limits_out(r, opts->nr_items);
	do {
		failure.error = config_rings(r, opts, pid, flags, size);
	} while (failure.error && ask_for_less(r, opts, failure.error, &flags, &size));
	if (failure.error)
		return explain(&failure);
	r->nr = kncpmu_cpus_count(&opts->cpus);
	r->rings = calloc(r->nr, sizeof(*r->rings));
	return r->rings ? map_rings(r) : complain("out of memory");
}

void rings_close(struct rings *r)
{
	unsigned int i;

	for (i = 0; r->rings && i < r->nr; i++)
		kncpmu_ring_unmap(&r->rings[i]);
	free(r->rings);
	kncpmu_close(r->fd);
	addresses_free(&r->kernel);
}

static const __u64 *frames(const struct knc_pmu_sample *sample)
{
	return (const __u64 *)(sample + 1);
}

static void see_sample(struct rings *r, const struct knc_pmu_sample *sample)
{
	unsigned int i;

	if (!(sample->flags & KNC_PMU_SAMPLE_USER))
		addresses_add(&r->kernel, sample->ip);
	for (i = 0; i < sample->nr_kernel; i++)
		addresses_add(&r->kernel, frames(sample)[i]);
	known_sampled(r->sb, sample->pid, sample->time);
}

static void see_time(struct rings *r, const struct knc_pmu_time_sample *sample)
{
	if (!(sample->flags & KNC_PMU_SAMPLE_USER))
		addresses_add(&r->kernel, sample->ip);
	known_sampled(r->sb, sample->pid, sample->time);
}

/* Extract what is needed from the records; returns the number of samples */
static unsigned long long see_records(struct rings *r, const void *records,
				      size_t size)
{
	const struct knc_pmu_record *record;
	unsigned long long samples = 0;
	size_t at = 0;

	while ((record = kncpmu_ring_next(records, size, &at))) {
		switch (record->type) {
		case KNC_PMU_RECORD_SAMPLE:
			see_sample(r, (const struct knc_pmu_sample *)record);
			samples++;
			break;
		case KNC_PMU_RECORD_TIME:
			see_time(r, (const struct knc_pmu_time_sample *)record);
			samples++;
			r->times++;
			break;
		case KNC_PMU_RECORD_SWITCH_OUT:
			known_sampled(r->sb, ((const struct knc_pmu_sample *)record)->pid,
				      ((const struct knc_pmu_sample *)record)->time);
			break;
		}
	}
	return samples;
}

/* Write one contiguous piece of a ring; returns its bytes */
static long drain_piece(struct rings *r, struct kncpmu_ring *ring)
{
	struct data_records head = { .cpu = ring->page->cpu };
	unsigned long long samples;
	const void *records;
	long size;

	size = kncpmu_ring_read(ring, &records);
	if (size < 0 && !r->damaged)
		r->damaged = complain("the ring of CPU %u is damaged: records "
				      "end here; please report this",
				      head.cpu);
	if (size <= 0)
		return 0;
	samples = see_records(r, records, size);
	if (writer_put(r->file, DATA_RECORDS, &head, sizeof(head), records, size))
		r->unwritten += samples;
	else
		r->samples += samples;
	kncpmu_ring_release(ring);
	return size;
}

/*
 * Empty the rings: at most two pieces each, which is a whole ring. Otherwise a ring that fills as
 * fast as it is emptied would delay the others, and the end of the command.
 */
unsigned long long rings_drain(struct rings *r)
{
	unsigned long long bytes = 0;
	unsigned int i;

	for (i = 0; i < r->nr && !r->damaged; i++) {
		bytes += drain_piece(r, &r->rings[i]);
		bytes += drain_piece(r, &r->rings[i]);
	}
	return bytes;
}

void rings_finish(struct rings *r)
{
	while (rings_drain(r))
		;
}

int rings_counts(struct rings *r)
{
	struct data_counts head = { .nr_events = r->config.nr_events };
	size_t size = r->nr * KNC_PMU_THREAD_SIZE(head.nr_events);
	void *records = malloc(size);
	int ret;

	if (!records)
		return complain("out of memory");
	ret = kncpmu_read(r->fd, records, size, 0);
	if (ret >= 0) {
		head.nr_threads = ret;
		writer_put(r->file, DATA_COUNTS, &head, sizeof(head), records,
			   ret * KNC_PMU_THREAD_SIZE(head.nr_events));
	}
	free(records);
	return ret < 0 ? explain_op(KNCPMU_OP_READ, ret, 0) : 0;
}

unsigned int rings_flags(const struct rings *r)
{
	struct knc_pmu_thread record;

	if (kncpmu_read(r->fd, &record, sizeof(record), KNC_PMU_READ_COUNTS) < 0)
		return 0;
	return record.flags;
}

void rings_sums(const struct rings *r, struct rings_sums *sums)
{
	const struct knc_pmu_ring *page;
	unsigned int i, n;

	memset(sums, 0, sizeof(*sums));
	for (i = 0; i < r->nr; i++) {
		page = r->rings[i].page;
		sums->samples += page->samples;
		sums->lost += page->lost;
		sums->throttles += page->throttles;
		sums->switches += page->switches;
		sums->lost_switches += page->lost_switches;
		for (n = 0; n < r->config.nr_events; n++)
			sums->unsampled += page->unsampled[n];
	}
}
