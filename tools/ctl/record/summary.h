/* SPDX-License-Identifier: GPL-2.0 */
/* What is reported at the end of a recording: summary.c, properties.c */
#ifndef KNC_CTL_RECORD_SUMMARY_H
#define KNC_CTL_RECORD_SUMMARY_H

#include "record/marks.h"
#include "record/rings.h"

void print_summary(const struct record_opts *opts, const struct rings *r,
		   const struct marks *marks, const struct data_writer *file, int evicted);

json_t *record_info(const struct record_opts *opts, const struct rings *r, int pid,
		    unsigned long long started);
json_t *record_end(const struct rings *r, int status, unsigned long long ended);

#endif /* KNC_CTL_RECORD_SUMMARY_H */
