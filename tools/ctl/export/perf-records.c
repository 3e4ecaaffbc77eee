// SPDX-License-Identifier: GPL-2.0
/* The parts that all records of perf.data share, and the records of mappings */
#include <sys/sysmacros.h>

#include "export/perf.h"

/* Records in a round: perf sorts two rounds at a time, in memory */
#define ROUND		4096
#define PROT_READ_EXEC	5
#define PRIVATE		2

void perf_begin(struct perf_data *d, unsigned int type, unsigned int flags)
{
	d->record.nr = 0;
	put_u32(&d->record, type);
	put_u16(&d->record, flags);
	/* the size, which perf_end() fills in */
	put_u16(&d->record, 0);
}

void perf_end(struct perf_data *d)
{
	__u16 size = d->record.nr;

	memcpy(d->record.data + 6, &size, sizeof(size));
	fwrite_unlocked(d->record.data, 1, size, d->f);
	d->size += size;
	if (++d->round < ROUND)
		return;
	d->round = 0;
	perf_begin(d, PERF_FINISHED_ROUND, 0);
	perf_end(d);
}

void perf_end_other(struct perf_data *d, unsigned int pid, unsigned int tid,
		    unsigned long long time, unsigned int cpu)
{
	put_u32(&d->record, pid);
	put_u32(&d->record, tid);
	put_u64(&d->record, time);
	put_u32(&d->record, cpu);
	put_u32(&d->record, 0);
	put_u64(&d->record, perf_id(0));
	perf_end(d);
}

/* MMAP2 has either a build id or the device and inode, in the same 24 bytes */
static void put_file(struct bytes *b, const struct perf_mapping *m)
{
	size_t begin = b->nr;

	if (m->build_id_size) {
		put_u32(b, m->build_id_size);
		put_bytes(b, m->build_id, m->build_id_size);
		put_zeros(b, begin + 24);
		return;
	}
	put_u32(b, major(m->device));
	put_u32(b, minor(m->device));
	put_u64(b, m->inode);
	put_u64(b, 0);
}

void perf_put_mapping(struct perf_data *d, const struct perf_mapping *m)
{
	unsigned int flags = m->pid == PERF_NOBODY ? PERF_KERNEL : PERF_USER;

	perf_begin(d, PERF_MMAP2, flags | (m->build_id_size ? PERF_MMAP_BUILD_ID : 0));
	put_u32(&d->record, m->pid);
	put_u32(&d->record, m->tid);
	put_u64(&d->record, m->start);
	put_u64(&d->record, m->length);
	put_u64(&d->record, m->offset);
	put_file(&d->record, m);
	put_u32(&d->record, PROT_READ_EXEC);
	put_u32(&d->record, PRIVATE);
	put_text(&d->record, m->path, 8);
	perf_end_other(d, m->pid, m->tid, m->time, 0);
}
