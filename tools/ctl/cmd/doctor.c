// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl doctor: checks that everything counting needs is in place, and prints fixes */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cmd/doctor-checks.h"

#define VERDICT_COLUMN	14	/* column in which the verdict begins */
#define FOUND_COLUMN	27	/* column in which the finding's text begins */

static int json;

static const char * const usage[] = {
	"usage: knc-pmuctl doctor [--json]",
	"",
	"Checks everything that counting needs: CPU, kernel, hardware threads, module, device",
	"node, group, capabilities, the administrator's switches, who has the counters, power",
	"management and clocks. A line for each check has the verdict (ok, warning, failed, not",
	"checked) and what was found. The line below has the command that fixes it; most of",
	"these commands take root.",
	"",
	"It counts its own instructions for a moment, and changes nothing else. As root it",
	"sees more: the processes of other users that have the counters, and registers.",
	NULL
};

static const struct opt options[] = {
	JSON_OPTION(&json, "doctor"),
	END_OF_OPTIONS
};

static const char * const notes[] = {
	"exit status: 0 nothing failed, there may be warnings; 1 a check failed; 2 wrong usage",
	NULL
};

/* In this order, because some checks depend on earlier ones */
static const struct {
	const char *name;
	check_fn *look;
} checks[] = {
	{ "cpu", check_cpu },
	{ "kernel", check_kernel },
	{ "threads", check_threads },
	{ "module", check_module },
	{ "node", check_node },
	{ "group", check_group },
	{ "rights", check_rights },
	{ "unprivileged", check_unprivileged },
	{ "paranoid", check_paranoid },
	{ "lockdown", check_lockdown },
	{ "rdpmc", check_rdpmc },
	{ "sessions", check_sessions },
	{ "watchdog", check_watchdog },
	{ "perf", check_perf },
	{ "count", check_count },
	{ "pce", check_pce },
	{ "frequency", check_frequency },
	{ "idle", check_idle },
	{ "clock", check_clock },
	{ "tsc", check_tsc },
};

#define NR_CHECKS	ARRAY_SIZE(checks)

static const char * const verdicts[] = {
	[VERDICT_OK] = "ok",
	[VERDICT_UNCHECKED] = "not checked",
	[VERDICT_WARNING] = "warning",
	[VERDICT_FAILED] = "failed",
};

/* Run all checks; returns the worst verdict */
static enum verdict examine(struct finding *findings)
{
	enum verdict worst = VERDICT_OK;
	struct machine m;
	unsigned int i;

	read_machine(&m);
	for (i = 0; i < NR_CHECKS; i++) {
		memset(&findings[i], 0, sizeof(findings[i]));
		checks[i].look(&m, &findings[i]);
		if (findings[i].verdict > worst)
			worst = findings[i].verdict;
	}
	kncpmu_close(m.fd);
	return worst;
}

static void show_finding(const char *name, const struct finding *f)
{
	printf("%-*s%-*s", VERDICT_COLUMN, name, FOUND_COLUMN - VERDICT_COLUMN,
	       verdicts[f->verdict]);
	print_wrapped(stdout, f->found, FOUND_COLUMN, terminal_width(stdout));
	/* not wrapped, so that the command can be copied */
	if (f->command)
		printf("%*s%s\n", FOUND_COLUMN, "", f->command);
}

static void show_findings(const struct finding *findings)
{
	unsigned int i, nr[ARRAY_SIZE(verdicts)] = { 0 }, commands = 0;

	for (i = 0; i < NR_CHECKS; i++) {
		show_finding(checks[i].name, &findings[i]);
		nr[findings[i].verdict]++;
		commands += !!findings[i].command;
	}
	printf("\n%u ok, %u not checked, %u warning%s, %u failed%s\n", nr[VERDICT_OK],
	       nr[VERDICT_UNCHECKED], nr[VERDICT_WARNING], plural_of(nr[VERDICT_WARNING]),
	       nr[VERDICT_FAILED], commands && geteuid() ? "; the commands take root" : "");
}

static json_t *finding_json(const char *name, const struct finding *f)
{
	json_t *object = json_object(), *pids = json_array();
	unsigned int i;

	for (i = 0; i < f->nr_pids; i++)
		json_array_append_new(pids, json_integer(f->pid[i]));
	json_object_set_new(object, "name", json_string(name));
	json_object_set_new(object, "verdict", json_string(verdicts[f->verdict]));
	json_object_set_new(object, "found", json_string(f->found));
	json_object_set_new(object, "command",
			    f->command ? json_string(f->command) : json_null());
	json_object_set_new(object, "pids", pids);
	return object;
}

static json_t *findings_json(const struct finding *findings, enum verdict worst)
{
	json_t *object = json_object(), *array = json_array();
	unsigned int i;

	for (i = 0; i < NR_CHECKS; i++)
		json_array_append_new(array, finding_json(checks[i].name, &findings[i]));
	json_object_set_new(object, "schema", json_string("knc-pmuctl-doctor/1"));
	json_object_set_new(object, "version", json_string(kncpmu_version()));
	json_object_set_new(object, "verdict", json_string(verdicts[worst]));
	json_object_set_new(object, "checks", array);
	return object;
}

static int run_doctor(const struct command *cmd, int argc, char **argv)
{
	struct finding findings[NR_CHECKS];
	int status = CTL_OK;
	enum verdict worst;

	worst = examine(findings);
	if (json)
		status = print_json(stdout, findings_json(findings, worst), JSON_INDENT(1));
	else
		show_findings(findings);
	return worst == VERDICT_FAILED ? CTL_FAILED : status;
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "check that everything counting needs is in place, and print fixes",
	.usage = usage,
	.options = options,
	.notes = notes,
	.far = 1,
	.run = run_doctor,
};
