/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl record share
 *
 *	record.c	command line, the size of rings without --ring-size
 *	run.c		from start to end
 *	summary.c	the closing line
 *	target.c	the tasks or hardware threads that are recorded
 *	rings.c		the session and its rings; READ; sums
 *	sideband.c	records of tasks, from the kernel's software events
 *	listen.c	these events
 *	known.c		processes that were read from /proc
 *	proc.c		names and mappings, from /proc
 *	build-id.c	what tells mapped files from others
 *	marks.c		visits of ring3.h's regions
 *	jit.c		names of code that is made at run time
 *	buffer.c	records of tasks on their way to the file
 *	ksyms.c		symbols of the kernel
 *	kallsyms.c	where they are from
 *	modules.c	its modules, which come and go
 *	properties.c	properties and sums, as JSON
 *	writer.c	the file
 */
#ifndef KNC_CTL_RECORD_H
#define KNC_CTL_RECORD_H

#include <poll.h>
#include <time.h>

#include <kncpmu.h>

#include "cli/child.h"
#include "cli/data.h"
#include "cli/event.h"
#include "cli/modules.h"
#include "record/writer.h"

/* The interval of events for which the command line has none */
#define RECORD_PERIOD		"on"

/**
 * struct record_opts - the command line
 * @items: events; sampled ones have KNC_PMU_EVENT_SAMPLE
 * @nr_items: number of events
 * @period: -c: the interval of events without one of their own; NULL: none
 * @freq: -F: their samples a second; NULL: none
 * @interval: ns between time samples; 0: none
 * @chain: KNC_PMU_CONFIG_CHAIN_*
 * @max_frames: the most frames of a call chain; 0: --max-frames was not given
 * @stack_size: bytes of the stack in each sample, for unwinding; 0: chains by frame pointers
 * @may_drop_stack: the user has not asked for copies of the stack by name
 * @off_cpu: record context switches
 * @no_marks: do not mark the regions of the command
 * @ring_size: bytes of each ring
 * @have_ring: --ring-size was given
 * @target: what is recorded
 * @pid: the existing process or thread that is followed; 0: none
 * @who: name of it, or of the command
 * @no_inherit: do not follow tasks that the target creates
 * @user_only: events without u and k count user mode only, for lack of CAP_PERFMON
 * @cpus: hardware threads with a ring; all possible ones if a program is followed
 * @have_cpus: -C or -a was given
 * @pin: the CPUs of the command
 * @have_pin: --pin was given
 * @output: the data file
 * @quiet: no closing line
 * @command: the command and its arguments, up to NULL; NULL: no command
 */
struct record_opts {
	struct kncpmu_item items[DATA_EVENTS];
	unsigned int nr_items;
	const char *period;
	const char *freq;
	unsigned long long interval;
	unsigned int chain;
	unsigned int max_frames;
	unsigned int stack_size;
	int may_drop_stack;
	int off_cpu;
	int no_marks;
	unsigned int ring_size;
	int have_ring;
	enum target target;
	int pid;
	char who[64];
	int no_inherit;
	int user_only;
	struct kncpmu_cpus cpus;
	int have_cpus;
	struct kncpmu_cpus pin;
	int have_pin;
	const char *output;
	int quiet;
	char **command;
};

/* run.c: record; returns an exit status */

int record_run(const struct record_opts *opts);

/* target.c */

/* Choose the target when all options are known; returns 0, or an exit status after a message */
int target_complete(const struct command *cmd, struct record_opts *opts);
/* Exclude kernel mode if it is not permitted and no modifier asks for it */
int target_choose_modes(struct record_opts *opts);
/* KNC_PMU_CONFIG_* for following the target; 0: hardware threads */
unsigned int target_flags(const struct record_opts *opts);
/* The target's name in the data file */
const char *target_name(const struct record_opts *opts);

#endif /* KNC_CTL_RECORD_H */
