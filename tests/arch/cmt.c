// SPDX-License-Identifier: GPL-2.0
/*
 * Cache monitoring on an emulated Haswell-EP with two packages of two hardware threads: registers,
 * hardware threads, tasks, what is restored, and beside the module resctrl and pqos
 *
 * A program that touches N bytes owns at least N bytes of the L3 afterwards: there is room, because
 * the L3 replaces the least recently used line. The kernel and the test itself bring in less than
 * SLACK.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/cmt_regs.h>
#include <kncpmu.h>

#include "cache.h"

/* #GP comes back as EIO */
static void faults(void)
{
	put(0, 0xc8f, 31, 0);
	put(0, 0xc8f, 32, -EIO);
	put(0, 0xc8f, 0x400, -EIO);
	put(0, 0xc8f, CLASS | 7, 0);
	expect("PQR", get(0, 0xc8f), CLASS | 7);
	put(0, 0xc8f, 4ULL << 32, -EIO);
	put(0, 0xc8f, 0, 0);
	put(0, 0xc8d, 0x3ffULL << 32 | 0xff, 0);
	put(0, 0xc8d, 0x100, -EIO);
	put(0, 0xc8d, 1ULL << 42, -EIO);
	put(0, 0xc8e, 0, -EIO);
	put(0, 0xc90, 1, -EIO);
	/* no such RMID; no such event */
	put(0, 0xc8d, 32ULL << 32 | 1, 0);
	expect("CTR of RMID 32", get(0, 0xc8e), 1ULL << 63);
	put(0, 0xc8d, 2, 0);
	expect("CTR of event 2", get(0, 0xc8e), 1ULL << 63);
	/* each package has its own IA32_QM_EVTSEL and IA32_QM_CTR */
	put(0, 0xc8d, 5ULL << 32 | 1, 0);
	put(2, 0xc8d, 6ULL << 32 | 1, 0);
	expect("EVTSEL of the sibling", get(1, 0xc8d), 5ULL << 32 | 1);
	expect("EVTSEL of the other package", get(3, 0xc8d), 6ULL << 32 | 1);
}

static void info(void)
{
	struct knc_pmu_desc desc[2];
	int fd = device();

	expect("PMUs", kncpmu_pmus(fd, desc, 2), 2);
	expect("name", strcmp(desc[0].name, "arch"), 0);
	expect("unit", desc[0].unit, 0);
	expect("id", desc[1].id, CMT);
	expect("name", strcmp(desc[1].name, "cmt"), 0);
	expect("scope", desc[1].scope, KNC_PMU_SCOPE_L3);
	expect("counters", desc[1].counters, 0);
	expect("RMIDs", desc[1].nr_counters, RMIDS - 1);
	expect("unit", desc[1].unit, UNIT);
	expect("size", desc[1].size, SIZE);
	kncpmu_close(fd);
}

static void threads(void)
{
	unsigned long long start, now;
	int fd;

	pin(0);
	fd = session(1 << 0, 0, 0);
	start = level(fd);
	within("level before", start, 0, THRESHOLD);
	expect("START", kncpmu_start(fd), 0);
	touch(0, TOUCHED);
	now = level(fd);
	within("level", now, TOUCHED, TOUCHED + start + SLACK);
	expect("unit", now % UNIT, 0);
	expect("cpu", records[0].cpu, 0);
	if (!records[0].time_enabled)
		fail("no time");
	/* lines brought in from now on do not belong to the session */
	expect("STOP", kncpmu_stop(fd), 0);
	touch(TOUCHED, TOUCHED);
	within("stopped", level(fd), TOUCHED, now + SLACK);
	expect("RESET", kncpmu_reset(fd, 0), -EOPNOTSUPP);
	kncpmu_close(fd);
}

/* A group of hardware threads has one RMID, and a record for each L3 */
static void domains(void)
{
	int fd;

	fd = session(1 << 1 | 1 << 2 | 1 << 3, 0, 0);
	expect("START", kncpmu_start(fd), 0);
	pin(3);
	touch(0, TOUCHED);
	expect("records", read_all(fd), 2);
	expect("first", records[0].cpu, 0);
	expect("second", records[1].cpu, 2);
	within("of CPU 1", records[0].value[0], 0, SLACK);
	within("of CPUs 2 and 3", records[1].value[0], TOUCHED, TOUCHED + SLACK);
	kncpmu_close(fd);
}

static void flags(int fd, unsigned long long bits, unsigned int want)
{
	inject(0, bits);
	expect("READ", read_all(fd), 2);
	inject(0, 0);
	expect("flags", records[0].flags, want);
	expect("no data", records[0].value[0], 0);
	expect("flags of the other L3", records[1].flags, 0);
}

/* Without data from the hardware a reading is an error, never a number */
static void errors(void)
{
	int fd = session(0xf, 0, 0);

	expect("START", kncpmu_start(fd), 0);
	pin(0);
	touch(0, TOUCHED);
	flags(fd, CMT_CTR_UNAVAILABLE, KNC_PMU_THREAD_UNAVAILABLE);
	flags(fd, CMT_CTR_ERROR, KNC_PMU_THREAD_ERROR);
	flags(fd, CMT_CTR_ERROR | CMT_CTR_UNAVAILABLE, KNC_PMU_THREAD_ERROR);
	within("level", level(fd), TOUCHED, TOUCHED + SLACK);
	kncpmu_close(fd);
	/* an RMID whose occupancy the hardware does not know is not handed out */
	inject(2, CMT_CTR_UNAVAILABLE);
	refused("unknown", 1, 0, 0, -EBUSY, KNC_PMU_REASON_RMID_DIRTY);
	inject(2, 0);
	kncpmu_close(session(1, 0, 0));
}

/* The class of service is never changed, and the former RMID is restored */
static void restored(void)
{
	int fd, again;

	put(1, 0xc8f, CLASS | 9, 0);
	put(2, 0xc8f, 1ULL << 32, 0);
	fd = session(1 << 1 | 1 << 2, 0, 0);
	expect("before START", get(1, 0xc8f), CLASS | 9);
	expect("START", kncpmu_start(fd), 0);
	expect("class", get(1, 0xc8f) >> 32, 3);
	expect("class", get(2, 0xc8f) >> 32, 1);
	if ((get(1, 0xc8f) & 0x3ff) == 9 || !(get(1, 0xc8f) & 0x3ff))
		fail("RMID %llu", get(1, 0xc8f) & 0x3ff);
	expect("shared", get(1, 0xc8f) & 0x3ff, get(2, 0xc8f) & 0x3ff);
	expect("CPU 0", get(0, 0xc8f), 0);
	again = session(1 << 3, 0, 0);
	expect("START", kncpmu_start(again), 0);
	if ((get(3, 0xc8f) & 0x3ff) == (get(1, 0xc8f) & 0x3ff))
		fail("two sessions have RMID %llu", get(3, 0xc8f) & 0x3ff);
	refused("busy", 1 << 0 | 1 << 2, 0, 0, -EBUSY, KNC_PMU_REASON_RMID_BUSY);
	kncpmu_close(again);
	expect("CPU 3", get(3, 0xc8f), 0);
	kncpmu_close(fd);
	expect("CPU 1", get(1, 0xc8f), CLASS | 9);
	expect("CPU 2", get(2, 0xc8f), 1ULL << 32);
	/* the RMID also comes back after kill -9 */
	fd = fork();
	if (!fd) {
		kncpmu_start(session(1 << 1, 0, 0));
		raise(SIGKILL);
	}
	waitpid(fd, NULL, 0);
	expect("CPU 1", get(1, 0xc8f), CLASS | 9);
	/* but an RMID that another program wrote stays */
	fd = session(1 << 1, 0, 0);
	expect("START", kncpmu_start(fd), 0);
	put(1, 0xc8f, 30, 0);
	kncpmu_close(fd);
	expect("CPU 1", get(1, 0xc8f), 30);
	put(1, 0xc8f, 0, 0);
	put(2, 0xc8f, 0, 0);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail("%s: %s", path, strerror(errno));
	close(fd);
}

/* The only hardware thread with the RMID on its L3 goes offline and online */
static void hotplug(void)
{
	int fd = session(1 << 2 | 1 << 3, 0, 0);
	unsigned long long rmid;

	expect("START", kncpmu_start(fd), 0);
	rmid = get(3, 0xc8f);
	write_file("/sys/devices/system/cpu/cpu2/online", "0");
	expect("records", read_all(fd), 1);
	expect("flags", records[0].flags, 0);
	write_file("/sys/devices/system/cpu/cpu3/online", "0");
	expect("records", read_all(fd), 1);
	expect("flags", records[0].flags, KNC_PMU_THREAD_OFFLINE);
	write_file("/sys/devices/system/cpu/cpu3/online", "1");
	expect("RMID", get(3, 0xc8f), rmid);
	expect("records", read_all(fd), 1);
	expect("flags", records[0].flags, 0);
	write_file("/sys/devices/system/cpu/cpu2/online", "1");
	expect("RMID", get(2, 0xc8f), rmid);
	kncpmu_close(fd);
	expect("RMID", get(2, 0xc8f), 0);
	expect("RMID", get(3, 0xc8f), 0);
}

/* A task has its RMID wherever it runs; its children too, with INHERIT */
static void tasks(void)
{
	int fd = session(0, getpid(), KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT);
	unsigned long long mine;
	pid_t pid;

	pin(0);
	expect("START", kncpmu_start(fd), 0);
	touch(0, TOUCHED);
	expect("records", read_all(fd), 2);
	within("first L3", records[0].value[0], TOUCHED, TOUCHED + SLACK);
	within("second L3", records[1].value[0], 0, SLACK);
	mine = get(0, 0xc8f);
	if (!mine)
		fail("it has no RMID");
	expect("CPU 3", get(3, 0xc8f), 0);
	pid = fork();
	if (!pid) {
		pin(3);
		/* not the parent's memory: a write would copy pages */
		touch(TOUCHED, TOUCHED);
		expect("the child's", get(3, 0xc8f), mine);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	expect("records", read_all(fd), 2);
	/* inexact, because fork() also brings in copies of page tables */
	within("second L3", records[1].value[0], TOUCHED, TOUCHED + 2 * SLACK);
	expect("flags", records[1].flags, 0);
	kncpmu_close(fd);
	expect("CPU 0", get(0, 0xc8f), 0);
}

/* Another task on this hardware thread does not have the RMID; a task can't have two RMIDs */
static void others(void)
{
	int ready[2], go[2], fd;
	char c = 0;
	pid_t pid;

	pin(1);
	if (pipe(ready) || pipe(go))
		fail("pipe");
	pid = fork();
	if (!pid) {
		touch(0, LINE);
		if (write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	if (read(ready[0], &c, 1) != 1)
		fail("read");
	fd = session(0, pid, KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PROCESS);
	expect("START", kncpmu_start(fd), 0);
	refused("two RMIDs", 0, pid, KNC_PMU_CONFIG_TASK, -EBUSY, KNC_PMU_REASON_RMID_BUSY);
	touch(0, TOUCHED);
	expect("CPU 1", get(1, 0xc8f), 0);
	within("the waiting one's", level(fd), 0, SLACK);
	if (write(go[1], &c, 1) != 1)
		fail("write");
	waitpid(pid, NULL, 0);
	expect("records", read_all(fd), 2);
	expect("flags", records[0].flags, KNC_PMU_THREAD_ENDED);
	kncpmu_close(fd);
}

/* There can be as many sessions as RMIDs */
static void all(void)
{
	pid_t pid[RMIDS];
	int fd[RMIDS], i, n;

	for (n = 0; n < RMIDS; n++) {
		struct knc_pmu_config config;

		pid[n] = fork();
		if (!pid[n]) {
			pause();
			_exit(0);
		}
		fd[n] = device();
		if (try_config(fd[n], 0, pid[n], KNC_PMU_CONFIG_TASK, &config))
			break;
	}
	if (n < RMIDS)
		refused("one more", 0, pid[n], KNC_PMU_CONFIG_TASK, -EBUSY,
			n == RMIDS - 1 ? KNC_PMU_REASON_RMID_NONE : KNC_PMU_REASON_RMID_DIRTY);
	for (i = 0; i <= n && i < RMIDS; i++) {
		kncpmu_close(fd[i]);
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	/* earlier tests have left RMIDs that still own lines */
	within("sessions", n, RMIDS / 2, RMIDS - 1);
}

/* However many lines a session has left, the next one begins with nearly none */
static void reuse(void)
{
	unsigned int i;
	int fd;

	pin(0);
	for (i = 0; i < 2 * RMIDS; i++) {
		sweep();
		pin(0);
		fd = session(1 << 0, 0, 0);
		within("start", level(fd), 0, THRESHOLD);
		/* both start it */
		if (i % 2)
			kncpmu_start(fd);
		else
			expect("READ", kncpmu_read(fd, records, sizeof(records),
						   KNC_PMU_READ_START), 1);
		touch(0, TOUCHED / 4);
		kncpmu_close(fd);
	}
}

static int config_event(struct knc_pmu_event *event, unsigned int nr, struct knc_pmu_config *config)
{
	struct kncpmu_cpus cpus;
	int fd = device(), ret;

	memset(&cpus, 0, sizeof(cpus));
	kncpmu_cpus_set(&cpus, 0);
	config->pmu = CMT;
	ret = kncpmu_config_sampling(fd, &cpus, event, nr, config);
	kncpmu_close(fd);
	return ret;
}

static void refuse_event(const char *what, struct knc_pmu_event event, unsigned int nr, int want,
			 unsigned int reason)
{
	struct knc_pmu_event events[2] = { event, event };
	struct knc_pmu_config config;

	memset(&config, 0, sizeof(config));
	expect(what, config_event(events, nr, &config), want);
	expect(what, config.reason, reason);
}

static void refusals(void)
{
	struct knc_pmu_event good = { .event = 1 }, e;
	struct knc_pmu_config config = { .sample_interval = 1000000, .ring_size = 4096 };
	struct knc_pmu_owner owner = { .pmu = CMT };
	struct knc_pmu_evict evict = { .pmu = CMT };
	struct knc_pmu_regs regs = { .pmu = CMT };
	int fd;

	e = (struct knc_pmu_event){ .event = 2 };
	refuse_event("event 2", e, 1, -EINVAL, KNC_PMU_REASON_EVENT_NONE);
	e = (struct knc_pmu_event){ .event = 1, .flags = KNC_PMU_EVENT_USR };
	refuse_event("user mode", e, 1, -EINVAL, KNC_PMU_REASON_EVENT_FLAGS);
	e = (struct knc_pmu_event){ .event = 1, .flags = KNC_PMU_EVENT_SAMPLE, .sample_period = 9 };
	refuse_event("samples", e, 1, -EOPNOTSUPP, KNC_PMU_REASON_LEVEL_SAMPLING);
	refuse_event("two events", good, 2, -EINVAL, KNC_PMU_REASON_SET_GROUP);
	expect("time samples", config_event(&good, 1, &config), -EOPNOTSUPP);
	expect("time samples", config.reason, KNC_PMU_REASON_LEVEL_SAMPLING);
	refused("RDPMC", 1, 0, KNC_PMU_CONFIG_RDPMC, -EOPNOTSUPP, KNC_PMU_REASON_RDPMC);
	refused("children without a task", 1, 0, KNC_PMU_CONFIG_INHERIT, -EINVAL,
		KNC_PMU_REASON_TASK_FLAGS);
	refused("exec", 0, 0, KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_ON_EXEC, -EOPNOTSUPP,
		KNC_PMU_REASON_TASK_KERNEL);
	refused("offline", 1 << 20, 0, 0, -ENXIO, KNC_PMU_REASON_CPU_NONE);
	refused("no task", 0, 99999, KNC_PMU_CONFIG_TASK, -ESRCH, KNC_PMU_REASON_TASK_NONE);
	fd = device();
	expect("OWNER", ioctl(fd, KNC_PMU_IOC_OWNER, &owner) ? -errno : 0, -EOPNOTSUPP);
	expect("EVICT", ioctl(fd, KNC_PMU_IOC_EVICT, &evict) ? -errno : 0, -EOPNOTSUPP);
	expect("REGS", ioctl(fd, KNC_PMU_IOC_REGS, &regs) ? -errno : 0, -EOPNOTSUPP);
	kncpmu_close(fd);
	fd = session(1, 0, 0);
	expect("CONFIG twice", try_config(fd, 1, 0, 0, &config), -EALREADY);
	kncpmu_close(fd);
}

static void unprivileged(void)
{
	int fd = device();
	struct knc_pmu_config config;

	if (setuid(65534))
		fail("setuid: %s", strerror(errno));
	expect("CONFIG", try_config(fd, 0, 0, KNC_PMU_CONFIG_TASK, &config), -EPERM);
	expect("reason", config.reason, KNC_PMU_REASON_NONE);
	expect("CONFIG", try_config(fd, 1, 0, 0, &config), -EPERM);
	kncpmu_close(fd);
}

/* A session on CPU 0 brings lines in, and ends. Returns their bytes, and in @rmid their RMID */
static unsigned long long bring_in(unsigned long long *rmid)
{
	unsigned long long bytes;
	int fd;

	pin(0);
	fd = session(1 << 0, 0, 0);
	expect("START", kncpmu_start(fd), 0);
	touch(0, TOUCHED);
	*rmid = get(0, 0xc8f);
	expect("STOP", kncpmu_stop(fd), 0);
	bytes = level(fd);
	kncpmu_close(fd);
	return bytes;
}

/* Bytes of an L3 in the first line of pqos's table for @cpu: TIME,"CPU",KB */
static unsigned long long first_of_pqos(FILE *f, unsigned int cpu)
{
	unsigned long long bytes = 0;
	char line[256], said[256] = "";
	double kb;
	unsigned int n;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*[^,],\"%u\",%lf", &n, &kb) == 2 && n == cpu && !bytes)
			bytes = kb * 1024;
		else if (!bytes)
			snprintf(said, sizeof(said), "%s", line);
	}
	if (pclose(f) || !bytes)
		fail("pqos has no level: %s", said);
	return bytes;
}

/*
 * Intel's pqos uses the registers, not resctrl. It reads the lines that a session has left, because
 * it gives the session's RMID, 1, to the first hardware thread of a package. Lines that CPU 1
 * brings in meanwhile have RMID 1 too.
 */
static void pqos(void)
{
	unsigned long long ours, theirs, rmid;
	FILE *f;

	ours = bring_in(&rmid);
	expect("the first RMID", rmid, 1);
	/* pqos has a lock file there */
	if (mkdir("/run/lock", 0755) && errno != EEXIST)
		fail("/run/lock: %s", strerror(errno));
	pin(2);
	f = popen("pqos --iface=msr --disable-mon-ipc --disable-mon-llc_miss -m llc:1 -t 1 -i 1 -u csv 2>&1",
		  "r");
	if (!f)
		fail("popen: %s", strerror(errno));
	theirs = first_of_pqos(f, 1);
	printf("# RMID %llu: %llu bytes by a session, %llu by pqos\n", rmid, ours, theirs);
	within("pqos's", theirs, ours - UNIT, ours + UNIT);
	expect("RMID after pqos", get(1, 0xc8f), 0);
}

static unsigned long long mon_data(const char *group, const char *domain)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/fs/resctrl%s/mon_data/mon_L3_%s/llc_occupancy", group,
		 domain);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 1)
		fail("%s: %s", path, strerror(errno));
	close(fd);
	return strtoull(text, NULL, 10);
}

static void mount_resctrl(void)
{
	if (mount("resctrl", "/sys/fs/resctrl", "resctrl", 0, NULL))
		fail("mount: %s", strerror(errno));
}

static void unmount_resctrl(void)
{
	if (umount("/sys/fs/resctrl"))
		fail("umount: %s", strerror(errno));
}

/*
 * resctrl reads the lines that a session has left: its groups get RMIDs in ascending order, one of
 * which is the RMID of the session, which was stopped and closed.
 */
static void resctrl(void)
{
	unsigned long long ours, theirs = 0, rmid, n;
	char path[64];

	ours = bring_in(&rmid);
	mount_resctrl();
	for (n = 1; n <= rmid; n++) {
		snprintf(path, sizeof(path), "/sys/fs/resctrl/mon_groups/%llu", n);
		if (mkdir(path, 0755))
			fail("%s: %s", path, strerror(errno));
		snprintf(path, sizeof(path), "/mon_groups/%llu", n);
		theirs = mon_data(path, "00");
	}
	unmount_resctrl();
	printf("# RMID %llu: %llu bytes by a session, %llu by resctrl\n", rmid, ours, theirs);
	within("resctrl's", theirs, ours - UNIT, ours + UNIT);
}

/* While resctrl is mounted no session can begin, and an earlier one has ended */
static void excluded(void)
{
	int fd = session(1 << 1, 0, 0);

	expect("START", kncpmu_start(fd), 0);
	mount_resctrl();
	refused("mounted", 1, 0, 0, -EBUSY, KNC_PMU_REASON_RESCTRL);
	expect("READ", read_all(fd), -EBUSY);
	expect("RMID", get(1, 0xc8f), 0);
	expect("READ", read_all(fd), -ECANCELED);
	expect("START", kncpmu_start(fd), -ECANCELED);
	unmount_resctrl();
	expect("READ", read_all(fd), -ECANCELED);
	kncpmu_close(fd);
	kncpmu_close(session(1 << 1, 0, 0));
}

static const struct test tests[] = {
	/* first: no RMID has been used yet */
	{ "pqos", pqos },
	{ "faults", faults },
	{ "info", info },
	/* early: the RMIDs that resctrl hands out are still in the order of boot */
	{ "resctrl", resctrl },
	{ "threads", threads },
	{ "domains", domains },
	{ "errors", errors },
	{ "restored", restored },
	{ "hotplug", hotplug },
	{ "tasks", tasks },
	{ "others", others },
	{ "all", all },
	{ "reuse", reuse },
	{ "refusals", refusals },
	{ "unprivileged", unprivileged },
	{ "excluded", excluded },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc, sweep);
}
