// SPDX-License-Identifier: GPL-2.0
/* info --topology: the cores and their hardware threads */
#include <stdio.h>

#include "cli/cpus.h"
#include "cli/json.h"
#include "cmd/topology.h"

/* The largest number of threads of a core, offline ones included */
static unsigned int columns(const struct kncpmu_topology *t)
{
	unsigned int i, n, max = 0;

	for (i = 0; i < t->nr_cores; i++) {
		n = kncpmu_cpus_count(&t->cores[i].cpus);
		if (n > max)
			max = n;
	}
	return max;
}

static void print_core(const struct kncpmu_topology *t, const struct kncpmu_core *core)
{
	unsigned int cpu;
	char text[16];

	if (several_packages(t))
		printf("%7u ", core->package);
	printf("%4u", core->id);
	for (cpu = first_cpu(&core->cpus); cpu < KNC_PMU_MAX_CPUS;
	     cpu = next_cpu(&core->cpus, cpu)) {
		snprintf(text, sizeof(text), kncpmu_cpus_test(&t->online, cpu) ? "%u" : "(%u)",
			 cpu);
		printf("%10s", text);
	}
	putchar('\n');
}

/* Does any core have an offline CPU? */
static int any_placed(const struct kncpmu_topology *t)
{
	unsigned int i, cpu;

	for (i = 0; i < t->nr_cores; i++) {
		for (cpu = first_cpu(&t->cores[i].cpus); cpu < KNC_PMU_MAX_CPUS;
		     cpu = next_cpu(&t->cores[i].cpus, cpu)) {
			if (!kncpmu_cpus_test(&t->online, cpu))
				return 1;
		}
	}
	return 0;
}

static void print_offline(const struct kncpmu_topology *t)
{
	char list[CPUS_TEXT];

	if (any_placed(t))
		puts("\n(N): offline; the kernel does not tell its core, but this core lacks a "
		     "thread");
	if (!kncpmu_cpus_count(&t->unknown))
		return;
	kncpmu_cpus_format(&t->unknown, list, sizeof(list));
	printf("\noffline, and the core is not known: CPU%s %s\n",
	       plural(&t->unknown), list);
}

static void print_table(const struct kncpmu_topology *t)
{
	unsigned int i;
	char text[32];

	if (several_packages(t))
		printf("package ");
	printf("core");
	for (i = 0; i < columns(t); i++) {
		snprintf(text, sizeof(text), "thread %u", i);
		printf("%10s", text);
	}
	putchar('\n');
	for (i = 0; i < t->nr_cores; i++)
		print_core(t, &t->cores[i]);
	print_offline(t);
}

static json_t *core_json(const struct kncpmu_topology *t, const struct kncpmu_core *core)
{
	json_t *object = json_object(), *threads = json_array(), *thread;
	unsigned int cpu;

	for (cpu = first_cpu(&core->cpus); cpu < KNC_PMU_MAX_CPUS;
	     cpu = next_cpu(&core->cpus, cpu)) {
		thread = json_object();
		json_object_set_new(thread, "cpu", json_integer(cpu));
		json_object_set_new(thread, "online",
				    json_boolean(kncpmu_cpus_test(&t->online, cpu)));
		json_array_append_new(threads, thread);
	}
	json_object_set_new(object, "package", json_integer(core->package));
	json_object_set_new(object, "core", json_integer(core->id));
	json_object_set_new(object, "threads", threads);
	return object;
}

static json_t *topology_json(const struct kncpmu_topology *t)
{
	json_t *object = json_object(), *cores = json_array(), *unknown = json_array();
	unsigned int i, cpu;

	for (i = 0; i < t->nr_cores; i++)
		json_array_append_new(cores, core_json(t, &t->cores[i]));
	for (cpu = first_cpu(&t->unknown); cpu < KNC_PMU_MAX_CPUS;
	     cpu = next_cpu(&t->unknown, cpu))
		json_array_append_new(unknown, json_integer(cpu));
	json_object_set_new(object, "schema", json_string("knc-pmuctl-topology/1"));
	json_object_set_new(object, "version", json_string(kncpmu_version()));
	json_object_set_new(object, "cores", cores);
	json_object_set_new(object, "offline_unknown", unknown);
	return object;
}

int show_topology(int json)
{
	struct kncpmu_topology t;
	int status = read_topology(&t);

	if (status)
		return status;
	if (json)
		status = print_json(stdout, topology_json(&t), JSON_INDENT(1));
	else
		print_table(&t);
	kncpmu_topology_free(&t);
	return status;
}
