/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of the kernel and of its modules: modules.c, kallsyms.c, ksyms.c */
#ifndef KNC_CTL_RECORD_KERNEL_H
#define KNC_CTL_RECORD_KERNEL_H

#include "cli/modules.h"
#include "record/writer.h"

/**
 * struct module - a module of the kernel, for as long as it is loaded
 * @next: the next one
 * @place: its name and where it is
 * @end: where its code ends, at most: another one begins there
 * @seen: of which look, a time
 * @from: it is not there before
 * @to: it is not there after; ~0: it still is
 * @text: its functions, if it was loaded or removed during the recording: lines of
 *	/proc/kallsyms; NULL: none
 */
struct module {
	struct module *next;
	struct module_place place;
	unsigned long long end;
	unsigned long long seen;
	unsigned long long from;
	unsigned long long to;
	char *text;
};

/**
 * struct modules - modules that come and go
 * @all: those that were there at some time
 * @events: socket that tells when one comes or goes; -1: none
 * @quiet: when none had come or gone since the last look, CLOCK_MONOTONIC
 * @names: the names of their functions are wanted
 * @text: functions of the kernel and its modules when the recording began: lines of
 *	/proc/kallsyms; NULL: not read
 */
struct modules {
	struct module *all;
	int events;
	__u64 quiet;
	int names;
	char *text;
};

/* Take down what there is, and if @names its functions */
void modules_begin(struct modules *m, int names);
/* Take down what has come and gone */
void modules_drain(struct modules *m);
/* The same at the end, from /proc/modules alone: in a container there are no events */
void modules_end(struct modules *m);
/* Take the functions of those that are there and came without names */
void modules_name(struct modules *m, const char *text);
void modules_free(struct modules *m);
/* Was it there all the time? */
static inline int module_stayed(const struct module *module)
{
	return !module->from && !~module->to;
}

#define KALLSYMS	"/proc/kallsyms"

/**
 * struct kernel_function - a line "ADDRESS TYPE NAME [MODULE]"
 * @start: the address; 0: it is no function, or the kernel hides the address
 * @type: the letter; a blank and the name follow
 */
struct kernel_function {
	__u64 start;
	const char *type;
};

/* Read a line; returns the next one */
const char *kallsyms_line(const char *line, struct kernel_function *f);
/* Where a line of a module has its name, "[NAME]"; NULL: it is the kernel's own */
const char *kallsyms_module(const char *line);
/* Is the line of this module? */
int kallsyms_is_of(const char *line, const struct module_place *place);
/* All lines of functions, to be freed; NULL: the kernel hides their addresses */
char *kallsyms_read(void);
/* The lines of @text that are functions of the module, to be freed; NULL: none */
char *kallsyms_of_module(const char *text, const struct module *module);

/**
 * struct addresses - a set of addresses, or of threads
 * @table: open addressing; 0: free
 * @room: of @table, a power of two, or 0
 * @nr: addresses in it
 */
struct addresses {
	__u64 *table;
	size_t room;
	size_t nr;
};

void addresses_add(struct addresses *set, __u64 address);
int addresses_has(const struct addresses *set, __u64 address);
void addresses_free(struct addresses *set);

/* Write the functions that the addresses are in; returns 0 or -1 */
int ksyms_write(struct data_writer *file, const struct addresses *set, struct modules *modules);

#endif /* KNC_CTL_RECORD_KERNEL_H */
