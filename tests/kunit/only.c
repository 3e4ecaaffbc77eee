// SPDX-License-Identifier: GPL-2.0
/*
 * Chooses the tests. Load it before knc_pmu_test.ko: insmod knc_test_only.ko [seed=N]
 * [only=SUITE.CASE | only=SUITE]
 *
 * Before Linux 6.6 KUnit has no filter for a module's suites, and runs them before it reads the
 * module's parameters. Therefore this module removes all other suites first.
 */
#include <kunit/test.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "seed.h"

static char *only = "";
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "SUITE.CASE: this case alone; SUITE: this suite");

/* A parameter of this module, because those of the test module are read too late. */
unsigned int knc_test_seed;
EXPORT_SYMBOL_GPL(knc_test_seed);
module_param_named(seed, knc_test_seed, uint, 0444);
MODULE_PARM_DESC(seed, "other random numbers than those of 0");

/* A list of the chosen case, and the empty element that ends it */
static struct kunit_case only_cases[2];

static bool only_find(struct kunit_suite *suite)
{
	size_t len = strlen(suite->name);
	const struct kunit_case *c;

	if (strncmp(only, suite->name, len))
		return false;
	if (!only[len])
		return true;
	if (only[len] != '.')
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

/* Remove all other suites and cases; an unknown case leaves none. */
static void only_leave(struct module *mod)
{
	unsigned int i;

	for (i = 0; i < mod->num_kunit_suites; i++) {
		if (!only_find(mod->kunit_suites[i]))
			continue;
		mod->kunit_suites[0] = mod->kunit_suites[i];
		mod->num_kunit_suites = 1;
		return;
	}
	mod->num_kunit_suites = 0;
}

static int only_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (*only && state == MODULE_STATE_COMING && !strcmp(mod->name, "knc_pmu_test"))
		only_leave(mod);
	return NOTIFY_OK;
}

/* runs before KUnit's own notifier */
static struct notifier_block only_nb = {
	.notifier_call = only_notify,
	.priority = INT_MAX,
};

static int __init only_init(void)
{
	return register_module_notifier(&only_nb);
}

static void __exit only_exit(void)
{
	unregister_module_notifier(&only_nb);
}

module_init(only_init);
module_exit(only_exit);

MODULE_DESCRIPTION("Which KUnit cases of knc_pmu_test run, and their random numbers");
MODULE_LICENSE("GPL");
