// SPDX-License-Identifier: GPL-2.0
/* doctor: who has the counters, who may execute RDPMC, and whether they count */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/doctor.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"

#define RDPMC_BY_PROCESS "echo 1 >" RDPMC_SETTING

void check_rdpmc(const struct machine *m, struct finding *f)
{
	(void)m;
	switch (rdpmc_setting()) {
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

/* Who has counters: @f gets the pids, @cpus the hardware threads, and the counters are returned */
static unsigned int find_holders(const struct machine *m, struct finding *f,
				 struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus possible, left;
	struct holder holder;
	unsigned int counter, cpu, mask = 0;

	memset(cpus, 0, sizeof(*cpus));
	if (kncpmu_cpus_possible(&possible))
		return 0;
	for (counter = 0; counter < m->pmu.nr_counters; counter++) {
		left = possible;
		while (next_holder(m->fd, counter, &left, &holder)) {
			add_pid(f, holder.pid);
			mask |= 1U << counter;
			for (cpu = first_cpu(&holder.cpus); cpu < KNC_PMU_MAX_CPUS;
			     cpu = next_cpu(&holder.cpus, cpu))
				kncpmu_cpus_set(cpus, cpu);
		}
	}
	return mask;
}

void check_sessions(const struct machine *m, struct finding *f)
{
	char who[256], list[CPUS_TEXT], tool[WORD_LEN];
	struct kncpmu_cpus cpus;
	unsigned int mask;

	if (no_session(m, f))
		return;
	mask = find_holders(m, f, &cpus);
	if (!mask) {
		found(f, VERDICT_OK, "no session has a counter");
		return;
	}
	name_pids(f, who, sizeof(who));
	kncpmu_cpus_format(&cpus, list, sizeof(list));
	found(f, VERDICT_WARNING,
	      "%s of CPU%s %s: sessions of %s; wait until they end, or evict them",
	      mask == 1 ? "counter 0" : mask == 2 ? "counter 1" : "both counters",
	      plural(&cpus), list, *who ? who : "a process that is not visible from here");
	if (m->may)
		mend(f, "%s reset --force -C %s",
		     shell_word(program_invocation_name, tool, sizeof(tool)), list);
	else
		mend_by_kill(f);
}

/* 1: on; 0: off, or there is none */
static int watchdog_on(void)
{
	char line[16];

	return !kncpmu_read_line(WATCHDOG, line, sizeof(line)) && line[0] == '1';
}

void check_watchdog(const struct machine *m, struct finding *f)
{
	if (!watchdog_on()) {
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

/* Something other than this module has the counters */
static void find_who_reserved(const struct machine *m, struct finding *f)
{
	char who[256];
	unsigned int i;

	for (i = 0; i < m->perf.nr; i++)
		add_pid(f, m->perf.pid[i]);
	name_pids(f, who, sizeof(who));
	if (f->nr_pids) {
		found(f, VERDICT_FAILED,
		      "perf's events have the counters, and no session can be had: end %s", who);
		mend_by_kill(f);
	} else if (m->perf.hidden) {
		found(f, VERDICT_UNCHECKED,
		      "the counters are taken: perf's users are looked for, but root has to look at %u processes",
		      m->perf.hidden);
	} else if (watchdog_on()) {
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
		find_who_reserved(m, f);
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
	if (no_session(m, f))
		return;
	switch (m->trial) {
	case TRIAL_COUNTED:
		if (m->count)
			found(f, VERDICT_OK, "%llu instructions of this program were "
					     "counted", m->count);
		else
			found(f, VERDICT_FAILED, "no instruction of this program was counted");
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

/* RDPMC is permitted on @list: is there a reason? */
static void find_reason(const struct machine *m, struct finding *f, const char *list,
			const char *many)
{
	int granted = kncpmu_grants(m->fd, NULL, 0);

	if (rdpmc_setting() == 2) {
		found(f, VERDICT_WARNING, "set on CPU%s %s: every program there can read all "
					  "counters",
		      many, list);
		mend(f, RDPMC_BY_PROCESS);
	} else if (granted > 0 || m->perf.nr || m->perf.hidden) {
		found(f, VERDICT_OK, "set on CPU%s %s, for programs that were granted "
				     "RDPMC", many, list);
	} else {
		found(f, VERDICT_WARNING,
		      "set on CPU%s %s, and no program was granted RDPMC by this module or by perf: another module permits it",
		      many, list);
	}
}

void check_pce(const struct machine *m, struct finding *f)
{
	struct kncpmu_cpus pce;
	char list[CPUS_TEXT];
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
		kncpmu_cpus_format(&pce, list, sizeof(list));
		find_reason(m, f, list, plural(&pce));
	}
}
