// SPDX-License-Identifier: GPL-2.0
/* How a check reports its result: KTAP on the terminal, and the report to be sent in */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <kernel-file.h>
#include <sets.h>

#include "cli/far.h"
#include "cli/print.h"
#include "selftest/selftest.h"

static void set_result(struct selftest *t, enum check_result result, const char *fmt, va_list args)
{
	if (t->now->result != CHECK_PASSED)
		return;
	t->now->result = result;
	vsnprintf(t->now->why, sizeof(t->now->why), fmt, args);
}

void fail(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_result(t, CHECK_FAILED, fmt, args);
	va_end(args);
}

void skip(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_result(t, CHECK_SKIPPED, fmt, args);
	va_end(args);
}

const struct outcome *outcome_of(const struct selftest *t, const char *name)
{
	unsigned int i;

	for (i = 0; i < t->nr_checks; i++) {
		if (!strcmp(t->checks[i].name, name))
			return &t->outcomes[i];
	}
	return NULL;
}

int has_failed(const struct selftest *t)
{
	return t->now->result != CHECK_PASSED;
}

void measured_json(struct selftest *t, const char *key, json_t *value)
{
	json_object_set_new(t->now->measured, key, value);
}

void measured(struct selftest *t, const char *key, __u64 value)
{
	measured_json(t, key, json_integer((json_int_t)value));
}

void measured_real(struct selftest *t, const char *key, double value)
{
	measured_json(t, key, json_real(value));
}

const char *result_name(enum check_result result)
{
	static const char * const names[] = { "passed", "failed", "skipped" };

	return names[result];
}

void print_ktap_head(const struct selftest *t)
{
	struct utsname name;

	uname(&name);
	printf("KTAP version 1\n1..%u\n", t->nr_checks);
	printf("# %s card, Linux %s, %u cores; counters of CPU %u\n",
	       t->card.emulated ? "emulated" : "Knights Corner", name.release,
	       t->topology.nr_cores, t->cpu);
	fflush(stdout);
}

void print_outcome(const struct check *check, unsigned int number, const struct outcome *outcome)
{
	printf("%s %u %s%s%s\n", outcome->result == CHECK_FAILED ? "not ok" : "ok", number,
	       check->name, outcome->result == CHECK_SKIPPED ? " # SKIP " : "",
	       outcome->result == CHECK_SKIPPED ? outcome->why : "");
	if (outcome->result == CHECK_FAILED)
		printf("# %s: %s\n", check->title, outcome->why);
	fflush(stdout);
}

static json_t *line_json(const char *path)
{
	char line[256];

	return kncpmu_read_line(path, line, sizeof(line)) ? json_null() : text_json(line);
}

/* The value of a line "KEY : VALUE" of the first CPU in /proc/cpuinfo */
static json_t *cpuinfo_json(const char *key)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512], *value;
	json_t *found = NULL;

	while (f && !found && fgets(line, sizeof(line), f)) {
		value = strchr(line, ':');
		if (strncmp(line, key, strlen(key)) || !value ||
		    strspn(line + strlen(key), " \t") != (size_t)(value - line) - strlen(key))
			continue;
		value[strcspn(value, "\n")] = '\0';
		found = text_json(value + 1 + strspn(value + 1, " "));
	}
	if (f)
		fclose(f);
	return found ? found : json_null();
}

json_t *identity_json(const struct selftest *t)
{
	static const char parameters[] = "/sys/module/knc_pmu/parameters/";
	struct utsname name;
	char path[128];

	uname(&name);
	snprintf(path, sizeof(path), "%spmi", parameters);
	return json_pack("{s:{s:s, s:s, s:s}, s:{s:o, s:o, s:o, s:o, s:b, s:i, s:i, s:i}, "
			 "s:{s:o, s:o, s:o, s:s}, s:i}",
			 "kernel", "release", name.release, "version", name.version, "machine",
			 name.machine,
			 "card", "family", cpuinfo_json("cpu family"),
			 "model", cpuinfo_json("model"),
			 "stepping", cpuinfo_json("stepping"), "name", cpuinfo_json("model name"),
			 "emulated", t->card.emulated, "cores", (int)t->topology.nr_cores,
			 "threads", (int)kncpmu_cpus_count(&t->topology.online),
			 "tsc_khz", (int)t->card.tsc_khz,
			 "module", "version", line_json("/sys/module/knc_pmu/version"),
			 "srcversion", line_json("/sys/module/knc_pmu/srcversion"),
			 "pmi", line_json(path), "tool", kncpmu_version(),
			 "cpu", (int)t->cpu);
}

static json_t *check_json(const struct check *check, const struct outcome *outcome)
{
	return json_pack("{s:s, s:s, s:s, s:s?, s:f, "
			 "s:o}", "name", check->name,
			 "title", check->title,
			 "result", result_name(outcome->result),
			 "why", outcome->result == CHECK_PASSED ? NULL : outcome->why,
			 "seconds", outcome->seconds, "measured", json_incref(outcome->measured));
}

int write_report(const struct selftest *t, const char *path)
{
	json_t *report = json_object(), *list = json_array();
	FILE *f = far_side() ? fdopen(far_output(), "w") : fopen(path, "we");
	unsigned int i;

	if (!f)
		return cant_write(path, errno, "-o");
	json_object_set_new(report, "selftest", json_integer(1));
	json_object_set_new(report, "machine", identity_json(t));
	for (i = 0; i < t->nr_checks; i++)
		json_array_append_new(list, check_json(&t->checks[i], &t->outcomes[i]));
	json_object_set_new(report, "checks", list);
	if (print_json(f, report, JSON_INDENT(1))) {
		fclose(f);
		return CTL_FAILED;
	}
	if (far_side())
		far_keep();
	return close_output(f, path);
}
