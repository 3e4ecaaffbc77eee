// SPDX-License-Identifier: GPL-2.0
/* Which session gets a counter and which is refused; everything is given back */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/regs.h>
#include <knc/ring3.h>

#include "ring.h"

#define CPU	1
#define N	100000UL
#define KILLS	rounds(50)

/* A request of one event on one counter */
static void ask_counter(struct request *r, unsigned int counter,
			unsigned int flags)
{
	ask(r, CPU, 1);
	ask_event(r, 0, BRANCHES, USR | flags);
	r->e[0].counters = 1 << counter;
}

static int take_counter(unsigned int counter)
{
	struct request r;

	ask_counter(&r, counter, 0);
	return open_session(&r);
}

static void check_busy(struct request *r, unsigned int reason,
		       unsigned int event, unsigned int counter, pid_t pid)
{
	int fd = open_device();

	check(config(fd, r), -EBUSY);
	check(r->c.reason, reason);
	if (reason == KNC_PMU_REASON_BUSY)
		check(r->c.reason_event, event);
	check(r->c.reason_counter, counter);
	check(r->c.reason_cpu, CPU);
	check(r->c.reason_pid, pid);
	close(fd);
}

static void test_busy(void)
{
	struct request r;
	int fd;

	fd = take_counter(0);
	ask_counter(&r, 0, 0);
	check_busy(&r, KNC_PMU_REASON_BUSY, 0, 0, getpid());
	ask(&r, CPU - 1, 2);
	ask_cpu(&r, CPU);
	ask_event(&r, 0, BRANCHES, USR);
	ask_event(&r, 1, DATA_READ, USR);
	check_busy(&r, KNC_PMU_REASON_BUSY, 0, 0, getpid());
	/* an event that can only be counted on counter 0 */
	ask(&r, CPU, 2);
	ask_event(&r, 0, BRANCHES, USR);
	ask_event(&r, 1, L2_READ_MISS, USR);
	check_busy(&r, KNC_PMU_REASON_BUSY, 1, 0, getpid());
	/* counter 1 and another hardware thread are free */
	take_counter(1);
	session(CPU + 1, BRANCHES, USR);
	close(fd);
	take_counter(0);
}

/* Another process has the counter: the refusal must name it. */
static void test_busy_pid(void)
{
	struct request r;
	int pipes[2];
	char byte;
	pid_t pid;

	check(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		take_counter(0);
		take_counter(1);
		check(write(pipes[1], "", 1), 1);
		pause();
	}
	check(read(pipes[0], &byte, 1), 1);
	ask_counter(&r, 1, 0);
	check_busy(&r, KNC_PMU_REASON_BUSY, 0, 1, pid);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
	take_counter(1);
}

static void test_spflt_busy(void)
{
	struct request r;

	ask_counter(&r, 0, KNC_PMU_EVENT_SPFLT);
	open_session(&r);
	ask_counter(&r, 1, KNC_PMU_EVENT_SPFLT);
	check_busy(&r, KNC_PMU_REASON_SPFLT_BUSY, 0, 0, getpid());
	/* without SPFLT the session gets the counter */
	take_counter(1);
}

/* Two sessions on one hardware thread: each counts its own. */
static void test_side_by_side(void)
{
	unsigned long long a, b;
	int first, second;

	pin(CPU);
	first = take_counter(0);
	second = take_counter(1);
	check(start(first), 0);
	loop(N);
	check(start(second), 0);
	loop(N);
	check(stop(first), 0);
	loop(N);
	check(reset(first, 0), 0);
	check(stop(second), 0);
	read_counts(first, 1, &a);
	read_counts(second, 1, &b);
	check(a, 0);
	check(b >= 2 * N && b < 2 * N + 200, 1);
	/* closing one session does not stop the other */
	check(start(second), 0);
	check(start(first), 0);
	close(first);
	loop(N);
	check(stop(second), 0);
	read_counts(second, 1, &a);
	check(a - b >= N && a - b < N + 200, 1);
	/* counts of the new session begin at zero */
	first = take_counter(0);
	read_counts(first, 1, &a);
	check(a, 0);
	check(start(first), 0);
	loop(N);
	check(stop(first), 0);
	read_counts(first, 1, &a);
	check(a >= N && a < N + 100, 1);
}

/* A child that inherited the file has the session too. */
static void test_inherited(void)
{
	int fd = take_counter(0), down[2], up[2];
	struct request r;
	pid_t child;
	char byte;

	check(pipe(down) | pipe(up), 0);
	child = fork();
	if (!child) {
		check(read(down[0], &byte, 1), 1);
		close(fd);
		check(write(up[1], "", 1), 1);
		pause();
	}
	check(start(fd), 0);
	close(fd);
	ask_counter(&r, 0, 0);
	check_busy(&r, KNC_PMU_REASON_BUSY, 0, 0, getpid());
	check(write(down[1], "", 1), 1);
	check(read(up[0], &byte, 1), 1);
	take_counter(0);
	kill(child, SIGKILL);
}

/* Register contents before a session. They count no event, therefore they do not change. */
static const struct registers leftovers[] = {
	{ { 0xabcdef0123, 0x5555555555 }, { 0x00030016, 0x7ff7ff2a },
	  0x8000000000000002, 0x1, 0, KNC_APIC_LVT_NMI },
	{ { 0xffffffffff, 1 }, { 0x00410016, 0x00420012 }, 0x3, 0x3, 0,
	  KNC_APIC_LVT_NMI },
	{ { 1, 0 }, { 0x00430016, 0 }, 0, 0x2, 0, KNC_APIC_LVT_NMI },
};

enum ending { CLOSED, STOPPED, EXITED, KILLED, NR_ENDINGS };

static void use(enum ending ending)
{
	unsigned long long counts[2];
	struct request r;
	int fd = open_device();

	ask(&r, CPU, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | OS);
	ask_event(&r, 1, BRANCHES, USR | OS | KNC_PMU_EVENT_SPFLT);
	r.c.flags = KNC_PMU_CONFIG_USER_PREF;
	pin(CPU);
	check(config(fd, &r), 0);
	check(start(fd), 0);
	loop(N);
	read_counts(fd, 2, counts);
	/* the counter's former contents are not counted */
	check(counts[0] >= 2 * N && counts[0] < 100 * N, 1);
	check(counts[1] >= N && counts[1] < 100 * N, 1);
	if (ending == STOPPED)
		check(stop(fd), 0);
	if (ending == CLOSED || ending == STOPPED)
		close(fd);
	if (ending == KILLED)
		kill(getpid(), SIGKILL);
	_exit(0);
}

static void test_restored(void)
{
	unsigned int i, ending;
	pid_t pid;
	int status;

	for (i = 0; i < ARRAY_SIZE(leftovers); i++) {
		put_registers(CPU, &leftovers[i]);
		check_registers(CPU, &leftovers[i]);
		for (ending = 0; ending < NR_ENDINGS; ending++) {
			pid = fork();
			if (!pid)
				use(ending);
			check(waitpid(pid, &status, 0), pid);
			check(status, ending == KILLED ? SIGKILL : 0);
			check_registers(CPU, &leftovers[i]);
		}
	}
	put_registers(CPU, &zeros);
}

/* Two sessions end, in either order: the last one restores the registers */
static void test_restored_both(void)
{
	int first, second, turn;

	for (turn = 0; turn < 2; turn++) {
		put_registers(CPU, &leftovers[0]);
		first = take_counter(turn);
		second = take_counter(!turn);
		check(start(first), 0);
		check(start(second), 0);
		close(first);
		close(second);
		check_registers(CPU, &leftovers[0]);
	}
	put_registers(CPU, &zeros);
}

static void test_reset_registers(void)
{
	struct request r;
	int fd = open_device();

	put_registers(CPU, &leftovers[0]);
	ask(&r, CPU, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, BRANCHES, USR);
	check(config(fd, &r), 0);
	check(reset(fd, KNC_PMU_RESET_REGISTERS), 0);
	check(start(fd), 0);
	close(fd);
	check_registers(CPU, &zeros);
}

static void hammer(void)
{
	struct record record[4];
	struct request r;
	unsigned int cpu;
	int fd;

	ask(&r, 0, 2);
	for (cpu = 1; cpu < nr_cpus() && cpu < 4; cpu++)
		ask_cpu(&r, cpu);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | OS);
	ask_event(&r, 1, BRANCHES, USR | KNC_PMU_EVENT_SPFLT);
	for (;;) {
		fd = open_session(&r);
		while (random_below(20)) {
			check(start(fd), 0);
			check(read_all(fd, record, sizeof(record)) > 0, 1);
			check(stop(fd), 0);
		}
		close(fd);
	}
}

static void check_both_free(void)
{
	close(take_counter(0));
	close(take_counter(1));
}

static void test_kill(void)
{
	kill_clients(KILLS, hammer, check_both_free);
}

/* Eviction */

#define PAGE		4096
#define BIG_RING	0x100000U
#define ALIEN		1000	/* user ID other than NOBODY */
#define PERF_MLOCK	(516UL << 10)	/* for each CPU */

/* The kernel may close a file later, in a thread of its own. */
static void wait_sessions(unsigned int nr)
{
	while (nr_sessions() != nr)
		wait_ms();
}

/* A session whose rings take all that its user may lock */
static int whole_session(void)
{
	int fd = open_device(), tries = 10000;
	struct request r;

	ask_task(&r, 0, 0, 1);
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, 1000003);
	r.c.ring_size = BIG_RING;
	/* the last session gives its memory back after its counters */
	while (config(fd, &r) == -ENOMEM && r.c.reason == KNC_PMU_REASON_RING_MEMLOCK && tries--)
		wait_ms();
	check(r.c.reason, 0);
	check(start(fd), 0);
	return fd;
}

static void begin_and_end(void)
{
	close(whole_session());
}

/* Only sockets hold the session's file, and only their own queues hold the sockets. */
static void throw_away(void)
{
	int sockets[2], fd = whole_session();

	check(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
	pass_file(sockets[0], fd);
	pass_file(sockets[0], sockets[1]);
	pass_file(sockets[1], sockets[0]);
}

/* When any socket is closed, the kernel looks for such sockets. */
static void collect(void)
{
	close(socket(AF_UNIX, SOCK_DGRAM, 0));
}

static void test_in_flight(void)
{
	unsigned long bytes = nr_cpus() * (PAGE + BIG_RING - PERF_MLOCK);
	struct rlimit limit = { bytes, bytes };
	unsigned int i;

	check(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	for (i = 0; i < 5; i++) {
		as_user(NOBODY, throw_away);
		as_user(ALIEN, collect);
		wait_sessions(0);
		/* both users can have the memory again */
		as_user(NOBODY, begin_and_end);
		as_user(ALIEN, begin_and_end);
	}
}

/* Is RDPMC refused to this process's memory? A child that shares the memory tries. */
static int is_denied(void)
{
	unsigned int low, high;
	int status;
	pid_t pid = vfork();

	if (!pid) {
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (0));
		_exit(0);
	}
	check(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

/* A session that only io_uring holds; returns its file */
static int hold_by_uring(void)
{
	struct io_uring_params p;
	int uring, fd;

	memset(&p, 0, sizeof(p));
	uring = syscall(SYS_io_uring_setup, 4, &p);
	if (uring < 0)
		skip("no io_uring: %s", strerror(errno));
	fd = task_session(0, KNC_PMU_CONFIG_RDPMC | KNC_PMU_CONFIG_INHERIT,
			  INSTRUCTIONS_EXECUTED, USR);
	check(start(fd), 0);
	check(syscall(SYS_io_uring_register, uring, IORING_REGISTER_FILES, &fd, 1), 0);
	close(fd);
	check(nr_sessions(), 1);
	check(is_denied(), 0);
	return uring;
}

static void close_uring(void)
{
	close(hold_by_uring());
	wait_sessions(0);
	check(is_denied(), 1);
}

static void end_with_uring(void)
{
	hold_by_uring();
}

static void test_io_uring(void)
{
	as_user(NOBODY, close_uring);
	as_user(NOBODY, end_with_uring);
	wait_sessions(0);
}

static int evict(unsigned int cpu, unsigned int counter)
{
	struct knc_pmu_evict r = {
		.cpu = cpu,
		.counter = counter,
	};
	int fd = open_device(), ret;

	ret = command(fd, KNC_PMU_IOC_EVICT, &r);
	close(fd);
	return ret;
}

static int evict_all(void)
{
	return evict(KNC_PMU_NO_CPU, KNC_PMU_NO_COUNTER);
}

/* Check the commands of an evicted session; @want: its counts */
static void check_evicted(int fd, unsigned long long want)
{
	struct record record;
	struct request r;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		memset(&record, 0, sizeof(record));
		check(read_flags(fd, i ? KNC_PMU_READ_COUNTS : 0, &record,
				 KNC_PMU_THREAD_SIZE(1)), 1);
		check(record.flags, KNC_PMU_THREAD_EVICTED);
		check(record.value[0], want);
		check(!record.time_running, i || !want);
	}
	check(start(fd), -ECANCELED);
	check(stop(fd), -ECANCELED);
	check(reset(fd, 0), -ECANCELED);
	ask_counter(&r, 0, 0);
	check(config(fd, &r), -EALREADY);
	check_unowned();
	check(nr_sessions(), 0);
}

/* Sessions on hardware threads: only sessions that have this counter there are evicted. */
static void test_evict_threads(void)
{
	unsigned long long want;
	int fd[3];

	pin(CPU);
	fd[0] = take_counter(0);
	fd[1] = take_counter(1);
	fd[2] = session(CPU + 1, BRANCHES, USR);
	check(start(fd[0]), 0);
	loop(N);
	check(stop(fd[0]), 0);
	read_counts(fd[0], 1, &want);
	check(want >= N, 1);
	check(start(fd[1]), 0);
	check(evict(CPU, 1), 1);
	check(evict(CPU, 1), 0);
	check(nr_sessions(), 2);
	close(fd[1]);
	check(evict(CPU + 1, 0), 1);
	close(fd[2]);
	read_counts(fd[0], 1, &want);
	check(evict(CPU, KNC_PMU_NO_COUNTER), 1);
	check_evicted(fd[0], want);
	/* the registers are free, also after the evicted session is closed */
	fd[1] = take_counter(0);
	check(start(fd[1]), 0);
	close(fd[0]);
	loop(N);
	check(stop(fd[1]), 0);
	read_counts(fd[1], 1, &want);
	check(want >= N, 1);
}

/*
 * A sleeping unprivileged process has a counter, and RDPMC, which blocks the other counter for
 * sessions on hardware threads. Its parent has the session's file too, and sees the eviction.
 */
static void test_evict_tasks(void)
{
	unsigned long long want;
	int fd = open_device();
	struct request r;
	int pipes[2];
	char byte;
	pid_t pid;

	check(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		become_nobody(device_group());
		ask_task(&r, 0, KNC_PMU_CONFIG_RDPMC, 1);
		ask_event(&r, 0, BRANCHES, USR);
		check(config(fd, &r), 0);
		check(start(fd), 0);
		loop(N);
		check(write(pipes[1], "", 1), 1);
		pause();
		_exit(0);
	}
	check(read(pipes[0], &byte, 1), 1);
	wait_state(pid, 'S');
	check(ask_grants(NULL, 0), 1);
	check_owner(0, KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS, pid);
	read_task(fd, 1, 0, &want);
	check(want >= N && want < 2 * N, 1);
	check(evict_all(), 1);
	check(evict_all(), 0);
	check(ask_grants(NULL, 0), 0);
	check_evicted(fd, want);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
	check_evicted(fd, want);
}

/* EVICT does not evict the caller's own session. */
static void test_evict_self(void)
{
	struct knc_pmu_evict r = {
		.cpu = KNC_PMU_NO_CPU,
		.counter = KNC_PMU_NO_COUNTER,
	};
	int fd = take_counter(0), other = take_counter(1);

	check(command(fd, KNC_PMU_IOC_EVICT, &r), 1);
	check(start(fd), 0);
	check(start(other), -ECANCELED);
	check(nr_sessions(), 1);
}

/**
 * struct held - a CONFIG that waits for a page of its caller
 * @r: the request, in that page
 * @fd: the device
 * @err: what CONFIG has returned
 */
struct held {
	struct request *r;
	int fd;
	int err;
};

static void *config_held(void *arg)
{
	struct held *h = arg;

	h->err = config(h->fd, h->r);
	return NULL;
}

/* Let writes to the page @area wait until a call with @protect 0. */
static void write_protect(int uffd, struct uffdio_range area, int protect)
{
	struct uffdio_writeprotect wp = {
		.range = area,
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	check(ioctl(uffd, UFFDIO_WRITEPROTECT, &wp), 0);
}

/* A page to which writes wait; @area returns its address */
static int held_page(struct uffdio_range *area)
{
	int uffd = watch_faults(UFFD_FEATURE_PAGEFAULT_FLAG_WP, *area,
				UFFDIO_REGISTER_MODE_WP);

	/* poll() of a blocking userfaultfd is refused */
	check(fcntl(uffd, F_SETFL, O_NONBLOCK), 0);
	write_protect(uffd, *area, 1);
	return uffd;
}

/* A CONFIG takes no counter while its caller blocks the write of the answer. */
static void test_config_held(void)
{
	struct uffdio_range area = { .len = 4096 };
	struct held h = { .fd = open_device() };
	struct pollfd waits = { .events = POLLIN };
	pthread_t thread;
	int uffd, other;

	h.r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.start = (unsigned long)h.r;
	check(sizeof(*h.r) <= area.len, 1);
	ask_counter(h.r, 0, 0);
	uffd = held_page(&area);
	waits.fd = uffd;
	check(pthread_create(&thread, NULL, config_held, &h), 0);
	/* CONFIG waits */
	check(poll(&waits, 1, 120000), 1);
	check(nr_sessions(), 0);
	other = take_counter(0);
	close(other);
	write_protect(uffd, area, 0);
	check(pthread_join(thread, NULL), 0);
	check(h.err, 0);
	check(nr_sessions(), 1);
	check(evict_all(), 1);
}

/* Arguments of a blocked READ; any process with the descriptor of root's session may call it */
struct held_read {
	void *to;
	int fd;
	unsigned int flags;
	int ret;
};

static void *read_held(void *arg)
{
	struct held_read *h = arg;

	h->ret = read_flags(h->fd, h->flags, h->to, 4096);
	return NULL;
}

/*
 * READ of all hardware threads waits, because its caller blocks writes to the page: no other
 * process waits.
 */
static void evict_held(unsigned int flags, int evicted)
{
	struct uffdio_range area = { .len = 4096 };
	struct held_read h = { .flags = flags };
	struct pollfd waits = { .events = POLLIN };
	struct knc_pmu_thread *record;
	char room[4096];
	struct request r;
	pthread_t thread;
	unsigned int cpu;
	int uffd;

	h.to = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* only a page that exists can be write-protected */
	memset(h.to, 0, 4096);
	area.start = (unsigned long)h.to;
	h.fd = open_device();
	ask_counter(&r, 0, 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		ask_cpu(&r, cpu);
	check(config(h.fd, &r), 0);
	check(start(h.fd), 0);
	if (evicted)
		check(evict_all(), 1);
	uffd = held_page(&area);
	waits.fd = uffd;
	check(pthread_create(&thread, NULL, read_held, &h), 0);
	check(poll(&waits, 1, 120000), 1);
	/* other READs of the same session work too */
	check(read_all(h.fd, room, sizeof(room)), nr_cpus());
	check(stop(h.fd), evicted ? -ECANCELED : 0);
	check(evict_all(), !evicted);
	check(nr_sessions(), 0);
	write_protect(uffd, area, 0);
	check(pthread_join(thread, NULL), 0);
	check(h.ret, nr_cpus());
	record = h.to;
	check(record->flags, evicted ? KNC_PMU_THREAD_EVICTED : 0);
	check(!record->time_enabled, !!(flags & KNC_PMU_READ_COUNTS));
	close(uffd);
	close(h.fd);
	munmap(h.to, 4096);
}

static void test_read_held(void)
{
	evict_held(0, 0);
	evict_held(KNC_PMU_READ_COUNTS, 0);
	evict_held(KNC_PMU_READ_STOP, 0);
	evict_held(KNC_PMU_READ_START | KNC_PMU_READ_COUNTS, 0);
	evict_held(0, 1);
	evict_held(KNC_PMU_READ_COUNTS, 1);
}

/* A command whose argument, or whose array, is in a page that never comes */
struct held_command {
	unsigned long cmd;
	void *arg;
	int fd;
};

static void *command_held(void *arg)
{
	struct held_command *h = arg;

	command(h->fd, h->cmd, h->arg);
	return NULL;
}

/* Others open sessions with RDPMC, fork, and list and evict sessions */
static void use_device(void)
{
	int fd = task_session(0, KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT |
			      KNC_PMU_CONFIG_RDPMC, BRANCHES, USR);
	struct record record;
	pid_t pid;

	check(start(fd), 0);
	pid = fork();
	if (!pid)
		_exit(0);
	wait_child(pid);
	check(read_all(fd, &record, sizeof(record)), 1);
	check(ask_grants(NULL, 0), 1);
	check(evict_all() >= 1, 1);
	close(fd);
}

static void hold_command(unsigned long cmd, void *arg, struct uffdio_range *area)
{
	struct held_command h = { .cmd = cmd, .arg = arg, .fd = open_device() };
	struct uffdio_zeropage zero = { .range = *area };
	struct uffd_msg msg;
	pthread_t thread;
	int uffd;

	madvise((void *)(unsigned long)area->start, area->len, MADV_DONTNEED);
	uffd = watch_faults(0, *area, UFFDIO_REGISTER_MODE_MISSING);
	check(pthread_create(&thread, NULL, command_held, &h), 0);
	check(read(uffd, &msg, sizeof(msg)), sizeof(msg));
	use_device();
	check(ioctl(uffd, UFFDIO_ZEROPAGE, &zero), 0);
	check(pthread_join(thread, NULL), 0);
	close(uffd);
	close(h.fd);
}

static void test_commands_held(void)
{
	static const unsigned long commands[] = {
		KNC_PMU_IOC_INFO, KNC_PMU_IOC_CONFIG, KNC_PMU_IOC_READ, KNC_PMU_IOC_REGS,
		KNC_PMU_IOC_OWNER, KNC_PMU_IOC_STATS, KNC_PMU_IOC_GRANTS, KNC_PMU_IOC_EVICT
	};
	struct uffdio_range area = { .len = PAGE };
	struct knc_pmu_list list = { .nr = 4, .size = 64 };
	struct knc_pmu_info info;
	struct knc_pmu_regs regs = { .cpu = 0 };
	struct request r;
	unsigned int i;
	void *page;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.start = (unsigned long)page;
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		hold_command(commands[i], page, &area);
	list.entries = area.start;
	hold_command(KNC_PMU_IOC_STATS, &list, &area);
	task_session(0, KNC_PMU_CONFIG_RDPMC, INSTRUCTIONS_EXECUTED, USR);
	hold_command(KNC_PMU_IOC_GRANTS, &list, &area);
	memset(&info, 0, sizeof(info));
	info.pmus = list;
	hold_command(KNC_PMU_IOC_INFO, &info, &area);
	regs.regs = list;
	hold_command(KNC_PMU_IOC_REGS, &regs, &area);
	ask(&r, CPU, 1);
	r.c.events = area.start;
	hold_command(KNC_PMU_IOC_CONFIG, &r.c, &area);
	ask(&r, CPU, 1);
	ask_event(&r, 0, BRANCHES, USR);
	r.c.cpus = area.start;
	hold_command(KNC_PMU_IOC_CONFIG, &r.c, &area);
}

/* Sessions of tasks that begin and end, with every operation, while they are evicted */
static void evictable(void)
{
	struct record record;
	struct request r;
	unsigned int i;
	int fd, err;
	pid_t pid;

	for (;;) {
		fd = open_device();
		if (random_below(2))
			ask_task(&r, 0, KNC_PMU_CONFIG_INHERIT | KNC_PMU_CONFIG_RDPMC |
				 KNC_PMU_CONFIG_PROCESS, 1);
		else
			ask(&r, random_below(nr_cpus()), 1);
		ask_event(&r, 0, BRANCHES, USR);
		err = config(fd, &r);
		check(!err || err == -EBUSY, 1);
		for (i = 0; !err && i < 5; i++) {
			err = start(fd);
			check(!err || err == -ECANCELED, 1);
			pid = random_below(3) ? -1 : fork();
			loop(random_below(2000));
			if (!pid)
				_exit(0);
			check(read_all(fd, &record, sizeof(record)), 1);
			if (err)
				check(record.flags, KNC_PMU_THREAD_EVICTED);
			err = stop(fd);
			check(!err || err == -ECANCELED, 1);
			if (pid > 0)
				waitpid(pid, NULL, 0);
		}
		close(fd);
	}
}

#define EVICTABLES	3
#define EVICTIONS	rounds(100)

static void test_evict_any_time(void)
{
	pid_t pid[EVICTABLES];
	unsigned int i, nr = 0;

	/* grandchildren have the sessions too: adopt them, to wait for all */
	check(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (i = 0; i < EVICTABLES; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			setpgid(0, 0);
			evictable();
		}
		setpgid(pid[i], pid[i]);
	}
	while (nr < EVICTIONS) {
		int ret = evict_all();

		if (ret < 0)
			fail("EVICT returned %d", ret);
		nr += ret;
		for (i = 0; i < EVICTABLES; i++)
			check(waitpid(pid[i], NULL, WNOHANG), 0);
	}
	for (i = 0; i < EVICTABLES; i++)
		kill(-pid[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	check_both_free();
	check_no_pce();
}

/* The second of two callers is refused, in either order; afterwards the counter is free again. */
static void test_perf(void)
{
	struct request r;
	int perf, fd = open_device();

	pin(CPU);
	perf = perf_open(INSTRUCTIONS_EXECUTED, 0, -1);
	if (perf < 0)
		fail("perf_event_open: %s", strerror(-perf));
	ask_counter(&r, 0, 0);
	check(config(fd, &r), -EBUSY);
	check(r.c.reason, KNC_PMU_REASON_PMU_RESERVED);
	close(perf);
	check(config(fd, &r), 0);
	check(perf_open(INSTRUCTIONS_EXECUTED, 0, -1), -EBUSY);
	close(fd);
	perf = perf_open(INSTRUCTIONS_EXECUTED, 0, -1);
	check(perf >= 0, 1);
	close(perf);
	/* perf leaves values in the registers */
	put_registers(CPU, &zeros);
}

static const struct test tests[] = {
	{ "own.busy", test_busy },
	{ "own.busy-pid", test_busy_pid },
	{ "own.spflt-busy", test_spflt_busy },
	{ "own.side-by-side", test_side_by_side },
	{ "own.inherited", test_inherited },
	{ "own.restored", test_restored },
	{ "own.restored-both", test_restored_both },
	{ "own.reset-registers", test_reset_registers },
	{ "own.kill", test_kill },
	{ "own.in-flight", test_in_flight },
	{ "own.io-uring", test_io_uring },
	{ "own.evict-threads", test_evict_threads },
	{ "own.evict-tasks", test_evict_tasks },
	{ "own.evict-self", test_evict_self },
	{ "own.config-held", test_config_held },
	{ "own.read-held", test_read_held },
	{ "own.commands-held", test_commands_held },
	{ "own.evict-any-time", test_evict_any_time },
	{ "own.perf", test_perf },
};

TEST_PROGRAM(tests)
