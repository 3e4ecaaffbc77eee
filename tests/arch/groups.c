// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of processes that share an RMID: the level of a group, a member that ends, one that forks,
 * refusals, more groups than RMIDs
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache.h"

#define SMALL		(128ULL << 10)
#define LARGE		(384ULL << 10)
/* More than the page tables and struct pages that fork() itself brings in */
#define HUGE		(1024ULL << 10)

/**
 * struct member - a process that touches its part of memory when it is told
 * @pid: its number
 * @go: the test writes to it: touch your memory
 * @done: the test reads from it: the process has touched its memory
 * @cpu: where it runs
 */
struct member {
	pid_t pid;
	int go[2];
	int done[2];
	unsigned int cpu;
};

/* Each member has memory of its own: fork() would copy what another member has touched */
static void member_run(const struct member *m, size_t from, size_t bytes)
{
	char c;

	pin(m->cpu);
	while (read(m->go[0], &c, 1) == 1 && c != 'q') {
		if (c == 'f' && !fork()) {
			touch(SMALL + LARGE, HUGE);
			_exit(0);
		}
		if (c == 'f')
			wait(NULL);
		else
			touch(from, bytes);
		if (write(m->done[1], &c, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void member_start(struct member *m, unsigned int cpu, size_t from, size_t bytes)
{
	m->cpu = cpu;
	if (pipe(m->go) || pipe(m->done))
		fail("pipe");
	m->pid = fork();
	if (!m->pid)
		member_run(m, from, bytes);
	if (m->pid < 0)
		fail("fork");
}

/* @what: 't': touch memory; 'f': let a child touch memory; 'q': end */
static void member_tell(struct member *m, char what)
{
	if (write(m->go[1], &what, 1) != 1)
		fail("write");
	if (what == 'q')
		waitpid(m->pid, NULL, 0);
	else if (read(m->done[0], &what, 1) != 1)
		fail("read");
}

static void member_end(struct member *m)
{
	member_tell(m, 'q');
	close(m->go[0]);
	close(m->go[1]);
	close(m->done[0]);
	close(m->done[1]);
}

static int try_group(int fd, const pid_t *pids, unsigned int bytes, unsigned int flags,
		     struct knc_pmu_config *config)
{
	struct knc_pmu_event event = { .event = 1 };

	memset(config, 0, sizeof(*config));
	config->pmu = CMT;
	config->flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PIDS | flags;
	config->cpus = (unsigned long)pids;
	config->cpus_size = bytes;
	return kncpmu_config_sampling(fd, NULL, &event, 1, config);
}

static int group(const pid_t *pids, unsigned int nr, unsigned int flags)
{
	struct knc_pmu_config config;
	int fd = device(), ret;

	ret = try_group(fd, pids, nr * sizeof(*pids), flags, &config);
	if (ret)
		fail("CONFIG: %d, reason %u, index %u", ret, config.reason, config.reason_other);
	return fd;
}

/* Starts two programs, on the first L3 */
static void two(struct member *m, pid_t *pids)
{
	member_start(&m[0], 0, 0, SMALL);
	member_start(&m[1], 1, SMALL, LARGE);
	pids[0] = m[0].pid;
	pids[1] = m[1].pid;
}

/* A group has one RMID: its level is the sum of its members' levels in sessions of their own */
static void groups(void)
{
	unsigned long long alone[2], before;
	struct member m[2];
	pid_t pids[2];
	int fd, i, own[2];

	two(m, pids);
	pin(2);
	for (i = 0; i < 2; i++) {
		own[i] = session(0, pids[i], KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PROCESS);
		expect("START", kncpmu_start(own[i]), 0);
	}
	for (i = 0; i < 2; i++) {
		member_tell(&m[i], 't');
		alone[i] = level(own[i]);
	}
	within("the small one", alone[0], SMALL, SMALL + SLACK);
	within("the large one", alone[1], LARGE, LARGE + SLACK);
	for (i = 0; i < 2; i++) {
		kncpmu_close(own[i]);
		member_end(&m[i]);
	}
	sweep();
	two(m, pids);
	pin(2);
	fd = group(pids, 2, KNC_PMU_CONFIG_PROCESS);
	expect("START", kncpmu_start(fd), 0);
	member_tell(&m[0], 't');
	within("the small one first", level(fd), SMALL, SMALL + SLACK);
	member_tell(&m[1], 't');
	within("both", level(fd), alone[0] + alone[1] - SLACK, alone[0] + alone[1] + SLACK);
	within("no less than both touch", level(fd), SMALL + LARGE, SMALL + LARGE + 2 * SLACK);
	expect("records", read_all(fd), 2);
	within("other L3", records[1].value[0], 0, SLACK);
	/* another session gets another RMID: its lines are not the group's */
	before = level(fd);
	own[0] = session(1 << 1, 0, 0);
	expect("START", kncpmu_start(own[0]), 0);
	pin(1);
	touch(SMALL + LARGE, SMALL);
	within("others", level(fd), 0, before + UNIT);
	kncpmu_close(own[0]);
	member_end(&m[0]);
	member_end(&m[1]);
	kncpmu_close(fd);
	expect("CPU 0", get(0, 0xc8f), 0);
	expect("CPU 1", get(1, 0xc8f), 0);
}

/* One member ends: the session goes on, and the lines of both members stay the group's */
static void group_ends(void)
{
	struct member m[2];
	pid_t pids[2];
	int fd;

	two(m, pids);
	pin(2);
	fd = group(pids, 2, KNC_PMU_CONFIG_PROCESS);
	expect("START", kncpmu_start(fd), 0);
	member_tell(&m[0], 't');
	member_end(&m[0]);
	expect("records", read_all(fd), 2);
	expect("flags", records[0].flags, 0);
	within("after its end", records[0].value[0], SMALL, SMALL + SLACK);
	member_tell(&m[1], 't');
	within("the other", level(fd), SMALL + LARGE, SMALL + LARGE + 2 * SLACK);
	member_end(&m[1]);
	expect("records", read_all(fd), 2);
	expect("flags", records[0].flags, KNC_PMU_THREAD_ENDED);
	kncpmu_close(fd);
}

/* A member's child is in the group with INHERIT, and not without */
static void group_forks(void)
{
	unsigned int flags = KNC_PMU_CONFIG_PROCESS;
	unsigned long long before;
	struct member m[2];
	pid_t pids[2];
	int fd, i;

	for (i = 0; i < 2; i++, flags |= KNC_PMU_CONFIG_INHERIT) {
		sweep();
		two(m, pids);
		pin(2);
		fd = group(pids, 2, flags);
		expect("START", kncpmu_start(fd), 0);
		member_tell(&m[0], 't');
		before = level(fd);
		member_tell(&m[1], 'f');
		if (i)
			within("with the child", level(fd), before + HUGE, SIZE);
		else
			within("without the child", level(fd), 0, before + HUGE / 2);
		member_end(&m[0]);
		member_end(&m[1]);
		kncpmu_close(fd);
	}
}

static void refuse_group(const char *what, const pid_t *pids, unsigned int bytes,
			 unsigned int flags, int want, unsigned int reason, unsigned int index)
{
	struct knc_pmu_config config;
	int fd = device();

	expect(what, try_group(fd, pids, bytes, flags, &config), want);
	expect(what, config.reason, reason);
	expect(what, config.reason_other, index);
	kncpmu_close(fd);
}

/* If one member can't be followed, none is, and the RMID is free again */
static void group_refusals(void)
{
	static pid_t many[KNC_PMU_MAX_PIDS + 1];
	struct knc_pmu_event event = { .event = 1 };
	struct knc_pmu_config config = { .flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PIDS };
	struct member m[2];
	pid_t pids[3];
	unsigned int i;
	int fd;

	two(m, pids);
	pids[2] = 99999;
	for (i = 0; i < 2 * RMIDS; i++)
		refuse_group("no such process", pids, sizeof(pids), 0, -ESRCH,
			     KNC_PMU_REASON_TASK_NONE, 2);
	pids[2] = 2;
	refuse_group("kthreadd", pids, sizeof(pids), 0, -ESRCH, KNC_PMU_REASON_TASK_NONE, 2);
	fd = session(0, pids[1], KNC_PMU_CONFIG_TASK);
	refuse_group("it has one", pids, sizeof(pids), KNC_PMU_CONFIG_PROCESS, -EBUSY,
		     KNC_PMU_REASON_RMID_BUSY, 1);
	kncpmu_close(fd);
	refuse_group("nobody", pids, 0, 0, -EINVAL, KNC_PMU_REASON_PIDS, 0);
	refuse_group("half of one", pids, 6, 0, -EINVAL, KNC_PMU_REASON_PIDS, 0);
	refuse_group("too many", many, sizeof(many), 0, -EINVAL, KNC_PMU_REASON_PIDS, 0);
	refuse_group("no array", NULL, 8, 0, -EFAULT, KNC_PMU_REASON_NONE, 0);
	fd = device();
	config.cpus = (unsigned long)pids;
	config.cpus_size = sizeof(pids[0]);
	event.flags = KNC_PMU_EVENT_USR;
	expect("no levels", kncpmu_config_sampling(fd, NULL, &event, 1, &config), -EOPNOTSUPP);
	expect("no levels", config.reason, KNC_PMU_REASON_PIDS);
	config.flags = KNC_PMU_CONFIG_PIDS;
	config.pmu = CMT;
	event.flags = 0;
	expect("no TASK", kncpmu_config_sampling(fd, NULL, &event, 1, &config), -EINVAL);
	expect("no TASK", config.reason, KNC_PMU_REASON_PIDS);
	config.flags |= KNC_PMU_CONFIG_TASK;
	config.pid = pids[0];
	expect("a single one too", kncpmu_config_sampling(fd, NULL, &event, 1, &config), -EINVAL);
	expect("a single one too", config.reason, KNC_PMU_REASON_PIDS);
	kncpmu_close(fd);
	/* a process that is named twice, and a thread of the process, count once */
	pids[2] = pids[0];
	kncpmu_close(group(pids, 3, KNC_PMU_CONFIG_PROCESS));
	member_end(&m[0]);
	member_end(&m[1]);
}

/* Without CAP_PERFMON no group is followed, neither of one's own processes nor of others' */
static void group_rights(void)
{
	struct knc_pmu_config config;
	struct member m[2];
	pid_t pids[2], pid;
	int fd = device(), status;

	two(m, pids);
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(2);
		pids[0] = getpid();
		_exit(try_group(fd, pids, sizeof(pids), 0, &config) != -EPERM ||
		      try_group(fd, pids, sizeof(pids[0]), 0, &config) != -EPERM);
	}
	waitpid(pid, &status, 0);
	expect("EPERM", status, 0);
	/* with CAP_PERFMON a group may have processes of several users */
	pid = fork();
	if (!pid) {
		if (!setuid(65534))
			pause();
		_exit(0);
	}
	pids[1] = pid;
	kncpmu_close(group(pids, 2, KNC_PMU_CONFIG_PROCESS));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	kncpmu_close(fd);
	member_end(&m[0]);
	member_end(&m[1]);
}

/*
 * More processes than RMIDs, in groups of two: one RMID for each group is enough. When all RMIDs
 * are used, a group is refused.
 */
static void group_many(void)
{
	int fd[RMIDS], n = 0, i, ret = 0;
	pid_t pids[RMIDS][2];
	struct knc_pmu_config config;

	sweep();
	while (n < RMIDS && !ret) {
		for (i = 0; i < 2; i++) {
			pids[n][i] = fork();
			if (!pids[n][i]) {
				pause();
				_exit(0);
			}
		}
		fd[n] = device();
		ret = try_group(fd[n], pids[n], sizeof(pids[n]), 0, &config);
		n++;
	}
	expect("the last one", ret, -EBUSY);
	if (config.reason != KNC_PMU_REASON_RMID_NONE && config.reason != KNC_PMU_REASON_RMID_DIRTY)
		fail("reason %u", config.reason);
	within("groups", n - 1, RMIDS / 2 + 1, RMIDS - 1);
	for (i = 0; i < n; i++) {
		kncpmu_close(fd[i]);
		kill(pids[i][0], SIGKILL);
		kill(pids[i][1], SIGKILL);
		waitpid(pids[i][0], NULL, 0);
		waitpid(pids[i][1], NULL, 0);
	}
}

static const struct test tests[] = {
	{ "groups", groups },
	{ "group_ends", group_ends },
	{ "group_forks", group_forks },
	{ "group_refusals", group_refusals },
	{ "group_rights", group_rights },
	{ "group_many", group_many },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc, sweep);
}
