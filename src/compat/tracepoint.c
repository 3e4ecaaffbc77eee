// SPDX-License-Identifier: GPL-2.0
/*
 * Find tracepoints by name; register and unregister probes
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat/tracepoint.h"

#if KNC_COMPAT_MPSS
bool knc_compat_has_tracepoint(const char *name)
{
	return true;
}

static int knc_compat_probe(const char *name, void *probe)
{
	return tracepoint_probe_register(name, probe, NULL);
}

static void knc_compat_unprobe(const char *name, void *probe)
{
	tracepoint_probe_unregister(name, probe, NULL);
}
#else
struct knc_compat_search {
	const char *name;
	struct tracepoint *found;
};

static void knc_compat_compare(struct tracepoint *tp, void *arg)
{
	struct knc_compat_search *search = arg;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/* Tracepoints are not exported, but a module can iterate over them. */
static struct tracepoint *knc_compat_tracepoint(const char *name)
{
	struct knc_compat_search search = { .name = name };

	for_each_kernel_tracepoint(knc_compat_compare, &search);
	return search.found;
}

bool knc_compat_has_tracepoint(const char *name)
{
	return knc_compat_tracepoint(name);
}

static int knc_compat_probe(const char *name, void *probe)
{
	struct tracepoint *tp = knc_compat_tracepoint(name);

	return tp ? tracepoint_probe_register(tp, probe, NULL) : -ENOENT;
}

static void knc_compat_unprobe(const char *name, void *probe)
{
	tracepoint_probe_unregister(knc_compat_tracepoint(name), probe, NULL);
}
#endif

/**
 * knc_compat_unprobe_all() - unregister probes
 * @probes: the probes
 * @nr: how many of them
 *
 * Probes may still be running on return: see knc_compat_unprobe_wait().
 */
void knc_compat_unprobe_all(const struct knc_compat_probe *probes, unsigned int nr)
{
	while (nr--)
		knc_compat_unprobe(probes[nr].name, probes[nr].probe);
}

/* No unregistered probe runs any more on return. Takes a grace period of RCU. */
void knc_compat_unprobe_wait(void)
{
	tracepoint_synchronize_unregister();
}

/**
 * knc_compat_probe_all() - register probes
 * @probes: the probes
 * @nr: how many of them
 *
 * Return: 0, or a negative errno, and then none is registered; -ENOENT: this kernel lacks a
 * tracepoint.
 */
int knc_compat_probe_all(const struct knc_compat_probe *probes, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		err = knc_compat_probe(probes[i].name, probes[i].probe);
		if (!err)
			continue;
		knc_compat_unprobe_all(probes, i);
		return err;
	}
	return 0;
}
