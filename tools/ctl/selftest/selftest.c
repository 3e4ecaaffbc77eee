// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl selftest: proves that this card counts, and measures what nobody has published */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/event.h"
#include "cli/far.h"
#include "cli/options.h"
#include "cli/pmu.h"
#include "selftest/journal.h"

#define DEFAULT_REPORT	"knc-selftest.json"

/**
 * struct selftest_opts - the command line
 * @cpus: the hardware thread
 * @given: -C was given
 * @output: the report
 * @restart: forget an earlier run
 * @list: only print the checks
 */
static struct selftest_opts {
	struct kncpmu_cpus cpus;
	int given;
	const char *output;
	int restart;
	int list;
} want = { .output = DEFAULT_REPORT };

static const char * const usage[] = {
	"usage: knc-pmuctl selftest [-C CPU] [-o FILE] [--restart]",
	"       knc-pmuctl selftest --list",
	"",
	"Proves that the counters of this card count: code of known length on each counter and in",
	"each ring, widths, SPFLT, RDPMC, the threads of a core, each event, overflow interrupts.",
	"Measures what they cost. Prints KTAP, and writes a report to be sent in. Needs",
	"CAP_PERFMON, and a machine on which little else runs. Checks that may stop the machine",
	"come last; if one does, the same command goes on after it.",
	NULL
};

static const struct opt options[] = {
	{ 'C', "cpu", "CPU", CPUS(&want.cpus, &want.given),
	  "this hardware thread (default: the first one of the second core)" },
	{ 'o', "output", "FILE", TEXT(&want.output),
	  "the report (default: knc-selftest.json); FILE.part is there until all checks have run" },
	{ 0, "restart", NULL, FLAG(&want.restart),
	  "run all checks, even if an earlier run was cut off" },
	{ 0, "list", NULL, FLAG(&want.list), "print the checks in their order, and run none" },
	END_OF_OPTIONS
};

static int list_checks(void)
{
	unsigned int i, nr;
	const struct check *checks = all_checks(&nr);

	for (i = 0; i < nr; i++)
		printf("%-16s%s\n", checks[i].name, checks[i].title);
	return CTL_OK;
}

/* A thread of the second core, because the kernel's own work is on the first; else any thread */
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

/* Find the card and the hardware thread to be checked; returns 0 or an exit status */
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
	if (is_host(own_pmu()))
		return complain("this is no Knights Corner: its counters have other checks, "
				"doctor and stat; run selftest on the card");
	kncpmu_card_read(own_pmu(), &t->card);
	if (read_topology(&t->topology))
		return CTL_FAILED;
	t->cpu = opts->given ? first_cpu(&opts->cpus) : default_cpu(&t->topology);
	t->sibling = sibling_of(&t->topology, t->cpu);
	return 0;
}

static int run_selftest(const struct command *cmd, int argc, char **argv)
{
	struct selftest t = { .cpu = 0 };
	struct journal *journal;
	unsigned int failures;
	const char *output;
	char *part;
	int status;

	if (want.list)
		return list_checks();
	if (want.given && kncpmu_cpus_count(&want.cpus) != 1)
		return usage_error(cmd, "selftest checks one hardware thread: -C CPU");
	if (find_card(&t, &want))
		return CTL_FAILED;
	t.checks = all_checks(&t.nr_checks);
	t.outcomes = xalloc(t.nr_checks, sizeof(*t.outcomes));
	/* the journal stays on the card, even if the report goes to another machine */
	output = far_side() ? base_name(want.output) : want.output;
	part = xalloc(1, strlen(output) + sizeof(".part"));
	sprintf(part, "%s.part", output);
	print_ktap_head(&t);
	journal = journal_open(&t, part, want.restart);
	free(part);
	failures = run_checks(&t, journal);
	status = write_report(&t, want.output);
	if (status)
		return status;
	journal_remove(journal);
	printf("# %u of %u checks failed; the report to be sent in is %s\n", failures, t.nr_checks,
	       want.output);
	return failures ? CTL_FAILED : CTL_OK;
}

const struct command selftest_command = {
	.name = "selftest",
	.summary = "prove that this card counts, and measure its costs",
	.usage = usage,
	.options = options,
	.far = 1,
	.output = DEFAULT_REPORT,
	.run = run_selftest,
};
