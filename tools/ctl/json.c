// SPDX-License-Identifier: GPL-2.0
/* What stat counted, as JSON: an object a line (schema knc-pmuctl-stat/1) */
#include <string.h>

#include "stat.h"

#define SCHEMA	"knc-pmuctl-stat/1"

static json_t *flags_json(unsigned int flags)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} names[] = {
		{ KNC_PMU_THREAD_OFFLINE, "offline" },
		{ KNC_PMU_THREAD_GAP, "gap" },
	};
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (flags & names[i].flag)
			json_array_append_new(array, json_string(names[i].name));
	}
	return array;
}

static json_t *cell_json(const struct report *r, unsigned int item,
			 unsigned int where)
{
	const struct cell *cell = report_cell(r, item, where);
	json_t *object = json_object();
	double cpi;

	if (where)
		json_object_set_new(object, "cpu",
				    json_integer(r->counting->cpu[where - 1]));
	json_object_set_new(object, "value",
			    cell->spread.n ? json_integer(cell->value) : json_null());
	if (cell->spread.n > 1) {
		json_object_set_new(object, "mean", json_real(cell->spread.mean));
		json_object_set_new(object, "stddev",
				    json_real(spread_stddev(&cell->spread)));
		json_object_set_new(object, "min", json_integer(cell->spread.min));
		json_object_set_new(object, "max", json_integer(cell->spread.max));
	}
	json_object_set_new(object, "enabled_ns", json_integer(cell->enabled));
	json_object_set_new(object, "running_ns", json_integer(cell->running));
	json_object_set_new(object, "percent", json_real(report_percent(cell)));
	json_object_set_new(object, "flags", flags_json(cell->flags));
	if (report_cpi(r, item, where, &cpi))
		json_object_set_new(object, "cpi", json_real(cpi));
	return object;
}

static json_t *event_json(const struct report *r, unsigned int item)
{
	const struct kncpmu_item *it = &r->counting->items[item];
	json_t *object = cell_json(r, item, 0), *cpus;
	char code[8];
	unsigned int where;

	snprintf(code, sizeof(code), "r%02x%02x", it->event.umask, it->event.event);
	json_object_set_new(object, "event", json_string(it->name));
	json_object_set_new(object, "raw", json_string(code));
	json_object_set_new(object, "core_wide",
			    json_boolean(kncpmu_event_core_wide(&it->event)));
	if (!r->opts->per_cpu)
		return object;
	cpus = json_array();
	for (where = 1; where <= r->counting->nr_cpus; where++)
		json_array_append_new(cpus, cell_json(r, item, where));
	json_object_set_new(object, "cpus", cpus);
	return object;
}

static json_t *events_json(const struct report *r)
{
	json_t *array = json_array();
	unsigned int item;

	for (item = 0; item < r->counting->nr_items; item++)
		json_array_append_new(array, event_json(r, item));
	return array;
}

static void json_interval(FILE *f, const struct report *r, double time)
{
	print_json(f, json_pack("{s:s, s:s, s:f, s:o}", "schema", SCHEMA,
				"type", "interval", "time", time,
				"events", events_json(r)), JSON_COMPACT);
	fflush(f);
}

static void json_total(FILE *f, const struct report *r, int status)
{
	json_t *command = json_array();
	char cpus[4096];
	char **arg;

	/* file names need not be UTF-8; JSON strings must */
	for (arg = r->opts->command; *arg; arg++)
		json_array_append_new(command, json_string(*arg) ? : json_null());
	kncpmu_cpus_format(&r->opts->cpus, cpus, sizeof(cpus));
	print_json(f, json_pack("{s:s, s:s, s:s, s:o, s:s, s:i, s:o, s:f, s:f, s:f, s:i}",
				"schema", SCHEMA, "type", "total",
				"version", kncpmu_version(), "command", command,
				"cpus", cpus, "runs", (int)r->elapsed.n,
				"events", events_json(r),
				"elapsed_s", r->elapsed.mean, "user_s", r->user.mean,
				"sys_s", r->sys.mean, "exit_status", status),
		   JSON_COMPACT);
}

const struct printer json_printer = {
	.interval = json_interval,
	.total = json_total,
};
