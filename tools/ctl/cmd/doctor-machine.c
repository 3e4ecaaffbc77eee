// SPDX-License-Identifier: GPL-2.0
/* What several checks of doctor ask of the machine, and a count to try the counters out */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <knc/regs.h>

#include "cmd/doctor.h"

#define PERF_FILE	"anon_inode:[perf_event]"

/* Bits of CapEff in /proc/PID/status */
#define CAP_SYS_ADMIN	21
#define CAP_PERFMON	38

#define WORK		10000	/* enough to be counted, too little to be noticed */

static void read_kernel(struct machine *m)
{
	struct utsname name;
	char word[8];

	m->real_time = !uname(&name) && strstr(name.version, "PREEMPT_RT");
	if (!kncpmu_read_line("/sys/kernel/realtime", word, sizeof(word)))
		m->real_time |= word[0] == '1';
}

/* What the capabilities say, where the module can't be asked */
static int has_capability(void)
{
	unsigned long long mask = 0;
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "CapEff: %llx", &mask) == 1)
			break;
	}
	fclose(f);
	return !!(mask & (1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN));
}

/* The registers are only for CAP_PERFMON in the first user namespace */
static int is_privileged(int fd)
{
	struct kncpmu_cpus online;

	if (fd < 0 || kncpmu_cpus_online(&online))
		return has_capability();
	return kncpmu_regs(fd, first_cpu(&online), NULL, 0) >= 0;
}

static void ask_module(struct machine *m)
{
	m->fd = kncpmu_open(NULL);
	m->error = m->fd;
	if (m->fd >= 0)
		m->error = kncpmu_info(m->fd, &m->info);
	if (!m->error)
		m->error = kncpmu_pmus(m->fd, &m->pmu, 1);
	if (m->error > 0)
		m->error = 0;
}

/* A session that follows this program; where tasks can't be followed, of all that a CPU does */
static int configure_trial(const struct machine *m, int fd, struct knc_pmu_config *config)
{
	struct knc_pmu_event event;
	struct kncpmu_cpus cpus;
	struct kncpmu_error err;

	if (kncpmu_spec_parse("INSTRUCTIONS_EXECUTED:u", &event, &err))
		return -EINVAL;
	if (m->info.features & KNC_PMU_FEATURE_TASKS)
		return kncpmu_config_task(fd, 0, &event, 1, 0, config);
	if (kncpmu_cpus_online(&cpus))
		return -ENXIO;
	return kncpmu_config(fd, &cpus, &event, 1, 0, config);
}

static int count_work(struct machine *m, int fd)
{
	size_t size = KNC_PMU_THREAD_SIZE(1) * KNC_PMU_MAX_CPUS;
	void *records = malloc(size);
	int ret = records ? kncpmu_start(fd) : -ENOMEM, n;
	unsigned int i;

	for (i = 0; i < WORK; i++)
		__asm__ __volatile__("");
	if (!ret)
		ret = kncpmu_stop(fd);
	if (!ret)
		ret = kncpmu_read(fd, records, size, 0);
	for (n = 0; n < ret; n++)
		m->count += kncpmu_record(records, 1, n)->value[0];
	free(records);
	return ret < 0 ? ret : 0;
}

static enum trial trial_of(int ret, unsigned int reason)
{
	if (!ret)
		return TRIAL_COUNTED;
	switch (reason) {
	case KNC_PMU_REASON_BUSY:
	case KNC_PMU_REASON_TASK_BUSY:
		return TRIAL_BUSY;
	case KNC_PMU_REASON_PMU_RESERVED:
		return TRIAL_RESERVED;
	case KNC_PMU_REASON_PRIVILEGE:
	case KNC_PMU_REASON_UNPRIVILEGED:
		return TRIAL_DENIED;
	default:
		return TRIAL_FAILED;
	}
}

/* Perf and others keep the counters to themselves: only who asks for one learns that */
static void try_to_count(struct machine *m)
{
	struct knc_pmu_config config = { .reason = KNC_PMU_REASON_NONE };
	struct kncpmu_failure failure = { .op = KNCPMU_OP_CONFIG, .config = &config };
	int fd;

	if (m->error)
		return;
	fd = kncpmu_open(NULL);
	failure.error = fd < 0 ? fd : configure_trial(m, fd, &config);
	if (!failure.error) {
		failure.op = KNCPMU_OP_READ;
		failure.error = count_work(m, fd);
	}
	m->trial = trial_of(failure.error, config.reason);
	if (failure.error)
		kncpmu_explain(&failure, &m->why);
	kncpmu_close(fd);
}

/* 1: a process has a file of perf's; 0: none; -1: this user may not see */
static int uses_perf(const char *pid)
{
	char path[300], target[64];
	struct dirent *entry;
	ssize_t n;
	int fds, uses = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return errno == EACCES || errno == EPERM ? -1 : 0;
	fds = dirfd(dir);
	while (!uses && (entry = readdir(dir))) {
		n = readlinkat(fds, entry->d_name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		uses = !strcmp(target, PERF_FILE);
	}
	closedir(dir);
	return uses;
}

static void find_perf_users(struct perf_users *users)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int uses;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		uses = uses_perf(entry->d_name);
		if (uses < 0)
			users->hidden++;
		else if (uses && users->nr < MAX_NAMED)
			users->pid[users->nr++] = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
}

void read_machine(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	kncpmu_cpu_read(&m->cpu);
	m->knc = m->cpu.family == KNC_CPU_FAMILY && m->cpu.model == KNC_CPU_MODEL;
	read_kernel(m);
	m->loaded = !access(MODULE_DIR, F_OK);
	ask_module(m);
	m->may = is_privileged(m->fd);
	try_to_count(m);
	find_perf_users(&m->perf);
}
