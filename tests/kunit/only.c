// SPDX-License-Identifier: GPL-2.0
/*
 * One case alone: insmod knc_pmu_test.ko only=SUITE.CASE
 *
 * KUnit runs the suites of a module after its init function. Before Linux 6.6 it has no
 * filter for those of modules; therefore init leaves it nothing else to run.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static char *only = "";
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "SUITE.CASE: this case alone");

/* It, and the end of the list */
static struct kunit_case only_cases[2];

static bool only_find(struct kunit_suite *suite)
{
	size_t len = strlen(suite->name);
	const struct kunit_case *c;

	if (strncmp(only, suite->name, len) || only[len] != '.')
		return false;
	for (c = suite->test_cases; c->run_case; c++) {
		if (strcmp(c->name, only + len + 1))
			continue;
		only_cases[0] = *c;
		suite->test_cases = only_cases;
		return true;
	}
	return false;
}

static int __init only_init(void)
{
	struct module *me = THIS_MODULE;
	unsigned int i;

	if (!*only)
		return 0;
	for (i = 0; i < me->num_kunit_suites; i++) {
		if (!only_find(me->kunit_suites[i]))
			continue;
		me->kunit_suites[0] = me->kunit_suites[i];
		me->num_kunit_suites = 1;
		return 0;
	}
	return -ENOENT;
}

static void __exit only_exit(void)
{
}

module_init(only_init);
module_exit(only_exit);
