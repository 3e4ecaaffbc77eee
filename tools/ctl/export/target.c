// SPDX-License-Identifier: GPL-2.0
/* What the formats of export share */
#include <string.h>
#include <time.h>

#include "cli/print.h"
#include "export/target.h"

/* Computed from the date and time in INFO */
unsigned long long target_started_ns(const struct target *t)
{
	const char *text = data_text(&t->p->file, "started");
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	if (!strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return 0;
	return timegm(&tm) * 1000000000ULL;
}

void target_tell_unsampled(const struct target *t)
{
	const struct data_file *f = &t->p->file;
	unsigned int i;

	for (i = 0; i < f->nr_events; i++) {
		if (f->sums.unsampled[i] || f->sums.lost_events[i])
			complain("warning: %s has no place for %llu %s that are in no sample: its "
				 "shares are those of the others (%s)", t->path,
				 f->sums.unsampled[i] + f->sums.lost_events[i], f->events[i].name,
				 t->format->option);
	}
}
