// SPDX-License-Identifier: GPL-2.0
/*
 * The place of this process in a parallel program, by the environment variables of launchers.
 * Output file names contain it, so that each process writes its own file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/far.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/rank.h"

#define MAX_RANK	0x7ffffffe

/*
 * The first launcher whose variables are set wins: a launcher within a job of Slurm sets its own,
 * while all its processes inherit one SLURM_PROCID, and perhaps PMI_RANK. PMIx has no variable for
 * the number of ranks, but in a job of srun --mpi=pmix Slurm's is right (@jobs: how the names of
 * such jobs begin). knc/ring3-report.h has the same order (tests/host/run compares them). The job
 * identifies one call of mpirun, or one step of Slurm, which srun --mpi=pmi2 has in PMI_JOBID;
 * MPICH's mpiexec has no variable for it.
 */
static const struct launcher {
	const char *rank;
	const char *ranks;
	const char *job;
	const char *step;
	const char *jobs;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", NULL, "" },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL, NULL, "" },
	{ "PMI_RANK", "PMI_SIZE", "PMI_JOBID", NULL, "" },
	{ "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_NAMESPACE", NULL, "slurm.pmix." },
	{ "PMIX_RANK", NULL, "PMIX_NAMESPACE", NULL, "" },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID", "SLURM_STEP_ID", "" },
};

static const char *value_of(const char *variable)
{
	return (variable ? getenv(variable) : NULL) ? : "";
}

/* Is this process of a job of that launcher? */
static int has_set(const struct launcher *from)
{
	return getenv(from->rank) &&
	       !strncmp(value_of(from->job), from->jobs, strlen(from->jobs));
}

void own_rank(struct rank *rank)
{
	const struct launcher *from = launchers, *end = launchers + ARRAY_SIZE(launchers);

	memset(rank, 0, sizeof(*rank));
	while (from < end && !has_set(from))
		from++;
	if (from == end)
		return;
	rank->variable = from->rank;
	rank->text = getenv(from->rank);
	snprintf(rank->job, sizeof(rank->job), "%s%s%s", value_of(from->job),
		 from->step ? "." : "", value_of(from->step));
	if (parse_whole(rank->text, 0, MAX_RANK, &rank->rank))
		return;
	rank->known = 1;
	if (parse_whole(value_of(from->ranks), 1, MAX_RANK, &rank->ranks) ||
	    rank->ranks <= rank->rank)
		rank->ranks = 0;
}

const char *rank_variable(unsigned int i)
{
	static const char * const none = "";

	const struct launcher *from = launchers + i / 4;
	const char *name;

	if (from >= launchers + ARRAY_SIZE(launchers))
		return NULL;
	name = i % 4 == 0 ? from->rank : i % 4 == 1 ? from->ranks : i % 4 == 2 ? from->job :
	       from->step;
	return name ? : none;
}

void own_host(char *name)
{
	struct utsname names;

	snprintf(name, HOST_LEN, "%s", uname(&names) ? "" : names.nodename);
}

static int put_rank(const struct command *cmd, FILE *f, const char *name)
{
	struct rank rank;

	own_rank(&rank);
	if (!rank.variable)
		return usage_error(cmd,
				   "%%r in '%s': this process has no rank; start it by mpirun, mpiexec or srun, which set one of OMPI_COMM_WORLD_RANK, MV2_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK and SLURM_PROCID",
				   name);
	if (!rank.known)
		return usage_error(cmd,
				   "%%r in '%s': %s is '%s', which is no rank: unset it, or set it to a number",
				   name, rank.variable, rank.text);
	fprintf(f, "%u", rank.rank);
	return 0;
}

static int put_host(const struct command *cmd, FILE *f, const char *name)
{
	char host[HOST_LEN];

	own_host(host);
	if (!*host || strchr(host, '/'))
		return usage_error(cmd,
				   "%%h in '%s': the name of this host, '%s', can't be in that of a file: leave out %%h",
				   name, host);
	fputs(host, f);
	return 0;
}

/* Write the text that a letter after % stands for */
static int put_letter(const struct command *cmd, FILE *f, const char *name, char letter)
{
	switch (letter) {
	case 'r':
		return put_rank(cmd, f, name);
	case 'h':
		return put_host(cmd, f, name);
	case 'p':
		fprintf(f, "%d", (int)getpid());
		return 0;
	case '%':
		fputc('%', f);
		return 0;
	}
	return usage_error(cmd,
			   "'%s' has %%%.1s: %%r is the rank, %%h the host, %%p the process id of this program, and %%%% a per cent sign",
			   name, &letter);
}

int take_output(const struct command *cmd, const struct opt *o, const char *arg)
{
	const struct far *far = far_side();
	const char *from;
	char *name = NULL;
	int status = 0;
	size_t size;
	FILE *f;

	/* the user's machine has replaced the %s already */
	if (far && far->output)
		return take_text(cmd, o, far->output);
	f = open_memstream(&name, &size);
	if (!f)
		out_of_memory();
	for (from = arg; *from && !status; from++) {
		if (*from != '%')
			fputc(*from, f);
		else if (from[1])
			status = put_letter(cmd, f, arg, *++from);
		else
			status = put_letter(cmd, f, arg, 0);
	}
	if (fclose(f))
		out_of_memory();
	/* never freed: the options refer to the name */
	return status ? : take_text(cmd, o, name);
}
