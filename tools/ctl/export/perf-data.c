// SPDX-License-Identifier: GPL-2.0
/* Records of perf.data: samples, and the tasks from which they come */
#include <errno.h>
#include <stdlib.h>

#include "cli/text.h"
#include "export/export.h"
#include "export/perf.h"

#define USER_END	(1ULL << 47)

/**
 * struct told - the name of a thread, as the records up to now tell it
 * @tid: the thread
 * @comm: its name; NULL: no record named it
 * @hh: in a hash, by @tid
 */
struct told {
	unsigned int tid;
	const char *comm;
	UT_hash_handle hh;
};

static void put_comm(struct perf_data *d, const struct data_task *task, const char *comm,
		     unsigned int flags)
{
	perf_begin(d, PERF_COMM, PERF_USER | flags);
	put_u32(&d->record, task->pid);
	put_u32(&d->record, task->tid);
	put_text(&d->record, comm, 8);
	perf_end_other(d, task->pid, task->tid, task->time, 0);
}

/* Write a record FORK or EXIT */
static void put_fork(struct perf_data *d, const struct data_fork *fork, unsigned int type)
{
	const struct data_task *task = &fork->task;

	perf_begin(d, type, PERF_USER);
	put_u32(&d->record, task->pid);
	put_u32(&d->record, fork->parent_pid);
	put_u32(&d->record, task->tid);
	put_u32(&d->record, fork->parent_tid);
	put_u64(&d->record, task->time);
	perf_end_other(d, task->pid, task->tid, task->time, 0);
}

static void put_mmap(struct perf_data *d, const struct data_mmap *r)
{
	const char *rest = (const char *)(r + 1);
	const struct data_identity *identity = r->identity_size ? (const void *)rest : NULL;
	const struct file_key file = {
		.path = rest + r->identity_size,
		.build_id = r->build_id,
		.build_id_size = r->build_id_size,
		.identity = identity,
	};
	const struct dso *dso = symbols_other_id(d->p->symbols, &file);
	const struct perf_mapping mapping = {
		.pid = r->task.pid,
		.tid = r->task.tid,
		.start = r->start,
		.length = r->length,
		.offset = r->offset,
		.path = file.path,
		.build_id = dso->other_id,
		.build_id_size = dso->other_id_size,
		.device = identity ? identity->device : 0,
		.inode = identity ? identity->inode : 0,
		.time = r->task.time,
	};

	perf_put_mapping(d, &mapping);
}

/* perf keeps a process's old mappings after exec: a mapping over all addresses replaces them */
static void put_unmapped(struct perf_data *d, const struct data_task *task)
{
	const struct perf_mapping all = {
		.pid = task->pid,
		.tid = task->tid,
		.length = USER_END,
		.path = "[unknown]",
		.time = task->time,
	};

	perf_put_mapping(d, &all);
}

static struct told *told_of(struct perf_data *d, unsigned int tid)
{
	struct told *told;

	HASH_FIND_INT(d->told, &tid, told);
	if (told)
		return told;
	told = xalloc(1, sizeof(*told));
	told->tid = tid;
	HASH_ADD_INT(d->told, tid, told);
	return told;
}

static void tell_name(struct perf_data *d, const struct data_task *task, const char *comm,
		      unsigned int flags)
{
	told_of(d, task->tid)->comm = comm;
	put_comm(d, task, comm, flags);
}

/* perf gives a new thread its parent's name: no COMM is needed to repeat it */
static void tell_fork(struct perf_data *d, const struct data_fork *fork)
{
	const char *comm = told_of(d, fork->parent_tid)->comm;

	told_of(d, fork->task.tid)->comm = comm;
	put_fork(d, fork, PERF_FORK);
}

static void take_record(struct target *t, const struct data_task *task)
{
	struct perf_data *d = t->own;
	const struct data_fork *fork = (const void *)task;
	unsigned int flags = 0;

	switch (task->type) {
	case DATA_EXEC:
		put_unmapped(d, task);
		flags = PERF_COMM_EXEC;
		/* fall through */
	case DATA_COMM:
		tell_name(d, task, intern_text((const char *)task + sizeof(struct data_comm)),
			  flags);
		break;
	case DATA_FORK:
		tell_fork(d, fork);
		break;
	case DATA_EXIT:
		put_fork(d, fork, PERF_EXIT);
		break;
	case DATA_MMAP:
		put_mmap(d, (const void *)task);
		break;
	case DATA_CODE:
		d->made += *((const char *)task + sizeof(struct data_code)) != '\0';
		break;
	}
}

static void put_chain(struct perf_data *d, const struct sample *s)
{
	struct bytes *b = &d->record;
	unsigned int i, kernel = s->first_user < s->nr ? s->first_user : s->nr;

	put_u64(b, s->nr + (kernel > 0) + (kernel < s->nr));
	if (kernel)
		put_u64(b, PERF_CHAIN_KERNEL);
	for (i = 0; i < s->nr; i++) {
		if (i == kernel)
			put_u64(b, PERF_CHAIN_USER);
		put_u64(b, s->ips[i]);
	}
}

static void put_sample(struct perf_data *d, const struct sample *s)
{
	struct bytes *b = &d->record;

	perf_begin(d, PERF_SAMPLE, s->first_user ? PERF_KERNEL : PERF_USER);
	put_u64(b, perf_id(s->event));
	put_u64(b, s->ips[0]);
	put_u32(b, s->pid);
	put_u32(b, s->tid);
	put_u64(b, s->time);
	put_u32(b, data_cpu(s->cpu));
	put_u32(b, 0);
	put_u64(b, s->period);
	if (d->p->file.chains)
		put_chain(d, s);
	perf_end(d);
}

static void take_sample(struct target *t, const struct sample *sample)
{
	struct perf_data *d = t->own;
	struct sample s = *sample;
	const struct data_task task = { .pid = s.pid, .tid = s.tid, .time = s.time };
	const char *known = told_of(d, s.tid)->comm;

	if (!known || strcmp(known, s.comm))
		tell_name(d, &task, s.comm, 0);
	if (d->p->file.events[s.event].by_others) {
		s.ips[0] = PERF_OTHERS;
		s.first_user = ~0U;
	}
	d->kernel |= s.first_user && !d->p->file.events[s.event].by_others;
	d->first = d->first ? : s.time;
	d->last = s.time;
	d->cpus = data_cpu(s.cpu) < d->cpus ? d->cpus : data_cpu(s.cpu) + 1;
	put_sample(d, &s);
}

static void put_lost(struct perf_data *d, const struct knc_pmu_lost *lost)
{
	perf_begin(d, PERF_LOST, 0);
	put_u64(&d->record, perf_id(0));
	put_u64(&d->record, lost->samples);
	perf_end_other(d, 0, 0, lost->time ? : d->last, data_cpu(lost->record.cpu));
	d->lost += lost->samples;
}

static void put_throttle(struct perf_data *d, const struct knc_pmu_throttle *r)
{
	unsigned int type = r->record.type == KNC_PMU_RECORD_THROTTLE ? PERF_THROTTLE :
								       PERF_UNTHROTTLE;

	perf_begin(d, type, 0);
	put_u64(&d->record, r->time);
	put_u64(&d->record, perf_id(r->event));
	put_u64(&d->record, perf_id(r->event));
	perf_end_other(d, 0, 0, r->time, data_cpu(r->record.cpu));
}

static void take_other(struct target *t, const struct knc_pmu_record *record)
{
	struct perf_data *d = t->own;

	if (!profile_passes_record(d->p, record))
		return;
	switch (record->type) {
	case KNC_PMU_RECORD_LOST:
		put_lost(d, (const void *)record);
		break;
	case KNC_PMU_RECORD_THROTTLE:
	case KNC_PMU_RECORD_UNTHROTTLE:
		put_throttle(d, (const void *)record);
		break;
	}
}

static void begin(struct target *t)
{
	struct perf_data *d = xalloc(1, sizeof(*d));

	t->own = d;
	d->p = t->p;
	d->path = t->path;
	d->f = t->f;
	perf_put_begin(d);
	perf_put_kernel(d);
}

/* The sum of lost samples, as perf record writes it: the last losses may have no PERF_LOST */
static void put_all_lost(struct perf_data *d)
{
	unsigned long long lost = d->p->file.sums.lost;

	if (!lost || profile_has_filter(d->p))
		return;
	perf_begin(d, PERF_LOST_SAMPLES, 0);
	put_u64(&d->record, lost);
	perf_end_other(d, 0, 0, d->last, 0);
}

static void warn(const struct target *t)
{
	const struct perf_data *d = t->own;

	target_tell_unsampled(t);
	if (d->made)
		complain("warning: %s has no names of %llu functions that processes made at run "
			 "time: perf looks for them in /tmp/perf-PID.map", t->path, d->made);
	if (d->kernel && data_has_ksyms(&d->p->file) && !t->kallsyms &&
	    !data_same_boot(&d->p->file))
		complain("warning: %s has no names of the kernel's functions: write them to a file "
			 "for perf (--kallsyms)", t->path);
}

static int finish(struct target *t)
{
	struct perf_data *d = t->own;

	put_all_lost(d);
	perf_begin(d, PERF_FINISHED_ROUND, 0);
	perf_end(d);
	warn(t);
	return perf_put_end(d) ? cant_write(t->path, errno, t->format->option) : 0;
}

static void end(struct target *t)
{
	struct perf_data *d = t->own;

	free_entries(d->told);
	free(d->record.data);
	free(d);
}

const struct format perf_data_format = {
	.option = "--perf-data",
	.seeks = 1,
	.begin = begin,
	.sample = take_sample,
	.task = take_record,
	.other = take_other,
	.finish = finish,
	.end = end,
};
