/* SPDX-License-Identifier: GPL-2.0 */
/* What the subcommands of knc-pmuctl share */
#ifndef KNC_CTL_H
#define KNC_CTL_H

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>

#include <kncpmu.h>

#ifndef __printf
#define __printf(a, b)	__attribute((format(printf, a, b)))
#endif

#define PROGRAM		"knc-pmuctl"
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* exit statuses; stat, grant and record return that of their command besides */
#define CTL_OK		0
#define CTL_FAILED	1	/* refused or failed */
#define CTL_USAGE	2	/* the command line makes no sense */
#define CTL_NOEXEC	126	/* stat: the command can't be executed */
#define CTL_NOCOMMAND	127	/* stat: there is no such command */
#define CTL_SIGNAL	128	/* stat: + the signal that killed the command */

/* names of long options without a letter */
enum ctl_option {
	OPT_JSON = 256,
	OPT_UNIT,
	OPT_RAW,
	OPT_PIN,
	OPT_PER_CPU,
	OPT_TBS,
	OPT_RING_SIZE,
	OPT_MAX_FRAMES,
	OPT_NO_INHERIT,
	OPT_PASSES,
	OPT_SPFLT,
	OPT_USER_PREF,
	OPT_TOPOLOGY
};

/**
 * struct command - a subcommand
 * @name: its name
 * @summary: half a line for the list of commands
 * @usage: the help text, lines, ends with NULL
 * @shorts: short options as getopt() wants them
 * @longs: long options as getopt_long() wants them
 * @run: does it; returns the exit status
 */
struct command {
	const char *name;
	const char *summary;
	const char * const *usage;
	const char *shorts;
	const struct option *longs;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

extern const struct command info_command;
extern const struct command list_command;
extern const struct command stat_command;
extern const struct command grant_command;
extern const struct command record_command;
extern const struct command report_command;
extern const struct command script_command;
extern const struct command timeline_command;
extern const struct command regs_command;
extern const struct command reset_command;
extern const struct command stats_command;
extern const struct command top_command;
extern const struct command help_command;

/* Takes one option; returns 0 or an exit status, the message being out */
typedef int (*option_fn)(const struct command *cmd, void *ctx, int opt,
			 const char *arg);

/*
 * Hand every option to @take. Returns 0 with optind at the first operand, or
 * 1 with an exit status in *@status: something was wrong, or --help was asked.
 */
int parse_options(const struct command *cmd, int argc, char **argv,
		  option_fn take, void *ctx, int *status);

/* The same for commands that have no operands: any is an error */
int parse_only_options(const struct command *cmd, int argc, char **argv,
		       option_fn take, void *ctx, int *status);

void print_usage(const struct command *cmd);

/* One line to stderr; the exit status that goes with it is returned */
__printf(1, 2)
int complain(const char *fmt, ...);
__printf(2, 3)
int usage_error(const struct command *cmd, const char *fmt, ...);
int explain(const struct kncpmu_failure *failure);
int explain_op(enum kncpmu_op op, int error, unsigned int cpu);

/* "-C" or "-a", which may be there once: @given says whether it was */
int take_cpus(const struct command *cmd, int opt, const char *arg,
	      struct kncpmu_cpus *cpus, int *given);

/* A list of CPUs */
int parse_cpus(const struct command *cmd, const char *text,
	       struct kncpmu_cpus *cpus);

/* strings.c */

/*
 * The one copy of a text, for good, as kncpmu_clean() has it. Names of threads, files and
 * symbols, words of the command line and texts of data files come from somebody else, and
 * are printed only in this form; complain() and usage_error() do it themselves.
 */
const char *intern(const char *text, size_t size);
const char *intern_text(const char *text);
__printf(1, 2)
const char *intern_format(const char *fmt, ...);
void intern_free(void);

/* Characters, not bytes, of a text; bytes of the first @n of them */
unsigned int text_width(const char *text);
size_t text_prefix(const char *text, size_t n);

/* @text, clean, as JSON */
json_t *text_json(const char *text);

/*
 * json_loadb() with all its texts clean, keys too. @blanks: for prose and formulas, in which
 * tabs and newlines are blanks
 */
json_t *load_json(const char *text, size_t size, size_t flags, int blanks, json_error_t *err);

/* A session, or -1 and the message is out */
int open_device(void);

/* What @work returns with a session, or CTL_FAILED */
int with_device(int (*work)(int fd, void *ctx), void *ctx);

/* kncpmu_config() that says what is wrong */
int configure(int fd, const struct kncpmu_cpus *cpus,
	      struct knc_pmu_event *events, unsigned int nr);

/* 1 and in @owner who has a counter of @cpu; 0: no session; a negative errno */
int cpu_owner(int fd, unsigned int cpu, struct knc_pmu_owner *owner);

/* All CPUs online; complains if that can't be found out */
int online_cpus(struct kncpmu_cpus *cpus);

/* What follows "CPU" before a list of them */
static inline const char *plural(const struct kncpmu_cpus *cpus)
{
	return kncpmu_cpus_count(cpus) == 1 ? "" : "s";
}

/* The same behind the name of what there are @n of */
static inline const char *plural_of(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

/* Bytes for CPUs as a list in a message */
#define CPUS_TEXT	256

/* what a count is worth, the better first */
enum worth {
	WORTH_EXACT,
	WORTH_ESTIMATE,		/* scaled: its event took turns */
	/* and that says little: from few turns, or at another speed in each */
	WORTH_ROUGH
};

/* Fewer turns make a rough estimate */
#define MIN_TURNS	20

/*
 * Turns of an event that was counted for so many ns. The module does not tell how many
 * there were; each is KNC_TURN_MS of src/count/set.h long.
 */
#define TURNS(ns)	((ns) / 4000000)

/* What the counts of an event are worth that took turns and was counted for so many ns */
static inline enum worth worth_of_turns(const struct kncpmu_card *card, unsigned long long ns)
{
	return card->real_time || TURNS(ns) < MIN_TURNS ? WORTH_ROUGH : WORTH_ESTIMATE;
}

/* Columns of the terminal behind @f; 0: it is not one */
unsigned int terminal_width(FILE *f);

/* Words of @text in lines of @width columns, all but the first indented */
void print_wrapped(FILE *f, const char *text, unsigned int indent,
		   unsigned int width);

/* The value and a newline; frees it. Returns an exit status */
int print_json(FILE *f, json_t *value, size_t flags);

/* Words for KNCPMU_SRC_* and for masks of counters */
void sources_text(unsigned int sources, char *text, size_t size);
json_t *sources_json(unsigned int sources);

/* The first CPU of a set, and the one behind @cpu; KNC_PMU_MAX_CPUS: none */
static inline unsigned int first_cpu(const struct kncpmu_cpus *cpus)
{
	return kncpmu_cpus_next(cpus, 0);
}

static inline unsigned int next_cpu(const struct kncpmu_cpus *cpus,
				    unsigned int cpu)
{
	return kncpmu_cpus_next(cpus, cpu + 1);
}

#endif /* KNC_CTL_H */
