/* SPDX-License-Identifier: GPL-2.0 */
/* Merging recordings: recordings.c checks and copies them; joined.c gives them a common time */
#ifndef KNC_CTL_JOINED_H
#define KNC_CTL_JOINED_H

#include "merge/merge.h"

/**
 * struct recording - the recording of a rank
 * @path: the file
 * @rank: the rank
 * @info: the object of its DATA_INFO
 * @started: CLOCK_MONOTONIC of its host, ns; likewise @ended
 * @ended: when it ended
 * @utc: the time of day at @started, ns since 1970
 * @shift: added to times of its host to get times of the merged file
 * @status: exit status of its command
 * @size: bytes of the file when it was checked
 */
struct recording {
	const char *path;
	unsigned int rank;
	json_t *info;
	unsigned long long started;
	unsigned long long ended;
	unsigned long long utc;
	long long shift;
	long long status;
	unsigned long long size;
};

/* recordings.c: merge recordings into the file of -o; returns an exit status */
int merge_recordings(struct merge *m, char **paths, int nr);
/* joined.c: give recordings a common time; they must be ordered by rank */
void joined_times(struct recording *all, size_t nr);
/* Make the merged file's DATA_INFO and DATA_END */
json_t *joined_info(const struct merge *m, const struct recording *all, size_t nr);
json_t *joined_end(const struct recording *all, size_t nr);
/*
 * Describe how events or options differ from the first recording's, in text to be freed; NULL:
 * equal
 */
char *joined_differ(const json_t *info, const struct recording *first);

#endif /* KNC_CTL_JOINED_H */
