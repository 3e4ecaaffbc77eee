// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl info: what is there, and who counts */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <knc/regs.h>

#include "ctl.h"

#define LABEL		18	/* columns of the first column */
#define MODULE_DIR	"/sys/module/knc_pmu"

static const char * const usage[] = {
	"usage: knc-pmuctl info",
	"",
	"Shows the device and who may open it, the module and its version, the hardware",
	"threads and cores, counters, features, the time stamp counter, and who has",
	"counters now. Without the module it shows the rest, says what is missing, and",
	"exits with status 1.",
	NULL
};

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const struct {
	unsigned long long bit;
	const char *text;
} features[] = {
	{ KNC_PMU_FEATURE_THREADS, "hardware threads" },
	{ KNC_PMU_FEATURE_SPFLT, "SPFLT" },
	{ KNC_PMU_FEATURE_SAMPLING, "samples" },
	{ KNC_PMU_FEATURE_CALLCHAIN, "call chains" },
	{ KNC_PMU_FEATURE_PMI_IRQ, "overflow interrupt is a vector (pmi=irq)" },
};

static void label(const char *text)
{
	printf("%-*s", LABEL, text);
}

static void show_who(const char *what, const char *name, unsigned int id)
{
	if (name)
		printf("%s %s", what, name);
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
	char version[64] = "unknown";
	FILE *f = fopen(MODULE_DIR "/version", "re");

	label("module");
	if (f) {
		if (fgets(version, sizeof(version), f))
			version[strcspn(version, "\n")] = '\0';
		fclose(f);
	}
	if (f || !access(MODULE_DIR, F_OK))
		printf("knc_pmu, version %s\n", version);
	else
		printf("knc_pmu (not loaded)\n");
	label("tool");
	printf("%s %s\n", PROGRAM, kncpmu_version());
}

/* Number of cores of @cpus, and a list of which threads each has */
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

	if (kncpmu_cpus_online(&online) || kncpmu_cpus_possible(&possible)) {
		label("hardware threads");
		printf("unknown (/sys is not mounted)\n");
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

static void show_features(unsigned long long mask)
{
	unsigned int i, n = 0;

	label("features");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (mask & features[i].bit)
			printf("%s%s", n++ ? ", " : "", features[i].text);
	}
	printf("%s\n", n ? "" : "none");
}

static void show_info(const struct knc_pmu_info *info)
{
	label("counters");
	printf("%u of %u bits on each of %u threads per core\n", info->nr_counters,
	       info->counter_width, info->threads_per_core);
	show_features(info->features);
	label("TSC");
	printf("%u.%03u MHz\n", info->tsc_khz / 1000, info->tsc_khz % 1000);
	label("sessions");
	printf("%u\n", info->nr_sessions);
}

/**
 * struct holder - hardware threads whose counter one process has
 * @pid: the process
 * @cpus: the threads
 */
struct holder {
	int pid;
	struct kncpmu_cpus cpus;
};

static void show_holder(unsigned int counter, const struct holder *holder)
{
	char list[CPUS_TEXT], who[64];

	kncpmu_cpus_format(&holder->cpus, list, sizeof(list));
	kncpmu_process_name(holder->pid, who, sizeof(who));
	label("owner");
	printf("counter %u of CPUs %s: %s\n", counter, list, who);
}

/* The first that has @counter on one of @cpus; its CPUs leave @cpus */
static int next_holder(int fd, unsigned int counter, struct kncpmu_cpus *cpus,
		       struct holder *holder)
{
	struct knc_pmu_owner owner;
	unsigned int cpu;

	memset(holder, 0, sizeof(*holder));
	holder->pid = -1;
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (kncpmu_owner(fd, cpu, counter, &owner) ||
		    !(owner.flags & KNC_PMU_OWNER_SESSION)) {
			kncpmu_cpus_clear(cpus, cpu);
			continue;
		}
		if (holder->pid >= 0 && owner.pid != holder->pid)
			continue;
		holder->pid = owner.pid;
		kncpmu_cpus_set(&holder->cpus, cpu);
		kncpmu_cpus_clear(cpus, cpu);
	}
	return holder->pid >= 0;
}

static void show_owners(int fd, unsigned int nr_counters)
{
	struct kncpmu_cpus possible, left;
	struct holder holder;
	unsigned int counter, n = 0;

	if (kncpmu_cpus_possible(&possible))
		return;
	for (counter = 0; counter < nr_counters; counter++) {
		left = possible;
		while (next_holder(fd, counter, &left, &holder)) {
			show_holder(counter, &holder);
			n++;
		}
	}
	if (!n) {
		label("owner");
		printf("no session has a counter\n");
	}
}

static int show_driver(int fd, void *ctx)
{
	struct knc_pmu_info info;
	int ret;

	(void)ctx;
	ret = kncpmu_info(fd, &info);
	if (ret)
		return explain_op(KNCPMU_OP_INFO, ret, 0);
	show_info(&info);
	show_owners(fd, info.nr_counters);
	return CTL_OK;
}

static int run_info(const struct command *cmd, int argc, char **argv)
{
	int status;

	if (parse_only_options(cmd, argc, argv, NULL, NULL, &status))
		return status;
	show_device();
	show_module();
	show_cpus();
	return with_device(show_driver, NULL);
}

const struct command info_command = {
	.name = "info",
	.summary = "what is there, and who counts",
	.usage = usage,
	.shorts = ":h",
	.longs = options,
	.run = run_info,
};
