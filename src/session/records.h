/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copying the records of READ to the caller; inline for the one record of the fast path
 */
#ifndef KNC_PMU_SESSION_RECORDS_H
#define KNC_PMU_SESSION_RECORDS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "compat/compat.h"
#include "pmu/hw.h"

struct knc_session;

/**
 * struct knc_records - records of READ that could not be written under the session's lock
 * @copy: a copy of the records, for kvfree(); NULL: all records are written
 * @size: bytes of @copy
 */
struct knc_records {
	void *copy;
	size_t size;
};

int knc_records_put(void __user *buffer, const void *records, size_t size,
		    struct knc_records *left);
int knc_records_put_counts(const struct knc_session *s, struct knc_records *left);
int knc_records_end(struct knc_records *left, void __user *buffer);

/*
 * Write one record by single stores: copy_to_user() would take longer than the rest of READ.
 * Returns false if the caller has to try copy_to_user(): a store faulted, or the largest record
 * might not fit below the end of user space.
 */
static __always_inline bool knc_records_put_one(struct knc_pmu_thread __user *to,
						const struct knc_pmu_thread *record,
						bool timed)
{
	/* read @nr_events with @flags: a second access would force the record into memory */
	unsigned int i, nr = *(const u32 *)&record->flags >> 16;

	/* the size of the largest record: a constant is cheaper to check */
	if (!user_access_begin(to, KNC_PMU_THREAD_SIZE(PMU_MAX_COUNTERS)))
		return false;
	unsafe_put_user(record->cpu, &to->cpu, fault);
	/* one store for @flags and @nr_events */
	unsafe_put_user(*(const u32 *)&record->flags, (u32 __user *)&to->flags,
			fault);
	unsafe_put_user(record->tsc, &to->tsc, fault);
	if (unlikely(timed)) {
		unsafe_put_user(record->time, &to->time, fault);
		unsafe_put_user(record->time_enabled, &to->time_enabled, fault);
		unsafe_put_user(record->time_running, &to->time_running, fault);
	} else {
		unsafe_put_user(0, &to->time, fault);
		unsafe_put_user(0, &to->time_enabled, fault);
		unsafe_put_user(0, &to->time_running, fault);
	}
	unsafe_put_user(record->value[0], &to->value[0], fault);
	for_each_more(i, nr)
		unsafe_put_user(record->value[i], &to->value[i], fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

#endif /* KNC_PMU_SESSION_RECORDS_H */
