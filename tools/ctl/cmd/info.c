// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl info: the device, the module, the hardware threads, and the owners of counters */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <kernel-file.h>
#include <pmus.h>

#include "cli/device.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cmd/interrupts.h"
#include "cmd/topology.h"
#include "cmd/query.h"

static int topology, interrupts, all, json;

#define LABEL		18	/* width of the column of labels */

static const char * const usage[] = {
	"usage: knc-pmuctl info [--topology | --interrupts [-a]] [--json]",
	"",
	"Shows the device and its permissions, the module and its version, the hardware",
	"threads and cores, counters, features, the rate of the time stamp counter, the owners",
	"of counters, the processes that may execute RDPMC (yours; with CAP_PERFMON all), and",
	"with CAP_PERFMON the hardware threads that permit it now (CR4.PCE). Without the module",
	"it shows what it can, says what is missing, and exits with status 1.",
	NULL
};

static const struct opt options[] = {
	{ 0, "topology", NULL, FLAG(&topology),
	  "only the cores and the CPU numbers of their hardware threads, also without the module" },
	{ 0, "interrupts", NULL, FLAG(&interrupts),
	  "only statistics of the overflow interrupt (PMI) of each hardware thread since the module "
	  "was loaded, for all sessions together; takes CAP_PERFMON" },
	{ 'a', "all", NULL, FLAG(&all),
	  "with --interrupts: also hardware threads on which nothing happened" },
	{ 'j', "json", NULL, FLAG(&json),
	  "print JSON for programs: the module's answers only (schema knc-pmuctl-info/1; "
	  "knc-pmuctl-topology/1, knc-pmuctl-interrupts/1)" },
	END_OF_OPTIONS
};

static const char * const notes[] = {
	"Columns of --interrupts:",
	"  pmis       overflow interrupts handled",
	"  samples    samples taken, the lost ones included",
	"  lost       samples lost because the ring was full",
	"  throttled  how often sampling paused because the interrupts took too much time",
	"  spurious   overflow interrupts that found nothing to do on this hardware thread",
	"  foreign    NMIs of other sources, passed on",
	"  mean, max  time in the handler, ticks of the time stamp counter",
	NULL
};

/* Features: @text for people, @name for JSON */
static const struct {
	unsigned long long bit;
	const char *text;
	const char *name;
} features[] = {
	{ KNC_PMU_FEATURE_THREADS, "hardware threads", "threads" },
	{ KNC_PMU_FEATURE_SPFLT, "SPFLT", "spflt" },
	{ KNC_PMU_FEATURE_SAMPLING, "samples", "sampling" },
	{ KNC_PMU_FEATURE_CALLCHAIN, "call chains", "callchain" },
	{ KNC_PMU_FEATURE_PMI_IRQ, "overflow interrupts by vectors", "pmi_irq" },
	{ KNC_PMU_FEATURE_TASKS, "tasks", "tasks" },
	{ KNC_PMU_FEATURE_RDPMC, "RDPMC", "rdpmc" },
	{ KNC_PMU_FEATURE_SETS, "turns", "sets" },
	{ KNC_PMU_FEATURE_EVICT, "eviction", "evict" },
	{ KNC_PMU_FEATURE_PMI_NMI, "overflow interrupts by NMIs", "pmi_nmi" },
	{ KNC_PMU_FEATURE_ON_EXEC, "exec", "on_exec" },
	{ KNC_PMU_FEATURE_LEVELS, "levels", "levels" },
	{ KNC_PMU_FEATURE_ANY_COUNTER, "any counter", "any_counter" },
	{ KNC_PMU_FEATURE_LIMIT, "limited rates", "limit" },
	{ KNC_PMU_FEATURE_STACK, "copies of stacks", "stack" },
	{ KNC_PMU_FEATURE_SWITCHES, "context switches", "switches" },
};

static void label(const char *text)
{
	printf("%-*s", LABEL, text);
}

static void show_who(const char *what, const char *name, unsigned int id)
{
	if (name)
		printf("%s %s", what, intern_text(name));
	else
		printf("%s %u", what, id);
}

static void show_device(void)
{
	struct passwd *user;
	struct group *group;
	struct stat st;

	label("device");
	if (stat(KNC_PMU_DEVICE, &st)) {
		printf("%s (missing)\n", KNC_PMU_DEVICE);
		return;
	}
	user = getpwuid(st.st_uid);
	group = getgrgid(st.st_gid);
	printf("%s (mode %04o, ", KNC_PMU_DEVICE, st.st_mode & 07777);
	show_who("user", user ? user->pw_name : NULL, st.st_uid);
	printf(", ");
	show_who("group", group ? group->gr_name : NULL, st.st_gid);
	printf(")\n");
}

static void show_module(void)
{
	char version[64];
	int loaded = module_loaded();

	kncpmu_read_line(MODULE_DIR "/version", version, sizeof(version));
	label("module");
	if (loaded > 0)
		printf("knc_pmu, version %s\n", *version ? intern_text(version) : "unknown");
	else
		printf("knc_pmu (%s)\n", loaded ? kncpmu_kernel_why("/sys", loaded) :
		       "not loaded");
	label("tool");
	printf("%s %s\n", PROGRAM, kncpmu_version());
}

static void show_unprivileged(unsigned long long mask)
{
	static const char * const means[UNPRIVILEGED_UNKNOWN] = {
		[UNPRIVILEGED_ALL] = "their own programs, in user mode, every event",
		[UNPRIVILEGED_THREAD] =
			"their own programs, in user mode, events of one hardware thread",
		[UNPRIVILEGED_SELF] =
			"the process that asks and what it forks, in user mode, every event",
		[UNPRIVILEGED_NONE] = "nothing: CAP_PERFMON is needed",
	};
	char word[16];
	enum unprivileged users = read_unprivileged(word, sizeof(word));

	if (users == UNPRIVILEGED_UNKNOWN)
		return;
	label("users can count");
	if (!(mask & KNC_PMU_FEATURE_ON_EXEC)) {
		puts("nothing: this kernel tells no module of exec, CAP_SYS_ADMIN is needed");
		return;
	}
	printf("%s (unprivileged=%s)\n", means[users], word);
}

/* Write the threads of each core of @cpus to @text; returns the number of cores */
static unsigned int list_cores(const struct kncpmu_cpus *cpus, char *text,
			       size_t size)
{
	struct kncpmu_cpus siblings;
	unsigned int cpu, cores = 0;
	char threads[64];
	size_t len = 0;

	text[0] = '\0';
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (kncpmu_cpus_siblings(cpu, &siblings) ||
		    kncpmu_cpus_next(&siblings, 0) != cpu)
			continue;
		cores++;
		kncpmu_cpus_format(&siblings, threads, sizeof(threads));
		if (len < size)
			len += snprintf(text + len, size - len, "%s{%s}",
					len ? " " : "", threads);
	}
	return cores;
}

static void show_cpus(void)
{
	struct kncpmu_cpus online, possible;
	char list[CPUS_TEXT], cores[4096];
	unsigned int nr, width = terminal_width(stdout);
	int ret;

	ret = kncpmu_cpus_online(&online) ? : kncpmu_cpus_possible(&possible);
	if (ret) {
		label("hardware threads");
		printf("unknown (%s)\n", kncpmu_kernel_why(CPU_DIR "/online", ret));
		return;
	}
	kncpmu_cpus_format(&online, list, sizeof(list));
	label("hardware threads");
	printf("%u online (%s), %u possible\n", kncpmu_cpus_count(&online), list,
	       kncpmu_cpus_count(&possible));
	nr = list_cores(&online, cores, sizeof(cores));
	label("cores");
	printf("%u online\n", nr);
	label("threads of a core");
	print_wrapped(stdout, cores, LABEL, width);
}

/* Print the features of @mask in a line; without any print @otherwise, unless that is NULL */
static void show_features(const char *what, unsigned long long mask, const char *otherwise)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!(mask & features[i].bit))
			continue;
		if (!n)
			label(what);
		printf("%s%s", n++ ? ", " : "", features[i].text);
	}
	if (!n && otherwise) {
		label(what);
		printf("%s", otherwise);
	}
	if (n || otherwise)
		putchar('\n');
}

/* Print each counting PMU of a host; a card has only one */
static void show_pmus(int fd)
{
	struct knc_pmu_desc desc[KNCPMU_MAX_PMUS];
	int i, nr = kncpmu_pmus(fd, desc, ARRAY_SIZE(desc));

	if (nr < 1 || !strcmp(desc[0].name, "knc"))
		return;
	for (i = 0; i < nr && i < (int)ARRAY_SIZE(desc); i++) {
		if (desc[i].features & KNC_PMU_FEATURE_LEVELS)
			continue;
		label("PMU");
		printf("%s: %u counters and %u fixed ones, of each %s\n", intern_text(desc[i].name),
		       desc[i].nr_counters, desc[i].nr_fixed,
		       desc[i].scope == KNC_PMU_SCOPE_PACKAGE ? "package" : "hardware thread");
	}
}

static void show_info(int fd, const struct knc_pmu_info *info, const struct knc_pmu_desc *pmu)
{
	show_pmus(fd);
	label("counters");
	printf("%u of %u bits", pmu->nr_counters, pmu->width);
	if (pmu->nr_fixed)
		printf(" and %u fixed ones of %u bits", pmu->nr_fixed, pmu->fixed_width);
	printf(" on each of %u threads per core\n", info->threads_per_core);
	show_features("features", info->features, "none");
	/* not missing: counts or levels, of which a PMU has only one; trials of counters */
	show_features("not here", ~(info->features | KNC_PMU_FEATURE_LEVELS |
				    KNC_PMU_FEATURE_ANY_COUNTER), NULL);
	label("TSC");
	printf("%u.%03u MHz\n", info->tsc_khz / 1000, info->tsc_khz % 1000);
	label("sessions");
	printf("%u\n", info->nr_sessions);
}

static void show_monitoring(int fd)
{
	struct knc_pmu_desc pmu;

	if (kncpmu_pmu_find(fd, "cmt", &pmu))
		return;
	label("cache monitoring");
	printf("cmt: %u RMIDs; L3 of %llu bytes, in steps of %llu\n", pmu.nr_counters, pmu.size,
	       pmu.unit);
}

static json_t *monitoring_json(int fd)
{
	struct knc_pmu_desc pmu;

	if (kncpmu_pmu_find(fd, "cmt", &pmu))
		return json_null();
	return json_pack("{s:i, s:I, s:I}", "rmids", pmu.nr_counters,
			 "l3_bytes", (json_int_t)pmu.size, "unit", (json_int_t)pmu.unit);
}

static void show_holder(const struct holder *holder)
{
	char list[CPUS_TEXT], who[KNCPMU_PROCESS_LEN];

	kncpmu_cpus_format(&holder->cpus, list, sizeof(list));
	kncpmu_process_name(holder->pid, who, sizeof(who));
	label("owner");
	printf("counter %u of CPUs %s: %s%s\n", holder->counter, list, who,
	       holder->flags & KNC_PMU_OWNER_TASKS ? ", for the programs it follows" : "");
}

static void show_owners(int fd, __u64 counters)
{
	struct holder holder = { .next = 0 };
	int ret = next_holder(fd, counters, &holder);

	if (!ret) {
		label("owner");
		printf("no session has a counter\n");
	}
	for (; ret > 0; ret = next_holder(fd, counters, &holder))
		show_holder(&holder);
}

/*
 * Get the processes that may execute RDPMC, in memory that the caller frees; returns their number
 * or a negative errno
 */
static int get_grants(int fd, struct knc_pmu_grant **grants)
{
	unsigned int room = 16;
	int nr;

	*grants = NULL;
	while (1) {
		free(*grants);
		*grants = calloc(room, sizeof(**grants));
		if (!*grants)
			return -ENOMEM;
		nr = kncpmu_grants(fd, *grants, room);
		if (nr < 0 || (unsigned int)nr <= room)
			return nr;
		room = nr + 16;
	}
}

static void show_grants(int fd)
{
	struct knc_pmu_grant *grants;
	char who[KNCPMU_PROCESS_LEN], whose[KNCPMU_PROCESS_LEN];
	int i, nr = get_grants(fd, &grants);

	for (i = 0; i < nr; i++) {
		kncpmu_process_name(grants[i].pid, who, sizeof(who));
		kncpmu_process_name(grants[i].session_pid, whose, sizeof(whose));
		label("may use RDPMC");
		printf("%s, by a session of %s\n", who, whose);
	}
	if (!nr) {
		label("may use RDPMC");
		printf("no process that is visible from here\n");
	}
	free(grants);
}

static void show_rdpmc_setting(void)
{
	int setting = rdpmc_setting();

	if (setting != 0 && setting != 2)
		return;
	label("RDPMC");
	if (setting)
		printf("open to everybody: every program can read what anybody counts, because "
		       RDPMC_SETTING " is 2: write 1 to it\n");
	else
		printf("no program can have it, because " RDPMC_SETTING
		       " is 0: write 1 to it while there is no session\n");
}

static void show_pce(int fd)
{
	struct kncpmu_cpus pce;
	char list[CPUS_TEXT];

	if (get_pce(fd, &pce))
		return;
	label("CR4.PCE now");
	kncpmu_cpus_format(&pce, list, sizeof(list));
	if (kncpmu_cpus_count(&pce))
		printf("set on CPU%s %s\n", plural(&pce), list);
	else
		printf("not set\n");
}

static json_t *features_json(unsigned long long mask)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (mask & features[i].bit)
			json_array_append_new(array, json_string(features[i].name));
	}
	return array;
}

static json_t *cpus_json(const struct kncpmu_cpus *cpus)
{
	char list[4096];

	kncpmu_cpus_format(cpus, list, sizeof(list));
	return json_string(list);
}

static json_t *holder_json(const struct holder *holder)
{
	json_t *object = json_object();

	json_object_set_new(object, "counter", json_integer(holder->counter));
	json_object_set_new(object, "cpus", cpus_json(&holder->cpus));
	json_object_set_new(object, "pid", json_integer(holder->pid));
	json_object_set_new(object, "tasks",
			    json_boolean(holder->flags & KNC_PMU_OWNER_TASKS));
	return object;
}

static json_t *owners_json(int fd, __u64 counters)
{
	struct holder holder = { .next = 0 };
	json_t *array = json_array();

	while (next_holder(fd, counters, &holder) > 0)
		json_array_append_new(array, holder_json(&holder));
	return array;
}

static json_t *grant_json(const struct knc_pmu_grant *grant)
{
	json_t *object = json_object();

	json_object_set_new(object, "pid", json_integer(grant->pid));
	json_object_set_new(object, "session_pid", json_integer(grant->session_pid));
	return object;
}

static json_t *grants_json(int fd)
{
	json_t *array = json_array();
	struct knc_pmu_grant *grants;
	int i, nr = get_grants(fd, &grants);

	for (i = 0; i < nr; i++)
		json_array_append_new(array, grant_json(&grants[i]));
	free(grants);
	return array;
}

static json_t *pce_json(int fd)
{
	struct kncpmu_cpus pce;

	return get_pce(fd, &pce) ? json_null() : cpus_json(&pce);
}

static json_t *info_json(int fd, const struct knc_pmu_info *info,
			 const struct knc_pmu_desc *pmu)
{
	json_t *object = json_object();
	char word[16];

	json_object_set_new(object, "schema", json_string("knc-pmuctl-info/1"));
	json_object_set_new(object, "version", json_string(kncpmu_version()));
	json_object_set_new(object, "counters", json_integer(pmu->nr_counters));
	json_object_set_new(object, "counter_width", json_integer(pmu->width));
	json_object_set_new(object, "fixed_counters", json_integer(pmu->nr_fixed));
	json_object_set_new(object, "pmu", json_string(pmu->name));
	json_object_set_new(object, "cmt", monitoring_json(fd));
	json_object_set_new(object, "threads_online", json_integer(info->nr_online));
	json_object_set_new(object, "threads_per_core",
			    json_integer(info->threads_per_core));
	json_object_set_new(object, "features", features_json(info->features));
	json_object_set_new(object, "tsc_khz", json_integer(info->tsc_khz));
	json_object_set_new(object, "sessions", json_integer(info->nr_sessions));
	json_object_set_new(object, "owners", owners_json(fd, pmu->counters));
	json_object_set_new(object, "rdpmc", grants_json(fd));
	json_object_set_new(object, "rdpmc_setting", rdpmc_setting() < 0 ?
			    json_null() : json_integer(rdpmc_setting()));
	json_object_set_new(object, "pce_cpus", pce_json(fd));
	read_unprivileged(word, sizeof(word));
	json_object_set_new(object, "unprivileged", *word ? json_string(word) : json_null());
	return object;
}

static int show_driver(int fd, void *ctx)
{
	struct knc_pmu_desc pmu;
	struct knc_pmu_info info;
	int ret = get_info(fd, &info, &pmu);

	if (ret < 0)
		return explain_op(KNCPMU_OP_INFO, ret, 0);
	if (interrupts)
		return show_interrupts(fd, info.nr_threads, all, json);
	if (json)
		return print_json(stdout, info_json(fd, &info, &pmu), JSON_INDENT(1));
	show_info(fd, &info, &pmu);
	show_monitoring(fd);
	show_owners(fd, pmu.counters);
	show_unprivileged(info.features);
	show_rdpmc_setting();
	show_grants(fd);
	show_pce(fd);
	return CTL_OK;
}

static int run_info(const struct command *cmd, int argc, char **argv)
{
	if (topology && interrupts)
		return usage_error(cmd,
				   "--topology and --interrupts exclude each other: choose one");
	if (all && !interrupts)
		return usage_error(cmd, "-a belongs to --interrupts, which is missing");
	if (topology)
		return show_topology(json);
	if (!json && !interrupts) {
		show_device();
		show_module();
		show_cpus();
	}
	return with_device(show_driver, NULL);
}

const struct command info_command = {
	.name = "info",
	.summary = "the device, the module, cores, owners of counters, interrupts",
	.usage = usage,
	.options = options,
	.notes = notes,
	.far = 1,
	.run = run_info,
};
