// SPDX-License-Identifier: GPL-2.0
/*
 * An unprivileged user learns nothing about other users' tasks. The attacker follows only itself,
 * with core-wide events, on the hardware thread where its victim runs. KNC_TEST_LEAK: the least
 * seconds of each attack; by default an attack lasts for as many context switches as would show a
 * leak.
 */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring.h"

#define CPU		1
#define SIBLINGS	2	/* CPUs 2 and 3, threads of the same core, which compute */
#define OTHER_UID	1234
#define CLOCKS		20000
#define RING		(128 * 1024)	/* one for each CPU is within an unprivileged limit */
#define YIELDS		100	/* between two looks at the ring: their switches fit into it */
#define LOOKS		80

/* Addresses of a program's code, of its frames, and of their return addresses */
#define PLACE_SIZE	(1UL << 20)
#define VICTIM		0x5ec200000000UL
#define ATTACKER	0x2bad00000000UL
#define FRAMES		4
#define SECRETS		8	/* words of the victim's stack */
#define COPY		512	/* bytes of the attacker's stack in each sample */

/*
 * The end of a system call, to which a task returns after a context switch, and the frames below it
 */
#define RETURNS(place)	((place) + PLACE_SIZE / 2)

/* Call sched_yield() n times, with frames as the frame pointer: (n, frames) */
static const unsigned char yields[] = {
	0x55,				/* push %rbp */
	0x48, 0x89, 0xf5,		/* mov %rsi, %rbp */
	0xb8, 24, 0, 0, 0,		/* mov $24, %eax */
	0x0f, 0x05,			/* syscall */
	0x48, 0xff, 0xcf,		/* dec %rdi */
	0x75, 0xf4,			/* jnz to the first mov to %eax */
	0x5d,				/* pop %rbp */
	0xc3,				/* ret */
};

#define YIELDS_LOOP	4
#define YIELDS_DONE	16

struct frame {
	unsigned long next;
	unsigned long ret;
};

typedef void code_fn(unsigned long n, struct frame *frames);

/* Results of an attack, in memory that the processes share */
struct result {
	unsigned long long samples;
	unsigned long long there;	/* samples in the attacker's loop */
	unsigned long long stale;	/* samples not at an instruction of the attacker */
	unsigned long long foreign_pid;
	unsigned long long foreign_ip;
	unsigned long long foreign_frames;
	unsigned long long switches;	/* records of the attacker's own context switches */
	unsigned long long copies;
	unsigned long long foreign_words;	/* of registers and stacks */
	unsigned long long unsampled;
	unsigned long long count;
	unsigned long long throttles;
};

static struct result *result;

/* Addresses of the attacker's code */
static struct {
	unsigned long begin;
	unsigned long end;
} mappings[16];
static unsigned int nr_mappings;

static void find_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long begin, end;
	char line[512], access;

	if (!file)
		fail("no /proc/self/maps");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx %*c%*c%c", &begin, &end, &access) != 3 ||
		    access != 'x')
			continue;
		check(nr_mappings < ARRAY_SIZE(mappings), 1);
		mappings[nr_mappings].begin = begin;
		mappings[nr_mappings++].end = end;
	}
	fclose(file);
}

static int is_mapped(unsigned long long address)
{
	unsigned int i;

	for (i = 0; i < nr_mappings; i++)
		if (address >= mappings[i].begin && address < mappings[i].end)
			return 1;
	return 0;
}

/* Map code at @place, an address that no other process uses, and frames that return there */
static code_fn *settle(unsigned long place, const unsigned char *code,
		       size_t size, struct frame **frames)
{
	struct frame *frame;
	void *at = mmap((void *)place, PLACE_SIZE,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	unsigned int i;

	check((unsigned long)at, place);
	memset(at, 0xcc, PLACE_SIZE);
	memcpy(at, code, size);
	frame = (void *)(place + PLACE_SIZE / 4);
	*frames = frame;
	for (i = 0; i < FRAMES; i++) {
		frame[i].next = i + 1 < FRAMES ? (unsigned long)&frame[i + 1] : 0;
		frame[i].ret = RETURNS(place) + i;
	}
	return (code_fn *)place;
}

/* Is @ip in the attacker's loop? */
static int is_in_loop(unsigned long long ip)
{
	return ip >= ATTACKER + YIELDS_LOOP && ip <= ATTACKER + YIELDS_DONE;
}

static int is_at(unsigned long place, unsigned long long address)
{
	return address - place < PLACE_SIZE;
}

static void spin(unsigned long n)
{
	for (;;)
		loop(n);
}

/* Run as the victim: a process of another user; @uid 0: root */
static void be_victim(unsigned long uid)
{
	struct frame *frames;
	code_fn *victim = settle(VICTIM, yields, sizeof(yields), &frames);
	unsigned long secret[SECRETS];
	unsigned int i;

	for (i = 0; i < SECRETS; i++)
		secret[i] = VICTIM + i;
	asm volatile("" : : "r" (secret) : "memory");
	if (uid && (setgroups(0, NULL) || setgid(uid) || setuid(uid)))
		_exit(1);
	if (prctl(PR_SET_DUMPABLE, 0))
		_exit(1);
	for (;;)
		victim(1UL << 30, frames);
}

/* The attacker */

static void look_at_frames(const struct knc_pmu_sample *s)
{
	const __u64 *chain = (const __u64 *)(s + 1);
	unsigned int i, foreign = 0;

	if (!s->nr_user || chain[0] != s->ip)
		foreign++;
	for (i = 1; i < s->nr_user; i++)
		foreign += is_in_loop(s->ip) ?
			   chain[i] != RETURNS(ATTACKER) + i - 1 :
			   is_at(VICTIM, chain[i]);
	foreign += s->nr_kernel;
	result->foreign_frames += !!foreign;
}

static void look_at_copy(const struct knc_pmu_sample *s)
{
	const struct knc_pmu_stack *stack = stack_of(s);
	const __u64 *words = stack->regs;
	unsigned int i;

	if (!(s->flags & KNC_PMU_SAMPLE_STACK))
		return;
	result->copies += stack->size > 0;
	for (i = 0; i < KNC_PMU_STACK_REGS + stack->size / 8; i++)
		result->foreign_words += is_at(VICTIM, words[i]);
}

static void look_at(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;

	(void)ring;
	if (record->type == KNC_PMU_RECORD_SWITCH_IN)
		return;
	if (record->type == KNC_PMU_RECORD_SWITCH_OUT)
		result->switches++;
	else if (record->type == KNC_PMU_RECORD_SAMPLE)
		result->samples++;
	else
		return;
	result->foreign_pid += s->pid != (__u32)getpid() ||
			       s->tid != (__u32)getpid();
	result->there += is_in_loop(s->ip);
	result->foreign_ip += !is_mapped(s->ip) ||
			      !(s->flags & KNC_PMU_SAMPLE_USER);
	result->stale += is_at(ATTACKER, s->ip) &&
			 s->ip - ATTACKER >= sizeof(yields);
	look_at_frames(s);
	look_at_copy(s);
}

static int is_over(unsigned int looks, unsigned long long until)
{
	return looks >= LOOKS && now_ns() >= until;
}

static void attack(struct request *r, unsigned int flags)
{
	const char *seconds = getenv("KNC_TEST_LEAK");
	struct frame *frames;
	code_fn *yield = settle(ATTACKER, yields, sizeof(yields), &frames);
	unsigned long long until, count;
	unsigned int looks = 0;
	struct ring ring;
	int fd;

	find_mappings();
	until = now_ns() + (seconds ? atoi(seconds) : 0) * 1000000000ULL;
	become_nobody(device_group());
	fd = open_device();
	memset(&ring, 0, sizeof(ring));
	ring.each = look_at;
	check(config(fd, r), 0);
	map_ring(&ring, fd, CPU, CPU, r->c.ring_size);
	check(start(fd), 0);
	do {
		yield(YIELDS, frames);
		read_ring(&ring);
	} while (!is_over(++looks, until));
	check(stop(fd), 0);
	drain_ring(&ring);
	check_produced(&ring);
	read_task(fd, 1, flags, &count);
	/* samples, lost and unsampled events add up to the count */
	check_sum(&ring, 0, count, r->e[0].sample_period);
	result->unsampled = ring.page->unsampled[0];
	result->throttles = ring.page->throttles;
	result->count = count;
}

static void attack_self(unsigned long n)
{
	struct request r;

	(void)n;
	ask_task(&r, 0, 0, 1);
	r.c.ring_size = RING;
	ask_sample(&r, 0, CPU_CLK_UNHALTED, USR, CLOCKS);
	r.c.flags |= KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_STACK | KNC_PMU_CONFIG_SWITCHES;
	r.c.max_frames = 16;
	r.c.stack_size = COPY;
	attack(&r, 0);
}

static void check_result(const char *who)
{
	note("%s: %llu samples, %llu in the loop, %llu of %llu events unsampled, %llu throttles",
	     who, result->samples, result->there, result->unsampled,
	     result->count, result->throttles);
	note("%s: foreign: %llu pids, %llu addresses, %llu chains; %llu stale addresses",
	     who, result->foreign_pid, result->foreign_ip,
	     result->foreign_frames, result->stale);
	note("%s: foreign: %llu words of %llu copies of stacks; %llu switches", who,
	     result->foreign_words, result->copies, result->switches);
	check(result->samples > 0, 1);
	check(result->copies > 0, 1);
	check(result->switches > 0, 1);
	check(result->foreign_words, 0);
	check(result->foreign_pid, 0);
	check(result->foreign_ip, 0);
	check(result->foreign_frames, 0);
	check(result->stale, 0);
}

static void run_attack(const char *who, unsigned long uid,
		       void (*attacker)(unsigned long n))
{
	struct program sibling[SIBLINGS], victim, a;
	unsigned int i;

	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(result != MAP_FAILED, 1);
	for (i = 0; i < SIBLINGS; i++) {
		hold_call(&sibling[i], CPU + 1 + i, spin, 1UL << 30);
		release(&sibling[i]);
	}
	hold_call(&victim, CPU, be_victim, uid);
	release(&victim);
	hold_call(&a, CPU, attacker, 0);
	release(&a);
	finish(&a);
	kill(victim.pid, SIGKILL);
	waitpid(victim.pid, NULL, 0);
	for (i = 0; i < SIBLINGS; i++) {
		kill(sibling[i].pid, SIGKILL);
		waitpid(sibling[i].pid, NULL, 0);
	}
	check_result(who);
	munmap(result, sizeof(*result));
}

static void test_root(void)
{
	run_attack("root's", 0, attack_self);
}

static void test_user(void)
{
	run_attack("another user's", OTHER_UID, attack_self);
}

/*
 * System calls from two places. If SYSCALL itself causes the overflow, the interrupt comes at the
 * kernel's first instruction, before the kernel has saved the program's address.
 */
static const unsigned char calls[] = {
	0xb8, 110, 0, 0, 0,		/* mov $110, %eax */
	0x0f, 0x05,			/* syscall */
	0x90, 0x90, 0x90, 0x90, 0x90,	/* nop */
	0xb8, 102, 0, 0, 0,		/* mov $102, %eax */
	0x0f, 0x05,			/* syscall */
	0x90, 0x90, 0x90, 0x90, 0x90,	/* nop */
	0x48, 0xff, 0xcf,		/* dec %rdi */
	0x75, 0xe3,			/* jnz to the beginning */
	0xc3,				/* ret */
};

/* Offsets of the instructions; the second and the ninth are system calls */
static const unsigned char calls_at[] = {
	0, 5, 7, 8, 9, 10, 11, 12, 17, 19, 20, 21, 22, 23, 24, 27
};

#define CALLS_PERIOD	10007ULL
#define CALLS_SAMPLES	20	/* of each instruction: an odd period reaches all of them */

static unsigned long long calls_samples, misplaced, after_calls;
static int last_call;

static int find_call(unsigned long long ip)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls_at); i++)
		if (ip == ATTACKER + calls_at[i])
			return i;
	return -1;
}

/* Samples are one period apart: a sample predicts the address of the next one. */
static void look_at_calls(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	int at = find_call(s->ip);

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	calls_samples++;
	after_calls += at == 2 || at == 9;
	if (last_call >= 0 && at >= 0)
		misplaced += (last_call + s->period) % ARRAY_SIZE(calls_at) !=
			     (unsigned int)at;
	last_call = at;
}

/* Returns whether samples were throttled. */
static int profile_calls(code_fn *call, struct frame *frames)
{
	unsigned long long count;
	struct request r;
	struct ring ring;
	int fd = open_device();

	calls_samples = 0;
	misplaced = 0;
	after_calls = 0;
	last_call = -1;
	ask_task(&r, 0, 0, 1);
	r.c.ring_size = RING;
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, CALLS_PERIOD);
	memset(&ring, 0, sizeof(ring));
	ring.each = look_at_calls;
	check(config(fd, &r), 0);
	map_ring(&ring, fd, CPU, CPU, r.c.ring_size);
	check(start(fd), 0);
	call(CALLS_SAMPLES * CALLS_PERIOD, frames);
	check(stop(fd), 0);
	drain_ring(&ring);
	check_produced(&ring);
	read_task(fd, 1, 0, &count);
	check_sum(&ring, 0, count, CALLS_PERIOD);
	note("%llu samples, %llu after a system call, %llu misplaced; %llu of %llu unsampled",
	     calls_samples, after_calls, misplaced, ring.page->unsampled[0],
	     count);
	close(fd);
	return ring.page->throttles || ring.page->lost;
}

static void test_system_calls(void)
{
	struct frame *frames;
	code_fn *call = settle(ATTACKER, calls, sizeof(calls), &frames);

	pin(CPU);
	become_nobody(device_group());
	while (profile_calls(call, frames))
		;
	check(calls_samples >= CALLS_SAMPLES * ARRAY_SIZE(calls_at), 1);
	check(after_calls >= 2 * (CALLS_SAMPLES - 1), 1);
	check(misplaced, 0);
}

static const struct test tests[] = {
	{ "leak.system-calls", test_system_calls },
	{ "leak.root", test_root },
	{ "leak.user", test_user },
};

TEST_PROGRAM(tests)
