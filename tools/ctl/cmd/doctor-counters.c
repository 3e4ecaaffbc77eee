// SPDX-License-Identifier: GPL-2.0
/* doctor: which processes hold counters or may execute RDPMC, and do the counters count? */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <kernel-file.h>

#include "cmd/doctor-checks.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define PERF_FILE	"anon_inode:[perf_event]"

#define RDPMC_BY_PROCESS "echo 1 >" RDPMC_SETTING

void check_rdpmc(const struct machine *m, struct finding *f)
{
	int setting = rdpmc_setting();

	if (is_hidden(RDPMC_SETTING, setting < 0 ? setting : 0, f))
		return;
	switch (setting) {
	case 0:
		found(f, VERDICT_WARNING,
		      "no program can execute RDPMC, and 'grant' is refused: "
		      RDPMC_SETTING " is 0");
		mend(f, RDPMC_BY_PROCESS);
		break;
	case 2:
		found(f, VERDICT_WARNING,
		      "every program of every user can read all counters: " RDPMC_SETTING " is 2");
		mend(f, RDPMC_BY_PROCESS);
		break;
	case 1:
		found(f, VERDICT_OK, "for programs that were granted it");
		break;
	default:
		found(f, VERDICT_OK, "this kernel has no setting for it");
	}
}

/* Find holders of counters: @f gets pids, @cpus hardware threads; returns a mask of counters */
static unsigned long long find_holders(const struct machine *m, struct finding *f,
				       struct kncpmu_cpus *cpus)
{
	struct holder holder = { .next = 0 };
	unsigned long long mask = 0;

	memset(cpus, 0, sizeof(*cpus));
	while (next_holder(m->fd, m->pmu.counters, &holder) > 0) {
		add_pid(f, holder.pid);
		mask |= 1ULL << holder.counter;
		kncpmu_cpus_or(cpus, &holder.cpus);
	}
	return mask;
}

/* "counter 0", "counters 0 and 1", "counters 0, 1 and 2" */
static const char *name_counters(unsigned long long mask)
{
	const char *numbers[64];
	unsigned int nr = 0;

	for (; mask; mask &= mask - 1)
		numbers[nr++] = intern_format("%d", __builtin_ctzll(mask));
	return intern_format("counter%s %s", plural_of(nr), intern_list(numbers, nr));
}

void check_sessions(const struct machine *m, struct finding *f)
{
	char list[CPUS_TEXT];
	struct kncpmu_cpus cpus;
	unsigned long long mask;

	if (no_session(m, f))
		return;
	mask = find_holders(m, f, &cpus);
	if (!mask) {
		found(f, VERDICT_OK, "no session has a counter");
		return;
	}
	kncpmu_cpus_format(&cpus, list, sizeof(list));
	found(f, VERDICT_WARNING,
	      "%s of CPU%s %s: sessions of %s; wait until they end, or evict them",
	      name_counters(mask), plural(&cpus), list, name_pids(f));
	if (m->privileged)
		mend(f, "%s reset --force -C %s", shell_word(program_invocation_name), list);
	else
		mend_by_kill(f);
}

/* Is the NMI watchdog on? 0 also if the kernel has none; a negative errno: a container hides it */
static int watchdog_on(void)
{
	char line[16];
	int ret = kncpmu_kernel_line(WATCHDOG, line, sizeof(line));

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	return line[0] == '1';
}

void check_watchdog(const struct machine *m, struct finding *f)
{
	int on = watchdog_on();

	if (is_hidden(WATCHDOG, on < 0 ? on : 0, f))
		return;
	if (!on) {
		found(f, VERDICT_OK, "the NMI watchdog is off");
		return;
	}
	if (m->trial == TRIAL_COUNTED || m->trial == TRIAL_BUSY) {
		found(f, VERDICT_OK, "the NMI watchdog is on, and has no counter");
		return;
	}
	found(f, m->trial == TRIAL_RESERVED ? VERDICT_FAILED : VERDICT_WARNING,
	      "the NMI watchdog is on, and takes a counter of each hardware thread: no session can be had");
	mend(f, "sysctl -w kernel.nmi_watchdog=0");
}

/* Does the process use perf_event_open()? -1: this user may not see its files */
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
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	fds = dirfd(dir);
	while (!uses && (entry = readdir(dir))) {
		n = readlinkat(fds, entry->d_name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		uses = !strcmp(target, PERF_FILE);
	}
	closedir(dir);
	return uses;
}

/*
 * Add the pids of all processes that have files of perf_event_open(). Returns how many processes
 * this user may not look into. Returns a negative errno, and adds none, if /proc hides processes or
 * numbers those of another pid namespace: a pid might be the wrong process.
 */
static int find_perf_users(struct finding *f)
{
	int hidden = kncpmu_proc_own();
	struct dirent *entry;
	DIR *dir = hidden ? NULL : opendir("/proc");
	int uses;

	if (!dir)
		return hidden ? : -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		uses = uses_perf(entry->d_name);
		if (uses < 0)
			hidden++;
		else if (uses)
			add_pid(f, atoi(entry->d_name));
	}
	closedir(dir);
	return hidden ? : kncpmu_proc_all();
}

/* Why /proc does not tell which processes use perf */
static const char *proc_text(int error)
{
	if (error == -EACCES)
		return "does not show all processes here: run doctor as root, outside containers";
	return intern_format("can't be read: %s", kncpmu_kernel_why("/proc", error));
}

/* Find out what has reserved the counters, other than this module */
static void find_who_reserved(struct finding *f)
{
	int hidden = find_perf_users(f);

	if (f->nr_pids) {
		found(f, VERDICT_FAILED,
		      "perf's events have the counters, and no session can be had: end %s",
		      name_pids(f));
		mend_by_kill(f);
	} else if (hidden < 0) {
		found(f, VERDICT_UNCHECKED,
		      "the counters are taken, perhaps by perf: /proc, which shows by whom, %s",
		      proc_text(hidden));
	} else if (hidden) {
		found(f, VERDICT_UNCHECKED,
		      "the counters are taken, perhaps by perf: only root may see which of %d processes use it: run doctor as root",
		      hidden);
	} else if (watchdog_on() > 0) {
		found(f, VERDICT_OK, "no process has events of perf; see watchdog");
	} else {
		found(f, VERDICT_FAILED,
		      "the counters are taken, and no process has events of perf: another module has them (oprofile); unload it");
	}
}

void check_perf(const struct machine *m, struct finding *f)
{
	switch (m->trial) {
	case TRIAL_RESERVED:
		find_who_reserved(f);
		break;
	case TRIAL_COUNTED:
		found(f, VERDICT_OK, "perf leaves the counters to this module");
		break;
	case TRIAL_BUSY:
		found(f, VERDICT_OK, "sessions of this module have the counters");
		break;
	default:
		if (!no_session(m, f))
			found(f, VERDICT_UNCHECKED, "nothing could be counted; see count");
	}
}

void check_count(const struct machine *m, struct finding *f)
{
	/* whose work configure_trial() has counted */
	const char *whose = m->info.features & KNC_PMU_FEATURE_TASKS ?
			    "of this program" : "in user mode, on all CPUs online,";

	if (no_session(m, f))
		return;
	switch (m->trial) {
	case TRIAL_COUNTED:
		if (m->count)
			found(f, VERDICT_OK, "%llu instructions %s were counted", m->count, whose);
		else
			found(f, VERDICT_FAILED, "no instruction %s was counted", whose);
		break;
	case TRIAL_BUSY:
		found(f, VERDICT_UNCHECKED, "a session has the counter; see sessions");
		break;
	case TRIAL_RESERVED:
		found(f, VERDICT_UNCHECKED, "the counters are taken; see watchdog and perf");
		break;
	case TRIAL_DENIED:
		found(f, VERDICT_UNCHECKED, "%s", m->why.text);
		break;
	default:
		found(f, VERDICT_FAILED, "%s", m->why.text);
	}
}

/* RDPMC is permitted on the CPUs @pce: find the reason, a grant or a perf user */
static void find_reason(const struct machine *m, struct finding *f,
			const struct kncpmu_cpus *pce)
{
	struct finding users = { .nr_pids = 0 };	/* these processes are not at fault */
	const int hidden = find_perf_users(&users);
	const char *many = plural(pce);
	char list[CPUS_TEXT];

	kncpmu_cpus_format(pce, list, sizeof(list));
	if (rdpmc_setting() == 2) {
		found(f, VERDICT_WARNING, "set on CPU%s %s: every program there can read all "
					  "counters",
		      many, list);
		mend(f, RDPMC_BY_PROCESS);
	} else if (kncpmu_grants(m->fd, NULL, 0) > 0 || users.nr_pids) {
		found(f, VERDICT_OK, "set on CPU%s %s, for programs that were granted "
				     "RDPMC", many, list);
	} else if (hidden < 0) {
		found(f, VERDICT_UNCHECKED,
		      "set on CPU%s %s; whether perf granted RDPMC to a process, /proc would show, which %s",
		      many, list, proc_text(hidden));
	} else if (hidden) {
		found(f, VERDICT_UNCHECKED,
		      "set on CPU%s %s; whether perf granted RDPMC to one of %d processes, only root may see: run doctor as root",
		      many, list, hidden);
	} else {
		found(f, VERDICT_WARNING,
		      "set on CPU%s %s, and no program was granted RDPMC by this module or by perf: another module permits it",
		      many, list);
	}
}

void check_pce(const struct machine *m, struct finding *f)
{
	struct kncpmu_cpus pce;
	int ret;

	if (no_session(m, f))
		return;
	ret = get_pce(m->fd, &pce);
	if (ret == -EPERM) {
		found(f, VERDICT_UNCHECKED, "only CAP_PERFMON may read CR4; see rights");
	} else if (ret) {
		found(f, VERDICT_UNCHECKED, "CR4 can't be read: %s", strerror(-ret));
	} else if (!kncpmu_cpus_count(&pce)) {
		found(f, VERDICT_OK, "CR4.PCE is set nowhere: no program that runs may execute "
				     "RDPMC");
	} else {
		find_reason(m, f, &pce);
	}
}
