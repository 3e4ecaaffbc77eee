/* SPDX-License-Identifier: GPL-2.0 */
/* Visits of ring3.h's regions, which the command writes into a shared file */
#ifndef KNC_CTL_RECORD_MARKS_H
#define KNC_CTL_RECORD_MARKS_H

#include <knc/ring3-marks-file.h>

#include "record/buffer.h"

/**
 * struct ticks - a reading of the time stamp counter
 * @tsc: its value
 * @ns: CLOCK_MONOTONIC at that time
 */
struct ticks {
	unsigned long long tsc;
	unsigned long long ns;
};

/**
 * struct marks - the shared file, and what was read from it
 * @fd: the file; -1: there is none
 * @file: the data file
 * @ticks: readings of both clocks, to convert the times of visits
 * @nr_ticks: number of @ticks
 * @room_ticks: elements of @ticks
 * @threads: the state of all rings, as last read
 * @visits: visits of one ring, as last read
 * @read: visits that were read from each ring
 * @names: names that the data file has
 * @number: the number of a region there, 1 + its index in @names; 0: not known yet; -1: none
 * @buffer: records for the data file
 * @used: bytes of @buffer
 * @fullest: visits in the fullest ring at the last look
 * @nr_visits: visits written
 * @nr_regions: elements of @names
 * @lost: visits that the command found no room for
 * @beyond: visits that came after MOST_VISITS
 * @impossible: visits that cannot be true
 */
struct marks {
	int fd;
	struct data_writer *file;
	struct ticks *ticks;
	size_t nr_ticks;
	size_t room_ticks;
	struct knc_marks_thread *threads;
	struct knc_marks_visit *visits;
	unsigned long *read;
	struct knc_marks_name *names;
	int number[KNC_MARKS_NAMES];
	char *buffer;
	size_t used;
	unsigned long fullest;
	unsigned long long nr_visits;
	unsigned int nr_regions;
	unsigned long long lost;
	unsigned long long beyond;
	unsigned long long impossible;
};

/* Create the file before the command is forked, because the command inherits it */
void marks_open(struct marks *m, struct data_writer *file);
/* Call after the fork: keeps the file from other children */
void marks_hide(const struct marks *m);
/* Read the visits in the rings, and write them to the data file */
void marks_drain(struct marks *m);
/* After marks_drain(): the time until the next one, ms: @every, or less if rings fill faster */
int marks_wait(const struct marks *m, int every);
/* Read the rest, and visits that go on. @execs: the data file has all execs, which end visits */
void marks_end(struct marks *m, int execs);
void marks_free(struct marks *m);

#endif /* KNC_CTL_RECORD_MARKS_H */
