// SPDX-License-Identifier: GPL-2.0
/*
 * Copying the records of READ to the caller
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "session/internal.h"
#include "session/records.h"

/* READ_COUNTS reports no times: clear them in a copy of the records. */
static void knc_clear_times(const struct knc_session *s, void *records)
{
	struct knc_pmu_thread *record;
	unsigned int i;

	for (i = 0; i < s->nr_threads; i++) {
		record = records + i * knc_session_record_size(s);
		record->time = 0;
		record->time_enabled = 0;
		record->time_running = 0;
	}
}

/* Make a copy, which knc_records_end() writes to the caller. Returns 0 or -ENOMEM. */
static int knc_records_keep(struct knc_records *left, const void *records, size_t size)
{
	left->copy = kvcalloc(1, size, KNC_COMPAT_GFP_ACCOUNT);
	if (!left->copy)
		return -ENOMEM;
	memcpy(left->copy, records, size);
	left->size = size;
	return 0;
}

/**
 * knc_records_put() - copy records to the caller, under the session's lock
 * @buffer: where the caller wants them
 * @records: the records
 * @size: bytes
 * @left: what remains to be written when the lock has been released, out
 *
 * An eviction waits for the lock, and a user can delay a page fault for ever: under the lock no
 * page fault may be handled.
 *
 * Return: 0 or -ENOMEM.
 */
int knc_records_put(void __user *buffer, const void *records, size_t size,
		    struct knc_records *left)
{
	if (likely(!knc_compat_put_nofault(buffer, records, size)))
		return 0;
	return knc_records_keep(left, records, size);
}

/* READ_COUNTS of an evicted session on hardware threads: copy its last records without times. */
int knc_records_put_counts(const struct knc_session *s, struct knc_records *left)
{
	int err = knc_records_keep(left, s->records, s->records_size);

	if (!err)
		knc_clear_times(s, left->copy);
	return err;
}

/* Write the copy to the caller, after the session's lock was released. Returns 0 or -EFAULT. */
int knc_records_end(struct knc_records *left, void __user *buffer)
{
	unsigned long n = copy_to_user(buffer, left->copy, left->size);

	kvfree(left->copy);
	return n ? -EFAULT : 0;
}
