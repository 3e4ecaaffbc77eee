// SPDX-License-Identifier: GPL-2.0
/*
 * Acts of the fuzzer's processes besides ioctls: mappings, processes, programs,
 * threads, passing descriptors on, migration, RDPMC
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "hostile.h"

#define PAGE		4096
#define MAPPINGS	6
#define CHILDREN	3
#define THREADS		2

char suid_program[4096], plain_program[4096];

/* RDPMC */

static __thread int denied;

/* RDPMC has two bytes: 0f 33. Other bytes: the fault was an access to memory unmapped meanwhile. */
static void step_over(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const unsigned char *ip = (void *)uc->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	(void)info;
	if (ip[0] != 0x0f || ip[1] != 0x33) {
		TALLY(shared->faults);
		_exit(4);
	}
	uc->uc_mcontext.gregs[REG_RIP] += 2;
	__atomic_store_n(&denied, 1, __ATOMIC_RELEASE);
}

void catch_denial(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = step_over;
	sa.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
}

int is_permitted(void)
{
	unsigned int low, high;

	__atomic_store_n(&denied, 0, __ATOMIC_RELEASE);
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (below(2)) :
		     "memory");
	return !LOAD(denied);
}

/* Mappings */

static struct {
	void *at;
	size_t size;
} mappings[MAPPINGS];

static void map_one(unsigned int slot, unsigned int i)
{
	size_t size = PAGE + ring_sizes[slot];
	off_t offset = size * below(nr_cpus() + 1);
	int prot = PROT_READ | PROT_WRITE;

	if (!ring_sizes[slot] || one_in(4)) {
		size = PAGE;
		offset = KNC_PMU_PAGE_OFFSET;
		prot = one_in(8) ? prot : PROT_READ;
	}
	if (one_in(16))
		size += PAGE * (int)(below(4) - 1);
	if (one_in(16))
		offset = any_bits() >> below(64) << 12;
	mappings[i].at = mmap(NULL, size, one_in(16) ? PROT_READ : prot,
			      one_in(16) ? MAP_PRIVATE : MAP_SHARED,
			      FIRST_FILE + slot, offset);
	mappings[i].size = size;
	if (mappings[i].at != MAP_FAILED) {
		TALLY(shared->accepted[CALL_MMAP]);
		return;
	}
	mappings[i].at = NULL;
	if (errno < ERRNOS)
		TALLY(shared->errnos[errno]);
	if (errno == EBADF)
		TALLY(shared->died[CALL_MMAP]);
	else
		TALLY(shared->refused[CALL_MMAP]);
}

void map_some(unsigned int slot)
{
	unsigned int i = below(MAPPINGS);

	if (mappings[i].at)
		munmap(mappings[i].at, mappings[i].size);
	map_one(slot, i);
}

void unmap_all(void)
{
	unsigned int i;

	for (i = 0; i < MAPPINGS; i++) {
		if (mappings[i].at)
			munmap(mappings[i].at, mappings[i].size);
		mappings[i].at = NULL;
	}
}

/* A part of a mapping, or all of it */
static void *part_of(unsigned int i, size_t *size)
{
	size_t pages = mappings[i].size / PAGE, first;

	if (!pages || one_in(2)) {
		*size = mappings[i].size;
		return mappings[i].at;
	}
	first = below(pages);
	*size = PAGE * (1 + below(pages - first));
	return mappings[i].at + PAGE * first;
}

static void move_mapping(unsigned int i)
{
	size_t size = mappings[i].size + PAGE * (int)(below(3) - 1);
	void *to;

	to = mremap(mappings[i].at, one_in(4) ? 0 : mappings[i].size, size,
		    MREMAP_MAYMOVE);
	if (to == MAP_FAILED)
		return;
	mappings[i].at = to;
	mappings[i].size = size;
}

/* Let the kernel write to the mapping, which may be gone. */
static void scribble(unsigned int i)
{
	struct knc_pmu_ring *ring = mappings[i].at;

	if (one_in(2))
		syscall(SYS_getrandom, &ring->tail, sizeof(ring->tail), 0);
	else
		syscall(SYS_getrandom, (void *)ring + 8 * below(512), 8, 0);
}

static void act_mapping(void)
{
	static const int prot[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
		PROT_READ | PROT_WRITE | PROT_EXEC
	};
	unsigned int i = below(MAPPINGS);
	size_t size;
	void *at;

	if (!mappings[i].at) {
		map_one(below(FILES), i);
		return;
	}
	at = part_of(i, &size);
	switch (below(6)) {
	case 0:
		munmap(at, size);
		if (size == mappings[i].size)
			mappings[i].at = NULL;
		break;
	case 1:
		move_mapping(i);
		break;
	case 2:
		mprotect(at, size, prot[below(4)]);
		break;
	case 3:
		madvise(at, size, one_in(2) ? MADV_DONTNEED : MADV_DONTFORK);
		break;
	default:
		scribble(i);
	}
}

/* Processes and threads */

static void spin(void)
{
	loop(1000 + below(30000));
}

static void drop_privileges(void)
{
	if (setgroups(0, NULL) || setuid(one_in(2) ? NOBODY : NOBODY - 1))
		_exit(5);
}

void hop(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		spin();
		is_permitted();
	}
	_exit(0);
}

static void execute(void)
{
	char *argv[4], *envp[1] = { NULL };
	char seed[16];

	sprintf(seed, "%u", below(1 << 30));
	argv[0] = "hop";
	argv[1] = "--hop";
	argv[2] = seed;
	argv[3] = NULL;
	if (one_in(2))
		execve(suid_program, argv, envp);
	execve(plain_program, argv, envp);
	_exit(6);
}

static void live_as_child(unsigned int seed)
{
	begin_stream(shared->seed, shared->round, seed);
	make_arena();
	if (!geteuid() && one_in(4))
		drop_privileges();
	if (one_in(3))
		usleep(below(3000));
	if (one_in(3))
		execute();
	act_for(below(30));
	_exit(0);
}

/* The child shares the table of descriptors, or copies it */
static void act_fork(void)
{
	static unsigned int nr;
	unsigned int seed = any_bits();
	long pid;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		nr -= !!nr;
	if (nr >= CHILDREN) {
		kill(last_child, SIGKILL);
		if (waitpid(-1, NULL, 0) > 0)
			nr--;
		return;
	}
	if (one_in(6))
		pid = syscall(SYS_clone, SIGCHLD | CLONE_FILES, NULL, NULL,
			      NULL, NULL);
	else
		pid = fork();
	if (!pid)
		live_as_child(seed);
	if (pid > 0) {
		last_child = pid;
		nr++;
	}
}

static void act_kill(void)
{
	if (last_child > 1)
		kill(last_child, one_in(4) ? SIGSTOP : SIGKILL);
	if (last_child > 1)
		kill(last_child, SIGCONT);
}

static void *live_as_thread(void *seed)
{
	begin_stream(shared->seed, shared->round, (unsigned long)seed);
	make_arena();
	act_for(below(40));
	return NULL;
}

/* Only the first thread of a process creates and joins threads */
static void act_thread(void)
{
	static pthread_t threads[THREADS];
	static int started[THREADS];
	static int by;
	unsigned int i = below(THREADS);
	unsigned long seed = any_bits();

	if (!by)
		by = getpid();
	if (by != getpid() || syscall(SYS_gettid) != by)
		return;
	if (started[i])
		pthread_join(threads[i], NULL);
	started[i] = !pthread_create(&threads[i], NULL, live_as_thread,
				     (void *)(seed & 0xffffffff));
}

/* Descriptors */

static void send_file(unsigned int slot)
{
	char room[CMSG_SPACE(sizeof(int))], byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg;
	struct cmsghdr *c;

	memset(&msg, 0, sizeof(msg));
	memset(room, 0, sizeof(room));
	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	msg.msg_control = room;
	msg.msg_controllen = sizeof(room);
	c = CMSG_FIRSTHDR(&msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	slot += FIRST_FILE;
	memcpy(CMSG_DATA(c), &slot, sizeof(int));
	sendmsg(shared->files[0], &msg, MSG_DONTWAIT);
}

static void take_file(unsigned int slot)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg;
	struct cmsghdr *c;
	int fd;

	memset(&msg, 0, sizeof(msg));
	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	msg.msg_control = room;
	msg.msg_controllen = sizeof(room);
	if (recvmsg(shared->files[1], &msg, MSG_DONTWAIT) < 0)
		return;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	dup3(fd, FIRST_FILE + slot, O_CLOEXEC);
	close(fd);
}

static void act_poll(void)
{
	struct pollfd p;

	p.fd = FIRST_FILE + below(FILES);
	p.events = POLLIN;
	poll(&p, 1, below(3));
}

/* The process itself */

static void act_migrate(void)
{
	int pid = 0;

	if (one_in(4))
		pid = shared->pids[below(ACTORS)];
	if (one_in(4))
		unpin_task(pid);
	else
		pin_task(pid, any_cpu());
}

static void act_self(void)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	char name[17];

	switch (below(4)) {
	case 0:
		prctl(PR_SET_DUMPABLE, below(2));
		break;
	case 1:
		memset(name, 0, sizeof(name));
		syscall(SYS_getrandom, name, below(16), 0);
		prctl(PR_SET_NAME, name);
		break;
	case 2:
		limit.rlim_cur = below(64) << 12;
		setrlimit(RLIMIT_MEMLOCK, &limit);
		break;
	default:
		sched_yield();
	}
}

static void act_close(void)
{
	unsigned int slot;

	if (!one_in(3)) {
		fresh_file(below(FILES));
		return;
	}
	for (slot = 0; slot < FILES; slot++)
		close(FIRST_FILE + slot);
}

static void act_session(void)
{
	any_session(below(FILES));
}

/* If the slot's session was closed: mostly calls of a new session */
static void act_calls(void)
{
	unsigned int slot = below(FILES);

	if (fcntl(FIRST_FILE + slot, F_GETFD) < 0 && !one_in(8))
		any_session(slot);
	else
		some_calls(slot);
}

static void act_send(void)
{
	send_file(below(FILES));
}

static void act_take(void)
{
	take_file(below(FILES));
}

static void act_rdpmc(void)
{
	is_permitted();
}

/* A session has about twenty calls. Acts that take as long as hundreds of calls are rare. */
static const struct {
	const char *name;
	unsigned int weight;
	void (*act)(void);
} acts[] = {
	{ "session", 60, act_session },
	{ "calls", 140, act_calls },
	{ "close", 10, act_close },
	{ "mapping", 60, act_mapping },
	{ "arena", 10, change_arena },
	{ "RDPMC", 20, act_rdpmc },
	{ "spin", 6, spin },
	{ "migrate", 12, act_migrate },
	{ "send", 6, act_send },
	{ "take", 6, act_take },
	{ "self", 5, act_self },
	{ "poll", 4, act_poll },
	{ "fork", 6, act_fork },
	{ "kill", 6, act_kill },
	{ "thread", 5, act_thread },
};

const char *act_name(unsigned int i)
{
	return i < ARRAY_SIZE(acts) ? acts[i].name : NULL;
}

static void any_act(void)
{
	unsigned long long began = now_ns();
	unsigned int i, all = 0, which;

	for (i = 0; i < ARRAY_SIZE(acts); i++)
		all += acts[i].weight;
	which = below(all);
	for (i = 0; which >= acts[i].weight; i++)
		which -= acts[i].weight;
	acts[i].act();
	tally_effort(&shared->acts[i], began);
}

void act_for(unsigned int acts)
{
	while (acts-- && !LOAD(shared->over))
		any_act();
}

/* Turns: @at_once actors act at a time, and the other actors' CPUs are idle */

static int *take_turn(void)
{
	unsigned int i;

	while (!LOAD(shared->over)) {
		for (i = 0; i < shared->at_once; i++)
			if (__sync_bool_compare_and_swap(&shared->turns[i], 0,
							 getpid()))
				return &shared->turns[i];
		usleep(4000 + below(12000));
	}
	return NULL;
}

void act_in_turns(unsigned int acts)
{
	unsigned int some;
	int *turn;

	while (acts && !LOAD(shared->over)) {
		turn = take_turn();
		some = 1 + below(acts < 60 ? acts : 60);
		act_for(some);
		acts -= some;
		if (turn)
			__sync_bool_compare_and_swap(turn, getpid(), 0);
	}
}

void end_turn(int pid)
{
	unsigned int i;

	for (i = 0; i < ACTORS; i++)
		__sync_bool_compare_and_swap(&shared->turns[i], pid, 0);
}
