// SPDX-License-Identifier: GPL-2.0
/* Functions that test programs with samples share */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/regs.h>

#include "ring.h"

#define MAX_CPUS	256

void ask_sample(struct request *r, unsigned int i, unsigned int code,
		unsigned int flags, unsigned long long period)
{
	ask_event(r, i, code, flags | SAMPLE);
	r->e[i].sample_period = period;
	if (!r->c.ring_size)
		r->c.ring_size = 1 << 20;
}

/* Rings */

void map_ring(struct ring *ring, int fd, unsigned int i, unsigned int cpu,
	      unsigned int ring_size)
{
	ring->mapped = sysconf(_SC_PAGESIZE) + ring_size;
	ring->page = mmap(NULL, ring->mapped, PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, i * ring->mapped);
	if (ring->page == MAP_FAILED)
		fail("can't map ring %u: %s", i, strerror(errno));
	check(ring->page->data_offset, sysconf(_SC_PAGESIZE));
	check(ring->page->data_size, ring_size);
	check(ring->page->cpu, cpu);
	ring->data = (unsigned char *)ring->page + ring->page->data_offset;
	ring->size = ring_size;
	ring->cpu = cpu;
}

void unmap_ring(struct ring *ring)
{
	munmap(ring->page, ring->mapped);
	ring->page = NULL;
}

const struct knc_pmu_stack *stack_of(const struct knc_pmu_sample *s)
{
	return (const void *)((const __u64 *)(s + 1) + s->nr_kernel + s->nr_user);
}

static void check_stack(const struct knc_pmu_stack *stack)
{
	check(stack->size % 8, 0);
	check(stack->size <= KNC_PMU_MAX_STACK, 1);
	check(stack->flags & ~(KNC_PMU_STACK_32BIT | KNC_PMU_STACK_NO_REGS |
			       KNC_PMU_STACK_NO_ROOM | KNC_PMU_STACK_ABSENT), 0);
}

static void add_sample(struct ring *ring, const struct knc_pmu_sample *s)
{
	unsigned int size = sizeof(*s) + 8 * (s->nr_kernel + s->nr_user);

	if (s->flags & KNC_PMU_SAMPLE_STACK) {
		check_stack(stack_of(s));
		size += KNC_PMU_STACK_SIZE(stack_of(s)->size);
	}
	check(s->record.size, size);
	check(s->event < KNC_NR_COUNTERS && s->counter < KNC_NR_COUNTERS, 1);
	check(s->flags & ~(KNC_PMU_SAMPLE_USER | KNC_PMU_SAMPLE_STACK), 0);
	check(s->reserved, 0);
	check(s->period > 0, 1);
	check(s->tsc >= ring->tsc, 1);
	ring->tsc = s->tsc;
	ring->samples[s->event]++;
	ring->period[s->event] += s->period;
}

static void add_switch(struct ring *ring, const struct knc_pmu_sample *s)
{
	unsigned int size = sizeof(*s) + 8 * (s->nr_kernel + s->nr_user);

	if (s->flags & KNC_PMU_SAMPLE_STACK) {
		check_stack(stack_of(s));
		size += KNC_PMU_STACK_SIZE(stack_of(s)->size);
	}
	check(s->record.size, size);
	check(s->event, ring->page->nr_events);
	check(s->reserved, 0);
	check(s->tsc >= ring->tsc, 1);
	ring->tsc = s->tsc;
	ring->switches++;
}

static void add_time(struct ring *ring, const struct knc_pmu_time_sample *s)
{
	unsigned int i;

	check(s->nr_events <= KNC_NR_COUNTERS, 1);
	check(s->record.size, KNC_PMU_TIME_SIZE(s->nr_events));
	check(s->flags & ~KNC_PMU_SAMPLE_USER, 0);
	ring->times++;
	ring->missed += s->missed;
	for (i = 0; i < s->nr_events; i++)
		ring->delta[i] += s->delta[i];
}

static void add_lost(struct ring *ring, const struct knc_pmu_lost *lost)
{
	unsigned int i;

	check(lost->nr_events <= KNC_NR_COUNTERS, 1);
	check(lost->reserved, 0);
	check(lost->record.size, KNC_PMU_LOST_SIZE(lost->nr_events));
	check(lost->samples > 0, 1);
	ring->lost += lost->samples;
	for (i = 0; i < lost->nr_events; i++)
		ring->lost_events[i] += lost->events[i];
}

static void add_throttle(struct ring *ring, const struct knc_pmu_throttle *t)
{
	check(t->record.size, sizeof(*t));
	check(t->event < KNC_NR_COUNTERS, 1);
	check(t->reserved, 0);
	ring->unsampled[t->event] += t->unsampled;
	if (t->record.type == KNC_PMU_RECORD_UNTHROTTLE) {
		ring->unthrottles++;
		return;
	}
	check(t->unsampled, 0);
	ring->throttles++;
}

static void add_record(struct ring *ring, const struct knc_pmu_record *record)
{
	const void *it = record;

	if (record->type == KNC_PMU_RECORD_PAD)
		return;
	check(record->cpu, ring->cpu);
	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
		add_sample(ring, it);
		break;
	case KNC_PMU_RECORD_SWITCH_OUT:
	case KNC_PMU_RECORD_SWITCH_IN:
		add_switch(ring, it);
		break;
	case KNC_PMU_RECORD_TIME:
		add_time(ring, it);
		break;
	case KNC_PMU_RECORD_LOST:
		add_lost(ring, it);
		break;
	case KNC_PMU_RECORD_THROTTLE:
	case KNC_PMU_RECORD_UNTHROTTLE:
		add_throttle(ring, it);
		break;
	default:
		fail("a record of type %u", record->type);
	}
	if (ring->each)
		ring->each(ring, record);
}

unsigned int read_ring(struct ring *ring)
{
	const struct knc_pmu_record *record;
	unsigned long long tail = ring->page->tail, at, head;
	unsigned int nr = 0;

	head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
	check(head - tail <= ring->size, 1);
	for (; tail < head; tail += record->size, nr++) {
		at = tail % ring->size;
		record = (void *)(ring->data + at);
		check(record->size >= 8 && record->size % 8 == 0, 1);
		check(at + record->size <= ring->size, 1);
		check(tail + record->size <= head, 1);
		add_record(ring, record);
	}
	__atomic_store_n(&ring->page->tail, tail, __ATOMIC_RELEASE);
	return nr;
}

/* Run in user mode on @cpu once: all interrupts that were pending there have come */
static void visit(unsigned int cpu)
{
	cpu_set_t set;

	if (!is_online(cpu))
		return;
	check(sched_getaffinity(0, sizeof(set), &set), 0);
	pin(cpu);
	check(sched_setaffinity(0, sizeof(set), &set), 0);
}

void drain_ring(struct ring *ring)
{
	/* the sample of a late interrupt may come after STOP */
	visit(ring->cpu);
	read_ring(ring);
	/* the next tick reports the end of throttling */
	while (ring->unthrottles != ring->page->throttles) {
		usleep(10000);
		read_ring(ring);
	}
}

void check_produced(const struct ring *ring)
{
	const struct knc_pmu_ring *page = ring->page;
	unsigned int i;

	check(page->samples, ring->samples[0] + ring->samples[1] + page->lost);
	/* a loss may not have been recorded yet */
	check(ring->lost <= page->lost, 1);
	check(ring->throttles <= page->throttles, 1);
	check(ring->unthrottles, page->throttles);
	for (i = 0; i < KNC_NR_COUNTERS; i++) {
		/* only the page reports samples that were due at STOP */
		check(ring->unsampled[i] <= page->unsampled[i], 1);
		check(ring->lost_events[i] <= page->lost_events[i], 1);
	}
}

void check_sum(const struct ring *ring, unsigned int i,
	       unsigned long long count, unsigned long long period)
{
	unsigned long long lost = ring->page->lost_events[i];
	unsigned long long unsampled = ring->page->unsampled[i];
	unsigned long long sum = ring->period[i] + lost + unsampled;

	if (count >= sum && count - sum < period)
		return;
	fail("CPU %u event %u: %llu counted, %llu sampled, %llu lost, %llu not: %lld left of %llu",
	     ring->cpu, i, count, ring->period[i], lost, unsampled,
	     count - sum, period);
}

/* Statistics and registers */

void get_stats(unsigned int cpu, struct knc_pmu_stats *stats)
{
	struct knc_pmu_stats all[MAX_CPUS];
	struct knc_pmu_list r;
	int fd = open_device();

	r.entries = (unsigned long)all;
	r.nr = MAX_CPUS;
	r.size = sizeof(all[0]);
	check(command(fd, KNC_PMU_IOC_STATS, &r), nr_cpus());
	close(fd);
	*stats = all[cpu];
	check(stats->cpu, cpu);
}

static void stats_since(struct knc_pmu_stats *now,
			const struct knc_pmu_stats *before)
{
	now->pmis -= before->pmis;
	now->samples -= before->samples;
	now->lost -= before->lost;
	now->throttles -= before->throttles;
	now->spurious -= before->spurious;
	now->foreign -= before->foreign;
	now->handler_total -= before->handler_total;
}

void check_quiet(int fd, unsigned int cpu)
{
	struct regs regs;

	check(read_regs(fd, cpu, &regs), 0);
	check(regs.global_status, 0);
	check(regs.lvtpc & KNC_APIC_LVT_MASKED, 0);
	if (!is_irq_mode())
		check(regs.lvtpc, KNC_APIC_LVT_NMI);
}

/* Programs */

static void check_run(const struct run *run)
{
	const struct knc_pmu_ring *page = run->ring.page;
	unsigned int i;

	check_quiet(run->fd, run->cpu);
	check_produced(&run->ring);
	for (i = 0; i < run->r.c.nr_events; i++)
		if ((run->r.e[i].flags & (SAMPLE | KNC_PMU_EVENT_FREQ | KNC_PMU_EVENT_LIMIT)) ==
		    SAMPLE)
			check_sum(&run->ring, i, run->count[i],
				  run->r.e[i].sample_period);
	check(run->stats.samples, page->samples);
	check(run->stats.lost, page->lost);
	check(run->stats.throttles, page->throttles);
	check(run->stats.foreign, 0);
	check(run->stats.handler_total >= run->stats.pmis, 1);
}

void run_sampled(struct run *run, unsigned int cpu, const char *name,
		 unsigned long n, unsigned long m)
{
	struct knc_pmu_stats before;
	struct program p;
	int status;

	pin(cpu ? 0 : 1);
	hold(&p, cpu, name, n, m);
	wait_held(&p);
	run->cpu = cpu;
	run->pid = p.pid;
	run->fd = open_device();
	check(config(run->fd, &run->r), 0);
	map_ring(&run->ring, run->fd, 0, cpu, run->r.c.ring_size);
	get_stats(cpu, &before);
	run->took = now_ns();
	check(start(run->fd), 0);
	release(&p);
	while (!waitpid(p.pid, &status, WNOHANG)) {
		read_ring(&run->ring);
		usleep(1000);
	}
	check(status, 0);
	close(p.go);
	check(stop(run->fd), 0);
	run->took = now_ns() - run->took;
	drain_ring(&run->ring);
	read_counts(run->fd, run->r.c.nr_events, run->count);
	get_stats(cpu, &run->stats);
	stats_since(&run->stats, &before);
	check_run(run);
}

void run_unthrottled(struct run *run, unsigned int cpu, const char *name,
		     unsigned long n, unsigned long m)
{
	struct ring fresh = run->ring;
	unsigned int tries, i, before;

	for (tries = 1;; tries++) {
		if (run->begin)
			run->begin();
		run_sampled(run, cpu, name, n, m);
		if (!run->ring.page->throttles)
			return;
		note("throttled %llu times: once more",
		     (unsigned long long)run->ring.page->throttles);
		end_run(run);
		run->ring = fresh;
		before = pace();
		calm_down(tries);
		for (i = 0; i < run->r.c.nr_events; i++)
			run->r.e[i].sample_period *= pace() / before;
	}
}

int is_late(const struct knc_pmu_sample *s)
{
	static int irq_mode = -1;

	if (irq_mode < 0)
		irq_mode = is_irq_mode();
	return irq_mode && !(s->flags & KNC_PMU_SAMPLE_USER);
}

void end_run(struct run *run)
{
	unmap_ring(&run->ring);
	close(run->fd);
}

/* Symbols */

static const void *map_program(const char *program)
{
	char path[4096];
	struct stat st;
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", getenv("KNC_TEST_BUILD"),
		 program);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		fail("can't open %s: %s", path, strerror(errno));
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		fail("can't map %s: %s", path, strerror(errno));
	close(fd);
	return map;
}

void find_symbol(const char *program, const char *name, struct symbol *symbol)
{
	const char *elf = map_program(program);
	const Elf64_Ehdr *ehdr = (const void *)elf;
	const Elf64_Shdr *shdr = (const void *)(elf + ehdr->e_shoff);
	const Elf64_Sym *sym, *end;
	const char *names;
	unsigned int i;

	for (i = 0; i < ehdr->e_shnum; i++)
		if (shdr[i].sh_type == SHT_SYMTAB)
			break;
	if (i == ehdr->e_shnum)
		fail("%s has no symbols", program);
	sym = (const void *)(elf + shdr[i].sh_offset);
	end = sym + shdr[i].sh_size / sizeof(*sym);
	names = elf + shdr[shdr[i].sh_link].sh_offset;
	for (; sym < end; sym++) {
		if (strcmp(names + sym->st_name, name))
			continue;
		symbol->begin = sym->st_value;
		symbol->end = sym->st_value + sym->st_size;
		return;
	}
	fail("%s has no symbol %s", program, name);
}

int within(const struct symbol *symbol, unsigned long long ip)
{
	return ip >= symbol->begin && ip < symbol->end;
}
