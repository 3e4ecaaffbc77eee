/* SPDX-License-Identifier: GPL-2.0 */
/* Which samples are shown; profile.h declares what the commands use */
#ifndef KNC_CTL_FILTER_H
#define KNC_CTL_FILTER_H

#include "profile/profile.h"

/* Is a file or a function asked for? */
int filter_has_place(const struct profile_opts *o);
/* Is a process, a thread or a region asked for? */
int filter_has_thread(const struct profile_opts *o);
/* Is one of these, or a rank? */
int filter_has_task(const struct profile_opts *o);
/* Does the sample pass all filters but those of its place? */
int filter_passes(const struct profile *p, const struct sample *s);
/* Do the rank (-1: none), the process, the thread and its name pass the filters? */
int filter_passes_task(const struct profile *p, long long rank, unsigned int pid,
		       unsigned int tid, const char *comm);
/* Does the place of the innermost frame pass --dso and --symbol? */
int filter_passes_place(const struct profile *p, const struct place *place);
/* Find the times of --time; returns 0, or an exit status after a message */
int filter_take_part(struct profile *p);
/* Write "comm worker, pid 100"; "": no filter, or only --time */
void filter_describe(const struct profile *p, char *text, size_t size);
/* Warn once if no sample passes the filters */
void filter_tell(struct profile *p);

#endif /* KNC_CTL_FILTER_H */
