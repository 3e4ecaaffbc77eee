// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of PAPI's operations in executed guest instructions: the same work as in cost.c, by
 * PAPI's library, which uses perf's system calls.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* A task's or a hardware thread's events, in user mode or in all modes */
struct scope {
	const char *name;
	int domain;
	const char *events[2];
};

static const struct scope own_task = {
	"task", PAPI_DOM_USER, { "knc::INSTRUCTIONS_EXECUTED", "knc::BRANCHES" },
};

static const struct scope own_thread = {
	"thread", PAPI_DOM_ALL, { "knc::CPU_CLK_UNHALTED", "knc::INSTRUCTIONS_EXECUTED" },
};

static const struct scope *opened;
static int nr_opened;
static int codes[2];
static int set;
static long long counts[2];

static void check(const char *what, int err)
{
	if (err == PAPI_OK)
		return;
	fprintf(stderr, "papi %s: %s\n", what, PAPI_strerror(err));
	exit(1);
}

/* Attach an event set to a hardware thread. */
static void attach(const struct scope *s)
{
	PAPI_option_t option;

	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = s->domain;
	check("PAPI_set_opt domain", PAPI_set_opt(PAPI_DOMAIN, &option));
	if (s == &own_task)
		return;
	memset(&option, 0, sizeof(option));
	option.cpu.eventset = set;
	option.cpu.cpu_num = 0;
	check("PAPI_set_opt cpu", PAPI_set_opt(PAPI_CPU_ATTACH, &option));
}

static long open_set(void)
{
	int i;

	set = PAPI_NULL;
	check("PAPI_create_eventset", PAPI_create_eventset(&set));
	check("PAPI_assign_eventset_component", PAPI_assign_eventset_component(set, 0));
	attach(opened);
	for (i = 0; i < nr_opened; i++)
		check("PAPI_add_event", PAPI_add_event(set, codes[i]));
	return 0;
}

static void close_set(void)
{
	check("PAPI_cleanup_eventset", PAPI_cleanup_eventset(set));
	check("PAPI_destroy_eventset", PAPI_destroy_eventset(&set));
}

static long work_open(void)
{
	open_set();
	close_set();
	return 0;
}

static long work_start_stop(void)
{
	return PAPI_start(set) || PAPI_stop(set, counts);
}

static long work_read(void)
{
	return PAPI_read(set, counts);
}

static void show_scoped(const struct scope *s, const char *row, int nr, long value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", s->name, row);
	show(name, nr, value);
}

static void show_own(const struct scope *s, int nr)
{
	int i;

	opened = s;
	nr_opened = nr;
	for (i = 0; i < nr; i++)
		check(s->events[i], PAPI_event_name_to_code(s->events[i], &codes[i]));
	show_scoped(s, "open.%d", nr, cost_of_few("PAPI_add_event", work_open));
	open_set();
	show_scoped(s, "start-stop.%d", nr, cost("PAPI_start, PAPI_stop", work_start_stop));
	show_scoped(s, "read-stopped.%d", nr, cost("PAPI_read", work_read));
	check("PAPI_start", PAPI_start(set));
	/* PAPI reads by RDPMC */
	show_scoped(s, "ring3.%d", nr, cost("PAPI_read", work_read));
	check("PAPI_stop", PAPI_stop(set, counts));
	if (counts[0] <= 0) {
		fprintf(stderr, "papi %s: it counted nothing\n", s->name);
		exit(1);
	}
	close_set();
}

int main(int argc, char **argv)
{
	const char *part = begin(argc, argv);
	const struct scope *s = strcmp(part, "thread") ? &own_task : &own_thread;
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	if (version != PAPI_VER_CURRENT)
		check("PAPI_library_init", version < 0 ? version : PAPI_EINVAL);
	show_own(s, 1);
	show_own(s, 2);
	return 0;
}
