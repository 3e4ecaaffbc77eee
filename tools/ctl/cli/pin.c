// SPDX-License-Identifier: GPL-2.0
/* --pin: CPUs, or a keyword for the order in which cores and their threads are used */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/pin.h"

static const struct {
	const char *name;
	enum kncpmu_order order;
} orders[] = {
	{ "cores", KNCPMU_ORDER_CORES },
	{ "compact", KNCPMU_ORDER_COMPACT },
	{ "scatter", KNCPMU_ORDER_SCATTER },
};

/* The argument of --pin if it was a keyword, for say_pin() */
static const char *word;

/* Index of the keyword in @text, which is "KEYWORD" or "KEYWORD:N"; -1: none */
static int find_order(const char *text)
{
	size_t len = strcspn(text, ":");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (strlen(orders[i].name) == len && !strncmp(orders[i].name, text, len))
			return i;
	}
	return -1;
}

/* N of "WORD:N", or @all */
static int parse_number(const struct command *cmd, const char *text, unsigned int all,
			unsigned int *nr)
{
	const char *number = strchr(text, ':');

	*nr = all;
	if (!number)
		return 0;
	if (parse_whole(number + 1, 1, UINT_MAX, nr))
		return usage_error(cmd,
				   "--pin %s: after ':' a number of hardware threads was expected, 1 or more",
				   text);
	if (*nr > all)
		return complain("--pin %s: only %u hardware threads can be used; give a smaller "
				"number",
				text, all);
	return 0;
}

/*
 * Set a variable that the user has not set; @own: was it set here? @value NULL undoes that, because
 * the last --pin wins.
 */
static void export(const char *name, const char *value, int *own)
{
	if (*own)
		unsetenv(name);
	*own = value && !getenv(name) && !setenv(name, value, 0);
}

static void export_places(const char *places)
{
	static int own_places, own_bind;

	export("OMP_PLACES", places, &own_places);
	export("OMP_PROC_BIND", places ? "true" : NULL, &own_bind);
}

/* Tell OpenMP the order: OMP_PLACES has a place of one CPU for each thread */
static void export_order(const unsigned int *list, unsigned int nr)
{
	size_t len = 0, size = nr * 16 + 1;
	char *places = calloc(1, size);
	unsigned int i;

	if (!places)
		return;
	for (i = 0; i < nr; i++)
		len += snprintf(places + len, size - len, "%s{%u}", i ? "," : "", list[i]);
	export_places(places);
	free(places);
}

static int pin_in_order(const struct command *cmd, const char *text, unsigned int which,
			struct kncpmu_topology *t, struct kncpmu_cpus *cpus)
{
	static unsigned int list[KNC_PMU_MAX_CPUS];
	struct kncpmu_cpus usable;
	unsigned int i, nr;
	int status;

	/* usable CPUs: the command inherits the affinity of this program */
	memset(&usable, 0, sizeof(usable));
	if (sched_getaffinity(0, sizeof(usable), (cpu_set_t *)&usable) < 0)
		usable = t->online;
	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		usable.bits[i] &= t->online.bits[i];
	nr = kncpmu_topology_order(t, orders[which].order, &usable, list);
	status = parse_number(cmd, text, nr, &nr);
	if (status)
		return status;
	memset(cpus, 0, sizeof(*cpus));
	for (i = 0; i < nr; i++)
		kncpmu_cpus_set(cpus, list[i]);
	if (!nr)
		return complain("--pin %s: this program may use none of the CPUs; name some, as "
				"in --pin 0-3",
				text);
	export_order(list, nr);
	return 0;
}

int take_pin(const struct command *cmd, const struct opt *o, const char *arg)
{
	struct kncpmu_cpus *cpus = o->to;
	struct kncpmu_topology t;
	int status, which = find_order(arg);

	if (which < 0 && ((*arg >= 'a' && *arg <= 'z') || (*arg >= 'A' && *arg <= 'Z')))
		return usage_error(cmd,
				   "--pin %s: give cores, compact, scatter or a list of CPUs such as 0-3,8",
				   arg);
	word = NULL;
	export_places(NULL);
	if (which < 0)
		return parse_cpus(cmd, arg, cpus);
	status = read_topology(&t);
	if (status)
		return status;
	word = arg;
	status = pin_in_order(cmd, arg, which, &t, cpus);
	kncpmu_topology_free(&t);
	return status;
}

static unsigned int cores_of(const struct kncpmu_cpus *cpus)
{
	struct kncpmu_topology t;
	struct kncpmu_cpus of;
	unsigned int i, k, nr = 0;

	if (read_topology(&t))
		return 0;
	for (i = 0; i < t.nr_cores; i++) {
		for (k = 0; k < KNCPMU_CPUS_LONGS; k++)
			of.bits[k] = t.cores[i].cpus.bits[k] & cpus->bits[k];
		nr += kncpmu_cpus_count(&of) != 0;
	}
	kncpmu_topology_free(&t);
	return nr;
}

void say_pin(const struct kncpmu_cpus *cpus)
{
	unsigned int nr = kncpmu_cpus_count(cpus), cores;
	char list[CPUS_TEXT];

	if (!word)
		return;
	cores = cores_of(cpus);
	kncpmu_cpus_format(cpus, list, sizeof(list));
	fflush(stdout);
	fprintf(stderr, "%s: --pin %s: CPU%s %s, %u hardware thread%s of %u core%s\n", PROGRAM,
		word, plural(cpus), list, nr, plural_of(nr), cores, plural_of(cores));
}
