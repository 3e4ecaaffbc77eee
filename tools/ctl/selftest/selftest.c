// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl selftest: prove that this card counts, and measure what nobody has published */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/event.h"
#include "cli/options.h"
#include "selftest/journal.h"

enum { OPT_RESTART = OPT_OWN, OPT_LIST };

/**
 * struct selftest_opts - the command line
 * @cpus: the hardware thread
 * @given: -C was given
 * @output: the report
 * @restart: forget an earlier run
 * @list: only print the checks
 */
struct selftest_opts {
	struct kncpmu_cpus cpus;
	int given;
	const char *output;
	int restart;
	int list;
};

static const char * const usage[] = {
	"usage: knc-pmuctl selftest [-C CPU] [-o FILE] [--restart]",
	"       knc-pmuctl selftest --list",
	"",
	"Proves that the counters of this card count: code of known length on each counter and in",
	"each ring, widths, SPFLT, RDPMC, the threads of a core, each event, overflow interrupts.",
	"Measures what they cost. Prints KTAP, and writes a report to be sent in. Needs",
	"CAP_PERFMON, and a machine on which little else runs. Checks that may stop the machine",
	"come last; if one does, the same command goes on after it.",
	"",
	"  -C CPU          this hardware thread (default: the first one of the second core)",
	"  -o FILE         the report (default: knc-selftest.json); FILE.part is there until",
	"                  all checks have run",
	"  --restart       run all checks, even if an earlier run was cut off",
	"  --list          print the checks in their order, and run none",
	NULL
};

static const struct option options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "output", required_argument, NULL, 'o' },
	{ "restart", no_argument, NULL, OPT_RESTART },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int take_option(const struct command *cmd, void *ctx, int opt, const char *arg)
{
	struct selftest_opts *opts = ctx;
	const struct option_field fields[] = {
		{ 'o', NULL, &opts->output },
		{ OPT_RESTART, &opts->restart, NULL },
		{ OPT_LIST, &opts->list, NULL },
	};

	if (take_field(fields, ARRAY_SIZE(fields), opt, arg))
		return 0;
	return take_cpus(cmd, opt, arg, &opts->cpus, &opts->given);
}

static int list_checks(void)
{
	unsigned int i, nr;
	const struct check *checks = all_checks(&nr);

	for (i = 0; i < nr; i++)
		printf("%-16s%s\n", checks[i].name, checks[i].title);
	return CTL_OK;
}

/* The first thread of the second core: the first one has the kernel's own work. Else any */
static unsigned int default_cpu(const struct kncpmu_topology *t)
{
	unsigned int i, boot = kncpmu_topology_core(t, 0);

	for (i = 0; i < t->nr_cores; i++) {
		if (i != boot)
			return first_cpu(&t->cores[i].cpus);
	}
	i = next_cpu(&t->online, 0);
	return i < KNC_PMU_MAX_CPUS ? i : first_cpu(&t->online);
}

/* Another thread of the core of @cpu that is online */
static unsigned int sibling_of(const struct kncpmu_topology *t, unsigned int cpu)
{
	int core = kncpmu_topology_core(t, cpu);
	unsigned int other;

	if (core < 0)
		return NO_CPU;
	for (other = first_cpu(&t->cores[core].cpus); other < KNC_PMU_MAX_CPUS;
	     other = next_cpu(&t->cores[core].cpus, other)) {
		if (other != cpu && kncpmu_cpus_test(&t->online, other))
			return other;
	}
	return NO_CPU;
}

/* What is checked; returns 0 or an exit status */
static int find_card(struct selftest *t, const struct selftest_opts *opts)
{
	struct knc_pmu_reg reg;
	int ret, fd;

	fd = kncpmu_open(NULL);
	if (fd < 0)
		return explain_op(KNCPMU_OP_OPEN, fd, 0);
	ret = kncpmu_pmus(fd, &t->pmu, 1);
	if (ret >= 0)
		ret = kncpmu_regs(fd, 0, &reg, 1);
	kncpmu_close(fd);
	if (ret < 0)
		return explain_op(KNCPMU_OP_REGS, ret, 0);
	if (is_host())
		return complain("this is no Knights Corner: its counters have other checks, "
				"doctor and stat; run selftest on the card");
	kncpmu_card_read(&t->card);
	if (read_topology(&t->topology))
		return CTL_FAILED;
	t->cpu = opts->given ? first_cpu(&opts->cpus) : default_cpu(&t->topology);
	t->sibling = sibling_of(&t->topology, t->cpu);
	return 0;
}

static int run_selftest(const struct command *cmd, int argc, char **argv)
{
	struct selftest_opts opts = { .output = "knc-selftest.json" };
	struct selftest t = { .cpu = 0 };
	struct journal *journal;
	unsigned int failures;
	char *part;
	int status;

	if (parse_only_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	if (opts.list)
		return list_checks();
	if (opts.given && kncpmu_cpus_count(&opts.cpus) != 1)
		return usage_error(cmd, "selftest checks one hardware thread: -C CPU");
	if (find_card(&t, &opts))
		return CTL_FAILED;
	t.checks = all_checks(&t.nr_checks);
	t.outcomes = xalloc(t.nr_checks, sizeof(*t.outcomes));
	part = xalloc(1, strlen(opts.output) + sizeof(".part"));
	sprintf(part, "%s.part", opts.output);
	print_ktap_head(&t);
	journal = journal_open(&t, part, opts.restart);
	free(part);
	failures = run_checks(&t, journal);
	status = write_report(&t, opts.output);
	if (status)
		return status;
	journal_remove(journal);
	printf("# %u of %u checks failed; the report to be sent in is %s\n", failures, t.nr_checks,
	       opts.output);
	return failures ? CTL_FAILED : CTL_OK;
}

const struct command selftest_command = {
	.name = "selftest",
	.summary = "prove that this card counts, and measure its costs",
	.usage = usage,
	.longs = options,
	.run = run_selftest,
};
