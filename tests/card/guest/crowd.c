// SPDX-License-Identifier: GPL-2.0
/*
 * One user's load must not block other users: a session of thousands of sleeping threads with
 * commands in an endless loop; a real-time program that leaves the kernel no time
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib.h"

#define CPU		1	/* where the caller of the commands runs */
#define BYSTANDER	3	/* where the other user's tasks run */
#define CROWD		3000	/* threads */
#define FORKS		40
#define TRIES		4
#define STACK		1024	/* of a sleeping thread */
#define HOG_SECONDS	20
#define REFUSALS	100	/* so many waits of 2 seconds do not fit into HOG_SECONDS */
#define LINGER		2	/* probes are removed so many seconds after the last session */
#define PROCESS		KNC_PMU_CONFIG_PROCESS
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static char *records;
static int *gathered;

/* Raise the limits, so that a user without privilege can have @nr threads */
static void allow_threads(unsigned int nr)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };
	const char *path = "/proc/sys/kernel/threads-max";
	FILE *f = fopen(path, "r+");
	unsigned int most = 0;

	if (!f || fscanf(f, "%u", &most) != 1)
		fail("%s: %s", path, strerror(errno));
	rewind(f);
	if (most < 2 * nr)
		fprintf(f, "%u\n", 2 * nr);
	fclose(f);
	check(setrlimit(RLIMIT_NPROC, &limit), 0);
}

static int sleep_forever(void *unused)
{
	for (;;)
		pause();
	return !unused;
}

static void gather(unsigned long nr)
{
	char *stacks = mmap(NULL, nr * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	unsigned long i;

	if (stacks == MAP_FAILED)
		_exit(1);
	for (i = 0; i < nr; i++)
		if (clone(sleep_forever, stacks + (i + 1) * STACK, THREAD_FLAGS, NULL) < 0)
			_exit(1);
	__atomic_store_n(gathered, 1, __ATOMIC_RELEASE);
	sleep_forever(NULL);
}

/* The attack's session: the bystander closes its copy, so that only the attacker keeps it */
static int inherited;

static void fork_often(unsigned long nr)
{
	int pid;

	close(inherited);
	raise(SIGSTOP);
	while (nr--) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			_exit(1);
	}
}

/* The session whose commands are the attack, and the process that this session follows */
struct attack {
	int fd;
	int pid;
};

static void ask_info_again(struct attack *a)
{
	(void)a;
	check(nr_sessions() >= 2, 1);
}

static void read_sum(struct attack *a)
{
	struct record record;

	check(read_all(a->fd, &record, sizeof(record)), 1);
}

static void read_each(struct attack *a)
{
	check(read_flags(a->fd, KNC_PMU_READ_TASKS, records, (CROWD + 2) * sizeof(struct record)),
	      CROWD + 2);
}

static void start_and_stop(struct attack *a)
{
	check(start(a->fd), 0);
	check(stop(a->fd), 0);
}

static void reset_again(struct attack *a)
{
	check(reset(a->fd, 0), 0);
}

static void follow_again(struct attack *a)
{
	close(a->fd);
	a->fd = task_session(a->pid, PROCESS, INSTRUCTIONS_EXECUTED, USR);
}

static const struct act {
	const char *name;
	void (*again)(struct attack *a);
} acts[] = {
	{ "READ", read_sum },
	{ "READ of each", read_each },
	{ "START and STOP", start_and_stop },
	{ "RESET", reset_again },
	{ "CONFIG and close", follow_again },
};

/*
 * The kernel's instructions on BYSTANDER for one fork and exit, while @a repeats a command
 * endlessly
 */
static unsigned long long fork_beside(int counting, struct attack *a,
				      void (*again)(struct attack *a), unsigned long *nr)
{
	unsigned long long count;
	struct program p;

	inherited = a->fd;
	hold_call(&p, BYSTANDER, fork_often, FORKS);
	release(&p);
	wait_state(p.pid, 'T');
	check(reset(counting, 0), 0);
	check(start(counting), 0);
	for (check(kill(p.pid, SIGCONT), 0); !has_ended(&p); ++*nr)
		again(a);
	check(stop(counting), 0);
	finish(&p);
	read_counts(counting, 1, &count);
	return count / FORKS;
}

/* Does a fork cost twice as much while @act is repeated as while INFO is? */
static int costs_forks(int counting, struct attack *a, const struct act *act)
{
	unsigned long long info, beside;
	unsigned long nr_info = 0, nr = 0;

	info = fork_beside(counting, a, ask_info_again, &nr_info);
	beside = fork_beside(counting, a, act->again, &nr);
	note("a fork takes the kernel %llu instructions beside %lu INFO, %llu beside %lu of %s",
	     info, nr_info, beside, nr, act->name);
	return beside > 2 * info;
}

/* The kernel's own work on BYSTANDER varies from second to second: a failed attempt is repeated */
static void check_act(int counting, struct attack *a, const struct act *act)
{
	unsigned int tries = TRIES;

	while (tries && costs_forks(counting, a, act))
		tries--;
	if (!tries)
		fail("%s of a session of %u threads makes others' forks more than twice as dear",
		     act->name, CROWD);
}

static void test_forks(void)
{
	struct attack a;
	struct program p;
	unsigned int i;
	int counting;

	records = malloc((CROWD + 2) * sizeof(struct record));
	gathered = mmap(NULL, sizeof(*gathered), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(records && gathered != MAP_FAILED, 1);
	counting = session(BYSTANDER, INSTRUCTIONS_EXECUTED, OS);
	allow_threads(CROWD);
	become_nobody(device_group());
	pin(CPU);
	hold_call(&p, CPU, gather, CROWD);
	release(&p);
	while (!__atomic_load_n(gathered, __ATOMIC_ACQUIRE) && !has_ended(&p))
		wait_ms();
	check(__atomic_load_n(gathered, __ATOMIC_ACQUIRE), 1);
	a.pid = p.pid;
	a.fd = task_session(a.pid, PROCESS, INSTRUCTIONS_EXECUTED, USR);
	for (i = 0; i < ARRAY_SIZE(acts); i++)
		check_act(counting, &a, &acts[i]);
	close(a.fd);
	kill(p.pid, SIGKILL);
}

static void spin(unsigned long unused)
{
	(void)unused;
	for (;;)
		;
}

static void limit_realtime(const char *us)
{
	const char *path = "/proc/sys/kernel/sched_rt_runtime_us";
	FILE *f = fopen(path, "w");

	if (!f || fputs(us, f) < 0 || fclose(f))
		fail("%s: %s", path, strerror(errno));
}

static void become_hog(unsigned long priority)
{
	struct sched_param param = { .sched_priority = priority };

	check(sched_setscheduler(0, SCHED_FIFO, &param), 0);
}

/*
 * The real-time program ends by itself: while it runs, RCU has no grace periods, for which much of
 * the kernel waits.
 */
static void hog(unsigned long priority)
{
	alarm(HOG_SECONDS);
	become_hog(priority);
	spin(0);
}

/* A real-time program without a limit takes all the time of BYSTANDER. */
static void begin_hog(struct program *p)
{
	limit_realtime("-1");
	hold_call(p, BYSTANDER, hog, 50);
	release(p);
	while (sched_getscheduler(p->pid) != SCHED_FIFO)
		wait_ms();
}

/* The program still runs: nothing in the test has waited for its end. */
static void end_hog(struct program *p)
{
	check(has_ended(p), 0);
	kill(p->pid, SIGKILL);
	check(waitpid(p->pid, NULL, 0), p->pid);
	limit_realtime("950000");
}

/* Is a session on @cpu possible within a second? The kernel's thread there has to run first. */
static int becomes_free(unsigned int cpu)
{
	struct request r;
	int fd, ret = -EBUSY;
	unsigned int ms;

	ask(&r, cpu, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	for (ms = 0; ret == -EBUSY && ms < 1000; ms++) {
		wait_ms();
		fd = open_device();
		ret = config(fd, &r);
		close(fd);
	}
	return !ret;
}

/*
 * While the real-time program runs, sessions on other hardware threads work, and a session that
 * needs BYSTANDER is refused. Only the first refusal comes after a wait.
 */
static void test_stuck(void)
{
	struct program p;
	struct request r;
	unsigned int i;
	int elsewhere;

	/*
	 * otherwise BYSTANDER's registers may still be the module's; before the real-time program,
	 * because perf may wait for RCU, whose thread may be on BYSTANDER
	 */
	save_registers();
	check(perf_asks(), 0);
	put_back_registers();
	begin_hog(&p);
	elsewhere = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	check(start(elsewhere), 0);
	ask(&r, BYSTANDER, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	for (i = 0; i < REFUSALS; i++) {
		refused(&r, EBUSY, KNC_PMU_REASON_CPU_STUCK);
		check(r.c.reason_cpu, BYSTANDER);
	}
	end_hog(&p);
	check(becomes_free(BYSTANDER), 1);
	close(elsewhere);
}

/* The kernel's thread that ends RCU grace periods */
static int rcu_thread(void)
{
	char path[32], name[32] = "";
	int pid;
	FILE *f;

	for (pid = 2; pid < 100; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		f = fopen(path, "r");
		if (!f)
			continue;
		check(fscanf(f, "%31s", name), 1);
		fclose(f);
		if (!strcmp(name, "rcu_preempt") || !strcmp(name, "rcu_sched"))
			return pid;
	}
	fail("no thread of RCU in /proc");
	return 0;
}

/*
 * The probes of earlier task sessions are due to be removed, while the program blocks RCU grace
 * periods. The kernel could not register them a second time: the next session must use the old
 * ones.
 */
static void test_stuck_probes(void)
{
	int first = task_session(0, 0, INSTRUCTIONS_EXECUTED, USR);
	/* keep the registers of some hardware threads with the module */
	int other = session(BYSTANDER, BRANCHES, USR);
	int rcu = rcu_thread();
	struct program p;

	check(pin_task(rcu, BYSTANDER), 0);
	/* children would inherit the session */
	close(first);
	begin_hog(&p);
	sleep(LINGER + 1);
	close(task_session(0, 0, INSTRUCTIONS_EXECUTED, USR));
	end_hog(&p);
	close(other);
	check(unpin_task(rcu), 0);
}

/* Does a hardware thread permit RDPMC? The caller need not run there. */
static int permits_rdpmc(unsigned int cpu)
{
	int fd = open_device();
	struct regs regs;

	check(read_regs(fd, cpu, &regs), 0);
	close(fd);
	return !!(regs.cr4 & KNC_CR4_PCE);
}

/* A session that follows the caller and lets it read by RDPMC */
static int open_counted(void)
{
	struct request r;

	ask_task(&r, 0, KNC_PMU_CONFIG_RDPMC, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	return open_session(&r);
}

/* How often a program has executed RDPMC without calling the kernel, and whether it was refused */
struct readings {
	unsigned long nr;
	int refused;
};

static struct readings *readings;

static void share_readings(void)
{
	readings = mmap(NULL, sizeof(*readings), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(readings == MAP_FAILED, 0);
}

static void on_refusal(int sig)
{
	(void)sig;
	__atomic_store_n(&readings->refused, 1, __ATOMIC_RELEASE);
	spin(0);
}

/*
 * A real-time program reads its counter by RDPMC. knc_read() would call the kernel, and wait there.
 */
static void read_and_hog(unsigned long priority)
{
	check(start(open_counted()), 0);
	check(signal(SIGSEGV, on_refusal) == SIG_ERR, 0);
	alarm(HOG_SECONDS);
	become_hog(priority);
	for (;;) {
		__asm__ __volatile__("rdpmc" : : "c"(0) : "eax", "edx");
		__atomic_store_n(&readings->nr, readings->nr + 1, __ATOMIC_RELEASE);
	}
}

/* A program that never leaves its hardware thread loses its permission while it runs. */
static void test_stuck_reader(void)
{
	struct knc_pmu_evict all = { .cpu = KNC_PMU_NO_CPU, .counter = KNC_PMU_NO_COUNTER };
	int fd = open_device();
	struct program p;

	share_readings();
	limit_realtime("-1");
	pin(CPU);
	hold_call(&p, BYSTANDER, read_and_hog, 99);
	release(&p);
	while (__atomic_load_n(&readings->nr, __ATOMIC_ACQUIRE) < 1000 && !has_ended(&p))
		wait_ms();
	check(permits_rdpmc(BYSTANDER), 1);
	check(command(fd, KNC_PMU_IOC_EVICT, &all), 1);
	check(permits_rdpmc(BYSTANDER), 0);
	check_unowned();
	while (!__atomic_load_n(&readings->refused, __ATOMIC_ACQUIRE) && !has_ended(&p))
		wait_ms();
	check(has_ended(&p), 0);
	check(kill(p.pid, SIGKILL), 0);
	check(waitpid(p.pid, NULL, 0), p.pid);
	close(fd);
	limit_realtime("950000");
}

static int hog_beside(void *priority)
{
	check(pin_task(0, BYSTANDER), 0);
	become_hog((unsigned long)priority);
	__atomic_store_n(&readings->nr, 1, __ATOMIC_RELEASE);
	spin(0);
	return 0;
}

/*
 * Another thread of the process never leaves its hardware thread, whose registers another session
 * keeps with the module
 */
static void close_beside_hog(unsigned long priority)
{
	static char stack[65536];
	int fd = open_counted();

	task_session(0, 0, BRANCHES, USR);
	alarm(HOG_SECONDS);
	check(clone(hog_beside, stack + sizeof(stack), THREAD_FLAGS, (void *)priority) > 0, 1);
	while (!__atomic_load_n(&readings->nr, __ATOMIC_ACQUIRE))
		wait_ms();
	/* all threads of the process have the permission */
	check(permits_rdpmc(BYSTANDER), 1);
	close(fd);
	check(permits_rdpmc(BYSTANDER), 0);
	open_counted();
	check(permits_rdpmc(BYSTANDER), 1);
	readings->refused = 1;
}

/* A process with an endless real-time thread closes its session, and begins another one. */
static void test_stuck_sibling(void)
{
	struct program p;

	share_readings();
	limit_realtime("-1");
	hold_call(&p, CPU, close_beside_hog, 50);
	release(&p);
	finish(&p);
	check(readings->refused, 1);
	limit_realtime("950000");
}

static const struct test tests[] = {
	{ "crowd.forks", test_forks },
	{ "crowd.stuck", test_stuck },
	{ "crowd.stuck-probes", test_stuck_probes },
	{ "crowd.stuck-reader", test_stuck_reader },
	{ "crowd.stuck-sibling", test_stuck_sibling },
};

TEST_PROGRAM(tests)
