/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of the kernel and of its modules: modules.c, kallsyms.c, ksyms.c */
#ifndef KNC_CTL_RECORD_KERNEL_H
#define KNC_CTL_RECORD_KERNEL_H

#include "cli/modules.h"
#include "record/writer.h"

#define KALLSYMS	"/proc/kallsyms"

/**
 * struct kernel_function - a function of the kernel or of a module
 * @start: its first address
 * @line: "ADDRESS TYPE NAME[<tab>[MODULE]]"; a newline follows
 */
struct kernel_function {
	__u64 start;
	const char *line;
};

/**
 * struct kallsyms - the functions in /proc/kallsyms, in its order
 * @text: their lines; NULL: not read, or the kernel hides their addresses
 * @all: the functions
 * @nr: how many
 * @etext: where the kernel's own code ends; ~0: not known
 */
struct kallsyms {
	char *text;
	struct kernel_function *all;
	size_t nr;
	__u64 etext;
};

/* Read the present functions of the kernel */
void kallsyms_read(struct kallsyms *k);
void kallsyms_free(struct kallsyms *k);
/* The letter that is the type of a line's symbol */
char kallsyms_type(const char *line);
/* Find "[NAME]" in the line of a module's symbol; NULL: the symbol is the kernel's own */
const char *kallsyms_module(const char *line);
/* Is the line's symbol from this module? */
int kallsyms_is_of(const char *line, const struct module_place *place);

/**
 * struct module - a module of the kernel, for as long as it is loaded
 * @next: the next one
 * @place: its name and where it is
 * @end: where its code ends at the latest, because another module begins there
 * @seen: the time of the last look that found it
 * @from: it was not loaded before
 * @to: it was not loaded after; ~0: it still is
 * @functions: its functions, if it was loaded or removed during the recording
 */
struct module {
	struct module *next;
	struct module_place place;
	unsigned long long end;
	unsigned long long seen;
	unsigned long long from;
	unsigned long long to;
	struct kallsyms functions;
};

/**
 * struct modules - modules that come and go
 * @all: modules that were loaded at some time
 * @events: socket that tells when one comes or goes; -1: none
 * @quiet: the last time without a change since the last look, CLOCK_MONOTONIC
 * @names: the names of their functions are wanted
 * @functions: functions of the kernel and its modules when the recording began
 */
struct modules {
	struct module *all;
	int events;
	__u64 quiet;
	int names;
	struct kallsyms functions;
};

/* Note the modules that are loaded, and if @names their functions */
void modules_begin(struct modules *m, int names);
/* Take the events of modules that were loaded or removed */
void modules_drain(struct modules *m);
/* modules_drain() at the end of the recording, from /proc/modules: containers get no events */
void modules_end(struct modules *m);
/* Find the functions of modules that were loaded since modules_begin() and have none yet */
void modules_name(struct modules *m, const struct kallsyms *functions);
void modules_free(struct modules *m);
/* Was the module loaded during the whole recording? */
static inline int module_stayed(const struct module *module)
{
	return !module->from && !~module->to;
}

/* Extract the module's functions of @all, to be freed */
void kallsyms_of_module(struct kallsyms *k, const struct kallsyms *all,
			const struct module *module);

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

/* Write the functions that contain the addresses; returns 0 or -1 */
int ksyms_write(struct data_writer *file, const struct addresses *set, struct modules *modules);

#endif /* KNC_CTL_RECORD_KERNEL_H */
