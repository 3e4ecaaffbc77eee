/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings in the formats of other tools: all files are written in one pass over the samples
 *
 *	export.c	the command
 *	target.c	what the formats share
 *	perf-data.c	perf.data: samples and tasks; perf-kernel.c: the kernel
 *	perf-records.c	what all its records have; perf-header.c: the header
 *	pprof.c		for pprof; protobuf.c, gzip.c: the form of its file
 *	firefox.c	for the Firefox Profiler
 *	numbered.c	tables that give a number to all that pprof and firefox refer to
 *	bytes.c		numbers and texts, one after the other
 */
#ifndef KNC_CTL_EXPORT_H
#define KNC_CTL_EXPORT_H

#include "export/target.h"

extern const struct format perf_data_format;
extern const struct format pprof_format;
extern const struct format firefox_format;

#endif /* KNC_CTL_EXPORT_H */
