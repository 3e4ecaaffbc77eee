// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl grant: run a program that reads the counters itself */
#include "cli/options.h"
#include "stat/events.h"

enum { OPT_SPFLT = OPT_OWN, OPT_USER_PREF };

static const char * const usage[] = {
	"usage: knc-pmuctl grant [OPTIONS] [--] COMMAND [ARGUMENTS]",
	"",
	"Runs COMMAND, a program that reads the counters itself with RDPMC (knc/ring3.h).",
	"It is followed as by stat: the counters have its own counts, on whichever hardware",
	"thread it runs. Only COMMAND and the processes that it forks may execute RDPMC, not",
	"the programs that these execute. At the end the totals are printed. The exit status",
	"is that of COMMAND. MPSS's Linux 2.6.38 tells no module of exec: there COMMAND gets no",
	"RDPMC, and only events that SPFLT gates (--spflt) are counted.",
	"",
	"  -e EVENTS       one or two events, as with stat: EVENT[/COUNTER][:MODIFIERS],...;",
	"                  default: cycles and instructions. The output names the counter of each",
	"  --spflt         count only while the program has switched counting on (SPFLT)",
	"  --user-pref     with --spflt: begin with counting switched on",
	"  --no-inherit    count its first thread only",
	"  --pin CPUS      run COMMAND on these CPUs only; or cores (one hardware thread of each",
	"                  core), compact[:N] (N threads, core after core), scatter[:N] (N",
	"                  threads, spread over all cores)",
	"  -x SEP          print CSV for programs, with separator SEP (knc-pmuctl-stat(1))",
	"  --json          print JSON for programs (schema knc-pmuctl-stat/1)",
	"  -o FILE         write the counts to FILE instead of standard error",
	"",
	"User mode needs no privilege, kernel mode needs CAP_PERFMON. Without it, events with",
	"neither modifier u nor k count user mode only, and the output shows u.",
	NULL
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "spflt", no_argument, NULL, OPT_SPFLT },
	{ "user-pref", no_argument, NULL, OPT_USER_PREF },
	{ "no-inherit", no_argument, NULL, OPT_NO_INHERIT },
	{ "pin", required_argument, NULL, OPT_PIN },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/**
 * struct grant_opts - the command line
 * @stat: options that stat has too
 * @spflt: SPFLT gates all events
 */
struct grant_opts {
	struct stat_opts stat;
	int spflt;
};

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct grant_opts *opts = ctx;

	switch (opt) {
	case OPT_SPFLT:
		opts->spflt = 1;
		return 0;
	case OPT_USER_PREF:
		opts->stat.config |= KNC_PMU_CONFIG_USER_PREF;
		return 0;
	}
	return take_common_option(cmd, &opts->stat, opt, arg);
}

/* Is any event gated by SPFLT? With --spflt, make all events so. */
static int gate_events(struct grant_opts *opts)
{
	struct kncpmu_item *item = opts->stat.items;
	struct kncpmu_item *end = item + opts->stat.nr_items;
	int gated = 0;

	for (; item < end; item++) {
		if (opts->spflt && !(item->event.flags & KNC_PMU_EVENT_SPFLT))
			add_modifier(item, 's');
		gated |= item->event.flags & KNC_PMU_EVENT_SPFLT;
	}
	return gated;
}

/* A kernel that tells the module of no exec: COMMAND's permission would end as it begins */
static int loses_permission(void)
{
	struct knc_pmu_info info;
	int fd = kncpmu_open(NULL), ret = fd < 0 ? fd : kncpmu_info(fd, &info);

	kncpmu_close(fd);
	/* without a device the session fails, and says why */
	return !ret && !(info.features & KNC_PMU_FEATURE_ON_EXEC);
}

/* What SPFLT gates needs no RDPMC: its totals are right on every kernel */
static int ask_permission(struct stat_opts *stat, int gated)
{
	if (!loses_permission()) {
		stat->config |= KNC_PMU_CONFIG_RDPMC;
		return 0;
	}
	if (!gated)
		return complain("this kernel tells no module of exec, and " PROGRAM
				" can't give COMMAND permission for RDPMC: let the program open the session itself (knc_self_open()), gate the events by SPFLT (--spflt), or count all of it: %s stat",
				PROGRAM);
	complain("%s",
		 "this kernel tells no module of exec: COMMAND has no permission for RDPMC, and its own readings stay 0; the totals are right");
	return 0;
}

static int complete(const struct command *cmd, struct grant_opts *opts, char **command)
{
	struct stat_opts *stat = &opts->stat;
	int gated;

	if (!*command)
		return usage_error(cmd,
				   "no command to run: grant is for a program that reads the counters; for instance: %s grant -- ./a.out",
				   PROGRAM);
	stat->command = command;
	if (stat->json && stat->separator)
		return usage_error(cmd, "-x and --json exclude each other: choose one");
	if (stat->level)
		return usage_error(cmd, "%s is a level, which no counter has: name events",
				   stat->level->name);
	if (stat->nr_items > KNC_NR_COUNTERS)
		return usage_error(cmd,
				   "%u events, and a program can be granted %d, one a counter: name fewer",
				   stat->nr_items, KNC_NR_COUNTERS);
	if (default_events(cmd, stat))
		return CTL_USAGE;
	gated = gate_events(opts);
	if (!gated && stat->config & KNC_PMU_CONFIG_USER_PREF)
		return usage_error(cmd,
				   "--user-pref is for events that SPFLT gates: add --spflt, or modifier s");
	return ask_permission(stat, gated);
}

static int run_grant(const struct command *cmd, int argc, char **argv)
{
	static struct grant_opts opts = { .stat = NO_STAT_OPTS };
	int status;

	if (parse_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	status = complete(cmd, &opts, argv + optind);
	return status ? status : count_and_print(&opts.stat);
}

const struct command grant_command = {
	.name = "grant",
	.summary = "run a program that reads the counters itself (RDPMC, SPFLT)",
	.usage = usage,
	.wraps = 1,
	.longs = options,
	.run = run_grant,
};
