// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of samples: the reader's side of struct knc_pmu_ring
 *
 * Sizes and positions are checked before they are used: a damaged ring must not
 * lead out of its memory. Knights Corner has no LFENCE or MFENCE; its loads and
 * stores are in order, and the atomics below keep the compiler from moving them.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private.h"

#define ALIGN_MASK	7

int kncpmu_ring_attach(struct kncpmu_ring *ring, void *memory, size_t size)
{
	struct knc_pmu_ring *page = memory;
	__u64 offset, bytes;

	memset(ring, 0, sizeof(*ring));
	if (size < sizeof(*page))
		return -EPROTO;
	offset = page->data_offset;
	bytes = page->data_size;
	if (offset < sizeof(*page) || offset > size || offset & ALIGN_MASK)
		return -EPROTO;
	if (bytes <= ALIGN_MASK || bytes > size - offset || bytes & (bytes - 1))
		return -EPROTO;
	ring->page = page;
	ring->data = (const unsigned char *)memory + offset;
	ring->size = bytes;
	ring->tail = __atomic_load_n(&page->tail, __ATOMIC_RELAXED);
	ring->next = ring->tail;
	return 0;
}

int kncpmu_ring_map(int fd, unsigned int index, unsigned int ring_size,
		    struct kncpmu_ring *ring)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE) + ring_size;
	void *memory;
	int ret;

	memset(ring, 0, sizeof(*ring));
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      (off_t)(index * size));
	if (memory == MAP_FAILED)
		return -errno;
	ret = kncpmu_ring_attach(ring, memory, size);
	if (ret)
		munmap(memory, size);
	else
		ring->mapped = size;
	return ret;
}

void kncpmu_ring_unmap(struct kncpmu_ring *ring)
{
	if (ring->mapped)
		munmap(ring->page, ring->mapped);
	memset(ring, 0, sizeof(*ring));
}

/* Smallest size of a record of this type; for an unknown type that of the header */
static size_t least_size(unsigned int type)
{
	static const size_t sizes[] = {
		[KNC_PMU_RECORD_SAMPLE] = sizeof(struct knc_pmu_sample),
		[KNC_PMU_RECORD_TIME] = KNC_PMU_TIME_SIZE(0),
		[KNC_PMU_RECORD_LOST] = KNC_PMU_LOST_SIZE(0),
		[KNC_PMU_RECORD_THROTTLE] = sizeof(struct knc_pmu_throttle),
		[KNC_PMU_RECORD_UNTHROTTLE] = sizeof(struct knc_pmu_throttle),
		[KNC_PMU_RECORD_SWITCH_OUT] = sizeof(struct knc_pmu_sample),
		[KNC_PMU_RECORD_SWITCH_IN] = sizeof(struct knc_pmu_sample),
	};

	if (type < ARRAY_SIZE(sizes) && sizes[type])
		return sizes[type];
	return sizeof(struct knc_pmu_record);
}

/* Bytes of a sample. Reads the header of a stack copy only if that is within the record. */
static size_t sample_size(const struct knc_pmu_sample *sample)
{
	size_t size = sizeof(*sample) + 8 * ((size_t)sample->nr_kernel + sample->nr_user);
	const struct knc_pmu_stack *stack = (const void *)((const char *)sample + size);

	if (!(sample->flags & KNC_PMU_SAMPLE_STACK))
		return size;
	size += sizeof(*stack);
	return size > sample->record.size ? size : size + stack->size;
}

/* Size of a record by the counts in its fixed part (frames, events) */
static size_t whole_size(const struct knc_pmu_record *record)
{
	const struct knc_pmu_time_sample *time = (const void *)record;
	const struct knc_pmu_lost *lost = (const void *)record;

	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
	case KNC_PMU_RECORD_SWITCH_OUT:
	case KNC_PMU_RECORD_SWITCH_IN:
		return sample_size((const void *)record);
	case KNC_PMU_RECORD_TIME:
		return KNC_PMU_TIME_SIZE((size_t)time->nr_events);
	case KNC_PMU_RECORD_LOST:
		return KNC_PMU_LOST_SIZE((size_t)lost->nr_events);
	}
	return 0;
}

/* Is the record complete within @room bytes, call chain included? */
static int well_formed(const struct knc_pmu_record *record, size_t room)
{
	size_t size = record->size;

	return size <= room && !(size & ALIGN_MASK) &&
	       size >= least_size(record->type) && size >= whole_size(record);
}

/* Bytes of the records before a PAD or the end; -EPROTO: a record is damaged */
static long whole_records(const unsigned char *data, size_t room)
{
	const struct knc_pmu_record *record;
	size_t at = 0;

	while (at < room) {
		record = (const struct knc_pmu_record *)(data + at);
		if (record->type == KNC_PMU_RECORD_PAD)
			break;
		if (!well_formed(record, room - at))
			return -EPROTO;
		at += record->size;
	}
	return at;
}

static void give_back(struct kncpmu_ring *ring, __u64 tail)
{
	ring->tail = tail;
	ring->next = tail;
	__atomic_store_n(&ring->page->tail, tail, __ATOMIC_RELEASE);
}

long kncpmu_ring_read(struct kncpmu_ring *ring, const void **records)
{
	__u64 head, filled, at, rest;
	long bytes;

	head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
	while (ring->tail != head) {
		filled = head - ring->tail;
		if (filled > ring->size || (head | ring->tail) & ALIGN_MASK)
			return -EPROTO;
		at = ring->tail & (ring->size - 1);
		rest = ring->size - at;
		bytes = whole_records(ring->data + at, filled < rest ? filled : rest);
		if (bytes) {
			*records = ring->data + at;
			ring->next = ring->tail + (bytes > 0 ? bytes : 0);
			return bytes;
		}
		/* a PAD must fill the rest of the ring */
		if (rest > filled)
			return -EPROTO;
		give_back(ring, ring->tail + rest);
	}
	return 0;
}

void kncpmu_ring_release(struct kncpmu_ring *ring)
{
	give_back(ring, ring->next);
}

const struct knc_pmu_record *kncpmu_ring_next(const void *records, size_t size,
					      size_t *at)
{
	const struct knc_pmu_record *record;

	if (size - *at < sizeof(*record) || *at >= size)
		return NULL;
	record = (const void *)((const char *)records + *at);
	if (!well_formed(record, size - *at))
		return NULL;
	*at += record->size;
	return record;
}
