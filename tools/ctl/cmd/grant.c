// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl grant: run a program that reads the counters itself */
#include "cli/options.h"
#include "cli/pin.h"
#include "stat/events.h"

static const char * const usage[] = {
	"usage: knc-pmuctl grant [OPTIONS] [--] COMMAND [ARGUMENTS]",
	"",
	"Runs COMMAND, a program that reads the counters itself with RDPMC (knc/ring3.h).",
	"It is followed as by stat: the counters have its own counts, on whichever hardware",
	"thread it runs. Only COMMAND and the processes that it forks may execute RDPMC, not",
	"the programs that these execute. At the end the totals are printed. The exit status",
	"is that of COMMAND. MPSS's Linux 2.6.38 tells no module of exec: there COMMAND gets no",
	"RDPMC, and only events that SPFLT gates (--spflt) are counted.",
	NULL
};

static const char * const notes[] = {
	"User mode needs no privilege, kernel mode needs CAP_PERFMON. Without it, events with",
	"neither modifier u nor k count user mode only, and the output shows u.",
	NULL
};

/**
 * struct grant_opts - the command line
 * @stat: options that stat has too
 * @spflt: SPFLT gates all events
 * @user_pref: counting is on at the start
 */
static struct grant_opts {
	struct stat_opts stat;
	int spflt;
	int user_pref;
} want = { .stat = NO_STAT_OPTS };

static const struct opt options[] = {
	{ 'e', "event", "EVENTS", CALL(take_stat_events, &want.stat),
	  "one or two events, as with stat: EVENT[/COUNTER][:MODIFIERS],...; default: cycles and "
	  "instructions. The output names the counter of each" },
	{ 0, "spflt", NULL, FLAG(&want.spflt),
	  "count only while the program has switched counting on (SPFLT)" },
	{ 0, "user-pref", NULL, FLAG(&want.user_pref),
	  "with --spflt: begin with counting switched on" },
	{ 0, "no-inherit", NULL, FLAG(&want.stat.no_inherit), "count its first thread only" },
	PIN_OPTION(&want.stat.pin, &want.stat.have_pin),
	CSV_OPTION(&want.stat.separator),
	JSON_OPTION(&want.stat.json, "stat"),
	{ 'o', "output", "FILE", OUTPUT(&want.stat.output),
	  "write the counts to FILE instead of standard error; %r, %h, %p and %% as with stat" },
	END_OF_OPTIONS
};

/* Is any event gated by SPFLT? With --spflt gate all events. */
static int gate_events(struct grant_opts *opts)
{
	struct kncpmu_item *item = opts->stat.items;
	struct kncpmu_item *end = item + opts->stat.nr_items;
	int gated = 0;

	for (; item < end; item++) {
		if (opts->spflt && !(item->event.flags & KNC_PMU_EVENT_SPFLT))
			add_modifier(stat_pmu(&opts->stat), item, 's');
		gated |= item->event.flags & KNC_PMU_EVENT_SPFLT;
	}
	return gated;
}

/* Without ON_EXEC the module does not notice the exec, which ends COMMAND's permission */
static int loses_permission(void)
{
	struct knc_pmu_info info;
	int fd = kncpmu_open(NULL), ret = fd < 0 ? fd : kncpmu_info(fd, &info);

	kncpmu_close(fd);
	/* without a device return 0: opening the session fails later, with a message */
	return !ret && !(info.features & KNC_PMU_FEATURE_ON_EXEC);
}

/* Gated events need no permission for RDPMC, and their totals are right on every kernel */
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
	stat->config = opts->user_pref ? KNC_PMU_CONFIG_USER_PREF : 0;
	if (!gated && opts->user_pref)
		return usage_error(cmd,
				   "--user-pref is for events that SPFLT gates: add --spflt, or modifier s");
	return ask_permission(stat, gated);
}

static int run_grant(const struct command *cmd, int argc, char **argv)
{
	int status = complete(cmd, &want, argv);

	return status ? status : count_and_print(&want.stat);
}

const struct command grant_command = {
	.name = "grant",
	.summary = "run a program that reads the counters itself (RDPMC, SPFLT)",
	.usage = usage,
	.wraps = 1,
	.options = options,
	.notes = notes,
	.operands = 1,
	.far = 1,
	.run = run_grant,
};
