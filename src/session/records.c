// SPDX-License-Identifier: GPL-2.0
/*
 * The records of READ on hardware threads, on their way to the caller
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "session/internal.h"

/* READ_COUNTS where the records have times: clear these in a copy. */
static void knc_clear_times(const struct knc_session *s, void *records)
{
	struct knc_pmu_thread *record;
	unsigned int i;

	for (i = 0; i < s->nr_threads; i++) {
		record = records + i * knc_record_size(s);
		record->time = 0;
		record->time_enabled = 0;
		record->time_running = 0;
	}
}

/*
 * Copy the records to the caller. An eviction waits for the session's lock: a page that is not
 * there, which a user can hold back for ever, must not be waited for under it. The caller of READ
 * then gets *@copy when the lock has been released.
 */
int knc_session_put_records(const struct knc_session *s, void __user *buffer, bool no_times,
			    void **copy)
{
	if (!no_times && !knc_compat_put_nofault(buffer, s->records, s->records_size))
		return 0;
	*copy = kvcalloc(1, s->records_size, KNC_COMPAT_GFP_ACCOUNT);
	if (!*copy)
		return -ENOMEM;
	memcpy(*copy, s->records, s->records_size);
	if (no_times)
		knc_clear_times(s, *copy);
	return 0;
}
