/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of libkncpmu share
 *
 *	ioctl.c		the commands of the device; explain.c: why one failed; followed.c: which
 *			thread that request follows
 *	self.c		count the caller, in two calls
 *	ring.c		read samples
 *	pmu.c		the PMUs whose events have names
 *	level.c		levels, and PMUs by name
 *	prefix.c	events with the name of their PMU
 *	events.c  westmere.c  uncore.c  alias.c	the tables of events, and names that other tools
 *			have; alias_hosts.def: those of every host
 *	nearest.c	names similar to a misspelt one
 *	spec.c		events as text, with modifiers; interval.c: how often they are sampled;
 *			interval-name.c: names of intervals
 *	group.c  place.c	which events are counted together; on which hardware threads
 *	cpus.c  online.c	sets of hardware threads; are they online?
 *	topology.c	cores
 *	card.c		is it a card, and which events can it count?
 *	clean.c		foreign text, made harmless
 *	kernel-file.c	files of /proc and /sys, if they are the kernel's
 *	util.c		version, error lines, names of threads and processes
 *
 * kncpmu.h is the interface, which libkncpmu.so exports. What only knc-pmuctl uses besides, and
 * links from libkncpmu.a, is in pmus.h, names.h, place.h, topology.h, sets.h, card.h and
 * kernel-file.h.
 */
#ifndef KNCPMU_PRIVATE_H
#define KNCPMU_PRIVATE_H

#include "kncpmu.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define KNCPMU_SYSFS_CPU	"/sys/devices/system/cpu"

#ifndef __printf
#define __printf(a, b)	__attribute((format(printf, a, b)))
#endif

/* Write an error line and return @ret: return kncpmu_fail(...) */
__printf(3, 4)
int kncpmu_fail(struct kncpmu_error *err, int ret, const char *fmt, ...);

/* The thread that a request follows; with PIDS the refused one; 0: the caller */
int kncpmu_followed_pid(const struct knc_pmu_config *config);

/* Is @pid a thread of the kernel? */
int kncpmu_is_kernel_thread(int pid);

/*
 * Read file @name of a directory like sysfs' cpu/: its first line, or a list of CPUs. If @root is
 * NULL: the directory KNC_PMUCTL_SYSFS, or else /sys/devices/system/cpu, which must be the
 * kernel's. Returns 0, or a negative errno as kncpmu_kernel_line().
 */
int kncpmu_cpu_line(const char *root, const char *name, char *line, size_t size);
int kncpmu_cpu_list(const char *root, const char *name, struct kncpmu_cpus *cpus);

#endif /* KNCPMU_PRIVATE_H */
