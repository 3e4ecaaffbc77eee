/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The file that knc-pmuctl record shares with the command that it starts: regions of ring3.h write
 * their visits there. ring3-marks.h and the recorder include this.
 *
 * Everything in it may be wrong, because every process that the command starts may write to it. No
 * writer takes an index from it without a check, and the recorder checks each value.
 */
#ifndef KNC_RING3_MARKS_FILE_H
#define KNC_RING3_MARKS_FILE_H

/* "FD:DEVICE:INODE" of the file */
#define KNC_MARKS_ENV		"KNC_MARKS"
#define KNC_MARKS_MAGIC		0x31736b72616d636eUL	/* "ncmarks1" */

#define KNC_MARKS_NAMES		1024	/* regions; number 0 is none */
#define KNC_MARKS_NAME		256	/* bytes of a name with its NUL */
#define KNC_MARKS_THREADS	1024	/* that run at the same time */
#define KNC_MARKS_DEPTH		64	/* nested regions of a thread */
#define KNC_MARKS_VISITS	8192	/* of a thread that the recorder has not read yet */

/* The name of a region */
struct knc_marks_name {
	char text[KNC_MARKS_NAME];
};

/* A visit that has not ended */
struct knc_marks_open {
	unsigned long begin;	/* RDTSC */
	unsigned long region;
};

/* A visit that has ended */
struct knc_marks_visit {
	unsigned long begin;	/* RDTSC */
	unsigned long end;
	unsigned int region;
	unsigned int depth;	/* number of visits around it */
};

/* A thread, and the state of its ring */
struct knc_marks_thread {
	unsigned int tid;	/* 0: nobody has this ring */
	unsigned int pid;
	unsigned int depth;	/* visits in its open[] */
	unsigned int reserved;
	unsigned long head;	/* visits written; visits[head % KNC_MARKS_VISITS] is next */
	unsigned long tail;	/* visits that the recorder has read; only it writes this */
	unsigned long lost;	/* visits without room */
	unsigned long more[3];
};

struct knc_marks {
	unsigned long magic;
	unsigned int nr_names;
	unsigned int nr_threads;	/* elements of thread[] that were ever taken */
	unsigned long lost;		/* visits of threads without a ring */
	unsigned long more[509];
	struct knc_marks_name name[KNC_MARKS_NAMES];
	struct knc_marks_thread thread[KNC_MARKS_THREADS];
	struct knc_marks_open open[KNC_MARKS_THREADS][KNC_MARKS_DEPTH];
	struct knc_marks_visit visit[KNC_MARKS_THREADS][KNC_MARKS_VISITS];
};

#endif /* KNC_RING3_MARKS_FILE_H */
