// SPDX-License-Identifier: GPL-2.0
/*
 * The errors of each command, and the reasons of refusals that no other program tests. The reasons
 * CALLCHAIN, RDPMC and TASK_KERNEL can't be tested: all kernels of the card have these features.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/registers.h>

#include "lib.h"

#define CPU	1
#define BAD	((void *)8)

/* struct knc_pmu_config for a client that does not sample */
#define CONFIG_FIRST	offsetof(struct knc_pmu_config, sample_interval)

/* CONFIG refuses with an errno and a reason, and configures nothing. */
static void check_refused(struct request *r, int err, unsigned int reason)
{
	int fd = open_device();

	r->c.reason = 99;
	check(config(fd, r), -err);
	check(r->c.reason, reason);
	check(start(fd), -ENODATA);
	close(fd);
}

/* As check_refused(), for an errno without a reason: CONFIG writes nothing to the struct */
static void check_error(struct request *r, int err)
{
	int fd = open_device();

	r->c.reason = 99;
	check(config(fd, r), -err);
	check(r->c.reason, 99);
	check(start(fd), -ENODATA);
	close(fd);
}

/* CONFIG puts the two events on these counters. */
static void check_placed(struct request *r, unsigned int first,
			 unsigned int second)
{
	int fd = open_device();

	check(config(fd, r), 0);
	check(r->e[0].counter, first);
	check(r->e[1].counter, second);
	close(fd);
}

static void ask_one(struct request *r)
{
	ask(r, CPU, 1);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
}

static void ask_two(struct request *r)
{
	ask(r, CPU, 2);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(r, 1, BRANCHES, USR);
}

/* A struct longer than the module's is accepted if the rest is 0, and refused otherwise */
static void check_long(unsigned long cmd, const void *arg, unsigned int size,
		       unsigned int more, int want)
{
	static unsigned char longer[1 << IOCSIZE_SHIFT];
	int fd = open_device();

	memset(longer, 0, sizeof(longer));
	memcpy(longer, arg, size);
	longer[size + more - 1] = 1;
	check(command(fd, SIZED(cmd, size + more), longer), -E2BIG);
	longer[size + more - 1] = 0;
	check(command(fd, SIZED(cmd, size + more), longer), want);
	close(fd);
}

/* Rules of all commands with a struct; a valid struct returns @want. @cmd contains its size. */
static void check_struct(unsigned long cmd, void *arg, unsigned int size,
			 int want)
{
	int fd = open_device();

	check(_IOC_SIZE(cmd), size);
	check(command(fd, cmd, NULL), -EFAULT);
	check(command(fd, cmd, BAD), -EFAULT);
	check(command(fd, cmd, (void *)0xffffffff81000000), -EFAULT);
	check(command(fd, cmd & ~(unsigned long)IOC_INOUT, arg), -ENOTTY);
	check(command(fd, cmd ^ (unsigned long)IOC_OUT, arg), -ENOTTY);
	close(fd);
	check_long(cmd, arg, size, 8, want);
	check_long(cmd, arg, size, IOCSIZE_MASK >> IOCSIZE_SHIFT & ~size, want);
}

/* A list of entries: the caller gives their size and number. */
static void check_list(unsigned long cmd, void *arg, struct knc_pmu_list *list,
		       unsigned int size)
{
	static unsigned char room[8192];
	int fd = open_device(), nr;

	memset(room, 0xff, sizeof(room));
	list->entries = 0;
	list->nr = 0;
	list->size = 0;
	nr = command(fd, cmd, arg);
	check(nr > 0, 1);
	list->nr = 1;
	check(command(fd, cmd, arg), -EINVAL);
	list->size = size;
	check(command(fd, cmd, arg), -EFAULT);
	list->entries = 0xffff888000000000;
	check(command(fd, cmd, arg), -EFAULT);
	list->entries = (unsigned long)room;
	list->size = 4097;
	check(command(fd, cmd, arg), -E2BIG);
	list->size = ~0U;
	check(command(fd, cmd, arg), -E2BIG);
	check(room[0] & room[size], 0xff);
	/* room for one entry: no byte after it is written */
	list->size = size;
	check(command(fd, cmd, arg), nr);
	check(room[size - 1] != 0xff && room[size] == 0xff, 1);
	/* an entry shorter than the module's, then a longer one */
	memset(room, 0xff, sizeof(room));
	list->size = 1;
	check(command(fd, cmd, arg), nr);
	check(room[1], 0xff);
	memset(room, 0xff, sizeof(room));
	list->size = size + 8;
	check(command(fd, cmd, arg), nr);
	check(room[size] | room[size + 7], 0);
	check(room[size + 8], 0xff);
	close(fd);
}

/* An event longer than the module's is accepted if the rest is 0, and refused otherwise */
static void check_long_events(void)
{
	struct {
		struct knc_pmu_event event;
		unsigned long long more;
	} events[2];
	struct request r;
	int fd = open_device();

	ask_two(&r);
	memset(events, 0, sizeof(events));
	events[0].event = r.e[0];
	events[1].event = r.e[1];
	r.c.events = (unsigned long)events;
	r.c.event_size = sizeof(events[0]);
	events[1].more = 1;
	check_error(&r, E2BIG);
	events[1].more = 0;
	check(config(fd, &r), 0);
	check(events[0].event.counter, 0);
	check(events[1].event.counter, 1);
	close(fd);
}

/* Events of a client that knows no groups: all are in group 0, and no group is written back */
static void check_short_events(void)
{
	const unsigned int size = offsetof(struct knc_pmu_event, group);
	unsigned char events[sizeof(struct knc_pmu_event) * 2];
	struct request r;
	int fd = open_device();

	ask_two(&r);
	memset(events, 0xa5, sizeof(events));
	memcpy(events, &r.e[0], size);
	memcpy(events + size, &r.e[1], size);
	r.c.pmu = 1;
	r.c.events = (unsigned long)events;
	r.c.event_size = size;
	check(config(fd, &r), 0);
	check(events[2 * size], 0xa5);
	close(fd);
}

/* A struct that is not writable */
static void check_readonly(unsigned long cmd, const void *arg,
			   unsigned int size)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open_device();

	memcpy(page, arg, size);
	mprotect(page, 4096, PROT_READ);
	check(command(fd, cmd, page), -EFAULT);
	munmap(page, 4096);
	close(fd);
}

static void test_info(void)
{
	struct knc_pmu_info info;
	int fd = open_device();

	memset(&info, 0, sizeof(info));
	check_struct(KNC_PMU_IOC_INFO, &info, sizeof(info), 1);
	check_readonly(KNC_PMU_IOC_INFO, &info, sizeof(info));
	info.reserved = 1;
	check(command(fd, KNC_PMU_IOC_INFO, &info), -EINVAL);
	info.reserved = 0;
	check(command(fd, KNC_PMU_IOC_INFO, &info), 1);
	check(info.threads_per_core, 4);
	check(info.nr_threads >= nr_cpus(), 1);
	check(info.nr_online, nr_cpus());
	check(info.nr_sessions, 0);
	check(info.features & ~(__u64)(KNC_PMU_FEATURE_PMI_IRQ | KNC_PMU_FEATURE_PMI_NMI),
	      KNC_PMU_FEATURE_THREADS | KNC_PMU_FEATURE_SPFLT |
	      KNC_PMU_FEATURE_SAMPLING | KNC_PMU_FEATURE_CALLCHAIN |
	      KNC_PMU_FEATURE_TASKS | KNC_PMU_FEATURE_RDPMC |
	      KNC_PMU_FEATURE_SETS | KNC_PMU_FEATURE_EVICT |
	      KNC_PMU_FEATURE_ON_EXEC | KNC_PMU_FEATURE_LIMIT | KNC_PMU_FEATURE_STACK |
	      KNC_PMU_FEATURE_SWITCHES);
	check(info.tsc_khz > 1000, 1);
	session(CPU, BRANCHES, USR);
	session(CPU, BRANCHES, USR);
	check(command(fd, KNC_PMU_IOC_INFO, &info), 1);
	check(info.nr_sessions, 2);
	/* of a shorter struct only the existing fields are written */
	info.nr_sessions = 99;
	check(command(fd, SIZED(KNC_PMU_IOC_INFO, offsetof(struct knc_pmu_info, nr_sessions)),
		      &info), 1);
	check(info.nr_sessions, 99);
}

/* The PMUs that INFO lists */
static void test_pmus(void)
{
	struct knc_pmu_desc knc;
	struct knc_pmu_info info;
	int fd = open_device();

	memset(&info, 0, sizeof(info));
	check_list(KNC_PMU_IOC_INFO, &info, &info.pmus, sizeof(knc));
	memset(&knc, 0xff, sizeof(knc));
	info.pmus.entries = (unsigned long)&knc;
	info.pmus.nr = 9;
	info.pmus.size = sizeof(knc);
	check(command(fd, KNC_PMU_IOC_INFO, &info), 1);
	check(knc.id, 1);
	check(knc.scope, KNC_PMU_SCOPE_THREAD);
	check(strcmp(knc.name, "knc"), 0);
	check(knc.counters, 3);
	check(knc.nr_counters, 2);
	check(knc.width, 40);
	check(knc.nr_fixed | knc.fixed_width, 0);
	check(knc.features, info.features);
}

static void test_config_struct(void)
{
	struct request r;

	ask_one(&r);
	check_struct(KNC_PMU_IOC_CONFIG, &r.c, sizeof(r.c), 0);
	check_readonly(KNC_PMU_IOC_CONFIG, &r.c, sizeof(r.c));
	ask_one(&r);
	r.c.flags = 1U << 31;
	check_error(&r, EINVAL);
	r.c.flags = KNC_PMU_CONFIG_FLAGS + 1;
	check_error(&r, EINVAL);
	ask_one(&r);
	r.c.nr_events = 0;
	check_error(&r, EINVAL);
	r.c.nr_events = KNC_PMU_MAX_SET + 1;
	check_error(&r, EINVAL);
	r.c.nr_events = ~0U;
	check_error(&r, EINVAL);
	ask_one(&r);
	r.c.event_size = 0;
	check_error(&r, EINVAL);
	r.c.event_size = 1U << 20;
	check_error(&r, E2BIG);
	check_long_events();
	check_short_events();
	ask_one(&r);
	r.c.reserved = 1;
	check_error(&r, EINVAL);
	ask_one(&r);
	r.c.reserved1 = 1;
	check_error(&r, EINVAL);
	ask_one(&r);
	r.c.pmu = 2;
	check_refused(&r, ENODEV, KNC_PMU_REASON_PMU_NONE);
	r.c.pmu = ~0U;
	check_refused(&r, ENODEV, KNC_PMU_REASON_PMU_NONE);
	ask_one(&r);
	r.c.events = 8;
	check_error(&r, EFAULT);
	r.c.events = 0;
	check_error(&r, EFAULT);
	r.c.events = 0xffff888000000000;
	check_error(&r, EFAULT);
}

static void test_config_cpus(void)
{
	struct request r;

	ask_one(&r);
	r.c.cpus = 0;
	check_error(&r, EFAULT);
	r.c.cpus = 8;
	check_error(&r, EFAULT);
	ask_one(&r);
	r.c.cpus_size = 0;
	check_error(&r, EINVAL);
	r.c.cpus_size = sizeof(r.cpus) + 1;
	check_error(&r, EINVAL);
	ask_one(&r);
	memset(r.cpus, 0, sizeof(r.cpus));
	check_refused(&r, EINVAL, KNC_PMU_REASON_CPU_EMPTY);
	/* the highest bit of the mask: no such CPU on this card */
	ask_one(&r);
	ask_cpu(&r, KNC_PMU_MAX_CPUS - 1);
	check_refused(&r, ENXIO, KNC_PMU_REASON_CPU_NONE);
	check(r.c.reason_cpu, KNC_PMU_MAX_CPUS - 1);
	ask_one(&r);
	ask_cpu(&r, nr_cpus());
	check_refused(&r, ENXIO, KNC_PMU_REASON_CPU_NONE);
	check(r.c.reason_cpu, nr_cpus());
	/* one byte is enough for CPU 1; the bytes after it are not looked at */
	ask_one(&r);
	r.c.cpus_size = 1;
	memset(r.cpus + 1, 0xff, sizeof(r.cpus) - 1);
	open_session(&r);
	check(r.c.reason, KNC_PMU_REASON_NONE);
}

static void check_event(struct request *r, unsigned int reason)
{
	check_refused(r, EINVAL, reason);
	check(r->c.reason_event, 1);
}

/* The second of two events is illegal, one field at a time */
static void test_config_events(void)
{
	struct request r;
	unsigned int bit;

	for (bit = 10; bit < 32; bit++) {
		ask_two(&r);
		r.e[1].flags |= 1U << bit;
		check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	}
	for (bit = 2; bit < 64; bit++) {
		ask_two(&r);
		r.e[1].counters = 1ULL << bit;
		check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	}
	for (bit = 16; bit < 64; bit++) {
		ask_two(&r);
		r.e[1].event |= 1ULL << bit;
		check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	}
	ask_two(&r);
	r.e[1].extra = 1;
	check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	ask_two(&r);
	r.e[1].cmask = 256;
	check_event(&r, KNC_PMU_REASON_EVENT_FLAGS);
	ask_two(&r);
	r.e[1].flags = KNC_PMU_EVENT_EDGE;
	check_event(&r, KNC_PMU_REASON_EVENT_RING);
	ask_two(&r);
	r.e[1].flags |= KNC_PMU_EVENT_INV;
	check_event(&r, KNC_PMU_REASON_EVENT_INV);
	ask_two(&r);
	ask_event(&r, 1, CPU_CLK_UNHALTED, USR | KNC_PMU_EVENT_THREAD_MODE);
	check_event(&r, KNC_PMU_REASON_EVENT_THREAD_MODE);
}

/* Events that only counter 0 can count */
static void test_config_counters(void)
{
	struct request r;

	ask(&r, CPU, 2);
	ask_event(&r, 0, L2_READ_MISS, USR);
	ask_event(&r, 1, L2_READ_HIT_M, USR);
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR);
	check(r.c.reason_event + r.c.reason_other, 1);
	ask_event(&r, 1, L2_READ_MISS, USR);
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR);
	ask_event(&r, 1, BRANCHES, USR);
	r.e[1].counters = 1;
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR);

	ask_two(&r);
	ask_event(&r, 1, L2_READ_MISS, USR);
	r.e[1].counters = 2;
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER);
	check(r.c.reason_event, 1);

	/* the event fits beside an event of any counter, in either order */
	ask_two(&r);
	ask_event(&r, 1, L2_READ_MISS, USR);
	check_placed(&r, 1, 0);
	ask_two(&r);
	ask_event(&r, 0, L2_READ_MISS, USR);
	check_placed(&r, 0, 1);
}

static void test_config_twice(void)
{
	struct request r;
	int fd;

	ask_one(&r);
	fd = open_session(&r);
	check(config(fd, &r), -EALREADY);
	/* a refused CONFIG leaves the session open for another try */
	close(fd);
	fd = open_device();
	ask_one(&r);
	r.e[0].flags = 0;
	check(config(fd, &r), -EINVAL);
	ask_one(&r);
	check(config(fd, &r), 0);
	check(start(fd), 0);
}

static void test_commands(void)
{
	int fd = open_device();
	unsigned int nr;

	check(start(fd), -ENODATA);
	check(stop(fd), -ENODATA);
	check(reset(fd, 0), -ENODATA);
	check(reset(fd, KNC_PMU_RESET_REGISTERS), -ENODATA);
	check(read_all(fd, NULL, 0), -ENODATA);
	for (nr = 11; nr < 256; nr++)
		check(command(fd, _IO(KNC_PMU_IOC_TYPE, nr), NULL), -ENOTTY);
	check(command(fd, _IO(KNC_PMU_IOC_TYPE - 1, 0), NULL), -ENOTTY);
	check(command(fd, _IOR(KNC_PMU_IOC_TYPE, 2, int), NULL), -ENOTTY);
	check(command(fd, SIZED(KNC_PMU_IOC_START, 8), NULL), -ENOTTY);
	close(fd);
	fd = session(CPU, BRANCHES, USR);
	check(command(fd, KNC_PMU_IOC_START, (void *)1), -EINVAL);
	check(command(fd, KNC_PMU_IOC_STOP, (void *)(1UL << 63)), -EINVAL);
	check(reset(fd, 2), -EINVAL);
	check(reset(fd, 1UL << 32 | KNC_PMU_RESET_REGISTERS), -EINVAL);
	check(reset(fd, KNC_PMU_RESET_REGISTERS), -EBUSY);
	check(reset(fd, 0), 0);
}

static void test_read(void)
{
	struct record record[2];
	struct knc_pmu_read r;
	int fd = session(CPU, BRANCHES, USR);
	size_t size = KNC_PMU_THREAD_SIZE(1);
	unsigned int cpu;

	check(size, offsetof(struct record, value[1]));
	/* on the hardware thread of the event, and on another one */
	for (cpu = CPU; cpu < CPU + 2; cpu++) {
		pin(cpu);
		check(read_all(fd, record, size - 1), -ENOSPC);
		check(read_all(fd, record, 0), -ENOSPC);
	}
	check(read_all(fd, BAD, size), -EFAULT);
	check(read_all(fd, (void *)0xffff888000000000, size), -EFAULT);
	memset(record, 0xff, sizeof(record));
	check(read_all(fd, record, sizeof(record)), 1);
	check(record[0].cpu, CPU);
	/* READ writes the record, and no byte after it */
	check(record[0].value[1], ~0ULL);
	memset(&r, 0, sizeof(r));
	r.buffer = (unsigned long)record;
	r.buffer_size = ~0ULL;
	check(command(fd, KNC_PMU_IOC_READ, &r), 1);
	r.flags = KNC_PMU_READ_FLAGS + 1;
	check(command(fd, KNC_PMU_IOC_READ, &r), -EINVAL);
	r.flags = 1U << 31;
	check(command(fd, KNC_PMU_IOC_READ, &r), -EINVAL);
	r.flags = 0;
	r.reserved = 1;
	check(command(fd, KNC_PMU_IOC_READ, &r), -EINVAL);
	r.reserved = 0;
	/* a shorter struct ends before flags: READ takes the missing fields as 0 */
	check(command(fd, SIZED(KNC_PMU_IOC_READ, offsetof(struct knc_pmu_read, flags)), &r), 1);
	close(fd);
	check_struct(KNC_PMU_IOC_READ, &r, sizeof(r), -ENODATA);
}

static void test_read_counts(void)
{
	struct record with, without;
	struct knc_pmu_read r;
	int fd = session(CPU, BRANCHES, USR);

	check(start(fd), 0);
	pin(CPU);
	loop(1000);
	check(stop(fd), 0);
	check(read_all(fd, &with, sizeof(with)), 1);
	memset(&r, 0, sizeof(r));
	r.flags = KNC_PMU_READ_COUNTS;
	r.buffer = (unsigned long)&without;
	r.buffer_size = sizeof(without);
	check(command(fd, KNC_PMU_IOC_READ, &r), 1);
	check(with.value[0] >= 1000, 1);
	check(without.value[0], with.value[0]);
	check(without.cpu, CPU);
	check(without.flags, 0);
	check(without.time | without.time_enabled | without.time_running, 0);
	check(with.time_enabled > 0, 1);
}

static void test_regs(void)
{
	struct knc_pmu_regs r;
	struct regs regs;
	int fd = open_device();

	memset(&r, 0, sizeof(r));
	r.cpu = CPU;
	check_struct(KNC_PMU_IOC_REGS, &r, sizeof(r), KNC_NR_REGISTERS);
	check_list(KNC_PMU_IOC_REGS, &r, &r.regs, sizeof(struct knc_pmu_reg));
	check(read_regs(fd, CPU, &regs), 0);
	check(read_regs(fd, nr_cpus(), &regs), -ENXIO);
	check(read_regs(fd, ~0U, &regs), -ENXIO);
	set_online(CPU, 0);
	check(read_regs(fd, CPU, &regs), -ENXIO);
	set_online(CPU, 1);
	r.pmu = 2;
	check(command(fd, KNC_PMU_IOC_REGS, &r), -ENODEV);
}

/* The overflow interrupt is unmasked, in the mode of the module. */
static void check_lvtpc(const struct regs *regs)
{
	check(regs->lvtpc & KNC_APIC_LVT_MASKED, 0);
	if (is_irq_mode() && !(has_nmis() && regs->lvtpc == KNC_APIC_LVT_NMI))
		check(regs->lvtpc > 31 && regs->lvtpc < 256, 1);
	else
		check(regs->lvtpc, KNC_APIC_LVT_NMI);
}

static void check_is_nmi(int nmi)
{
	struct regs regs;
	int fd = open_device();

	check(read_regs(fd, CPU, &regs), 0);
	check_lvtpc(&regs);
	check(regs.lvtpc == KNC_APIC_LVT_NMI, nmi);
	close(fd);
}

/* A session that samples on @counter of CPU */
static int deliver(unsigned int counter, unsigned int flags, unsigned int event)
{
	int fd;
	struct request r;

	ask(&r, CPU, 1);
	r.c.ring_size = KNC_PMU_MIN_RING;
	ask_event(&r, 0, event, flags | KNC_PMU_EVENT_SAMPLE);
	r.e[0].sample_period = 1000000000;
	r.e[0].counters = 1 << counter;
	fd = open_session(&r);
	check(start(fd), 0);
	return fd;
}

/* Vectors where only the thread's own user mode is sampled, NMIs while anything else is */
static void test_delivery(void)
{
	int user, other;

	if (!is_irq_mode() || !has_nmis())
		skip("all overflow interrupts are %s", has_nmis() ? "NMIs" : "vectors");
	user = deliver(0, USR, BRANCHES);
	check_is_nmi(0);
	other = deliver(1, USR | OS, INSTRUCTIONS_EXECUTED);
	check_is_nmi(1);
	close(user);
	user = deliver(0, USR, BRANCHES);
	check_is_nmi(1);
	close(other);
	/* the old mode remains until the counters are programmed again */
	check_is_nmi(1);
	other = deliver(1, USR, INSTRUCTIONS_EXECUTED);
	check_is_nmi(0);
	close(other);
	other = deliver(1, USR, CPU_CLK_UNHALTED);
	check_is_nmi(1);
	close(other);
	close(user);
}

/* REGS while a session counts */
static void test_regs_session(void)
{
	unsigned long long usr_int_en_branches = 0x510012;
	struct regs regs;
	struct request r;
	int fd;

	ask(&r, CPU, 2);
	ask_event(&r, 0, BRANCHES, USR);
	ask_event(&r, 1, DATA_READ, OS | KNC_PMU_EVENT_EDGE |
		  KNC_PMU_EVENT_INV | KNC_PMU_EVENT_THREAD_MODE |
		  KNC_PMU_EVENT_SPFLT);
	r.e[1].cmask = 7;
	r.c.flags = KNC_PMU_CONFIG_USER_PREF;
	fd = open_session(&r);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.perfevtsel[0], usr_int_en_branches);
	check(regs.perfevtsel[1], 0x07f60000);
	check(regs.perfcntr[0], 1ULL << 39);
	check(regs.perfcntr[1], 1ULL << 39);
	check(regs.global_status, 0);
	check_lvtpc(&regs);
	check(regs.global_ctrl, 0);
	check(regs.spflt_control, 1ULL << 63 | 2);
	check(start(fd), 0);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.global_ctrl, 3);
	check(regs.tsc != 0 && regs.cr4 != 0, 1);
	check(stop(fd), 0);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.global_ctrl, 0);
	close(fd);
	fd = open_device();
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.lvtpc, KNC_APIC_LVT_NMI);
}

/* An overflow status from before the session is not taken for an overflow of the session. */
static void test_stale_status(void)
{
	struct registers stale = {
		{ KNC_COUNTER_MASK - 100, 0 }, { 0x410016, 0 }, 0, 1, 0,
		KNC_APIC_LVT_NMI
	};
	struct regs regs;
	int fd = open_device(), user;

	pin(CPU);
	put_registers(CPU, &stale);
	loop(1000);
	put_registers(CPU, &zeros);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.global_status, 1);
	user = session(CPU, BRANCHES, USR);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.global_status, 0);
	close(user);
}

static int ask_owner(int fd, unsigned int cpu, unsigned int counter,
		     struct knc_pmu_owner *owner)
{
	memset(owner, 0, sizeof(*owner));
	owner->cpu = cpu;
	owner->counter = counter;
	return command(fd, KNC_PMU_IOC_OWNER, owner);
}

static void test_owner(void)
{
	struct knc_pmu_owner owner;
	int fd = open_device();

	check(ask_owner(fd, CPU, 1, &owner), 0);
	check(owner.flags, 0);
	check(owner.pid, 0);
	check_struct(KNC_PMU_IOC_OWNER, &owner, sizeof(owner), 0);
	check_readonly(KNC_PMU_IOC_OWNER, &owner, sizeof(owner));
	check(ask_owner(fd, nr_cpus(), 0, &owner), -ENXIO);
	check(ask_owner(fd, ~0U, 0, &owner), -ENXIO);
	check(ask_owner(fd, CPU, 2, &owner), -ENXIO);
	ask_owner(fd, CPU, 0, &owner);
	owner.reserved = 1;
	check(command(fd, KNC_PMU_IOC_OWNER, &owner), -EINVAL);
	owner.reserved = 0;
	owner.pmu = 2;
	check(command(fd, KNC_PMU_IOC_OWNER, &owner), -ENODEV);
	owner.pmu = 1;
	check(command(fd, KNC_PMU_IOC_OWNER, &owner), 0);
	session(CPU, BRANCHES, USR);
	check(ask_owner(fd, CPU, 0, &owner), 0);
	check(owner.flags, KNC_PMU_OWNER_SESSION);
	check(owner.pid, getpid());
	check(ask_owner(fd, CPU, 1, &owner), 0);
	check(owner.flags, 0);
	check(ask_owner(fd, CPU + 1, 0, &owner), 0);
	check(owner.flags, 0);
}

static int ask_stats(int fd, void *entries, unsigned int nr)
{
	struct knc_pmu_list r;

	r.entries = (unsigned long)entries;
	r.nr = nr;
	r.size = sizeof(struct knc_pmu_stats);
	return command(fd, KNC_PMU_IOC_STATS, &r);
}

/* In the device's group, without CAP_PERFMON */
static void test_group(void)
{
	struct knc_pmu_owner owner;
	struct knc_pmu_info info;
	struct regs regs;
	struct request r;
	struct stat st;
	int fd;

	check(stat(KNC_PMU_DEVICE, &st), 0);
	check(st.st_mode, S_IFCHR | 0660);
	check(st.st_uid, 0);
	check(st.st_gid != 0, 1);
	become_nobody(st.st_gid);
	ask_one(&r);
	check_refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	fd = open_device();
	check(read_regs(fd, CPU, &regs), -EPERM);
	check(ask_stats(fd, NULL, 0), -EPERM);
	check(ask_owner(fd, CPU, 0, &owner), 0);
	memset(&info, 0, sizeof(info));
	check(command(fd, KNC_PMU_IOC_INFO, &info), 1);
}

static void test_others(void)
{
	become_nobody(NOBODY);
	check(open(KNC_PMU_DEVICE, O_RDWR), -1);
	check(errno, EACCES);
}

/* read(), write() and lseek() return errors */
static void test_file(void)
{
	int fd = session(CPU, BRANCHES, USR);
	char byte;

	check(read(fd, &byte, 1), -1);
	check(errno, EINVAL);
	check(write(fd, &byte, 1), -1);
	check(errno, EINVAL);
	check(lseek(fd, 0, SEEK_SET), -1);
	check(errno, ESPIPE);
}

/* A client that knows no sampling passes a shorter struct; it may also pass the fields after it */
static void test_config_first(void)
{
	struct {
		unsigned char c[CONFIG_FIRST];
		unsigned char behind[64];
	} old;
	struct request r;
	unsigned int i;
	int fd = open_device();

	check(CONFIG_FIRST, 40);
	ask_one(&r);
	memcpy(old.c, &r.c, sizeof(old.c));
	memset(old.behind, 0xa5, sizeof(old.behind));
	check(command(fd, SIZED(KNC_PMU_IOC_CONFIG, CONFIG_FIRST), &old), 0);
	for (i = 0; i < sizeof(old.behind); i++)
		check(old.behind[i], 0xa5);
	check(start(fd), 0);
	/* the struct ends before the list of events */
	fd = open_device();
	check(command(fd, SIZED(KNC_PMU_IOC_CONFIG, 8), &r.c), -EINVAL);
	check(command(fd, SIZED(KNC_PMU_IOC_CONFIG, 0), &r.c), -EINVAL);
	/* a short struct with a sampling interval */
	ask_event(&r, 0, BRANCHES, USR);
	check(command(fd, SIZED(KNC_PMU_IOC_CONFIG, CONFIG_FIRST + 8), &r.c), 0);
}

static int config_sampling(struct request *r)
{
	int fd = open_device();

	check(config(fd, r), 0);
	return fd;
}

static void ask_sampled(struct request *r)
{
	ask_two(r);
	r->e[1].flags |= KNC_PMU_EVENT_SAMPLE;
	r->e[1].sample_period = 1000;
	r->c.ring_size = KNC_PMU_MIN_RING;
}

static void check_period(unsigned int flags, unsigned long long period,
			 unsigned int reason)
{
	struct request r;

	ask_sampled(&r);
	r.e[1].flags &= ~KNC_PMU_EVENT_SAMPLE;
	r.e[1].flags |= flags;
	r.e[1].sample_period = period;
	if (reason) {
		check_event(&r, reason);
		return;
	}
	close(config_sampling(&r));
}

static void test_sample_period(void)
{
	unsigned int sample = KNC_PMU_EVENT_SAMPLE;
	unsigned int freq = sample | KNC_PMU_EVENT_FREQ;
	unsigned int limit = sample | KNC_PMU_EVENT_LIMIT;

	check_period(sample, 1, 0);
	check_period(sample, KNC_PMU_MAX_PERIOD, 0);
	check_period(sample, 0, KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(sample, KNC_PMU_MAX_PERIOD + 1,
		     KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(sample, ~0ULL, KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(freq, 1, 0);
	check_period(freq, KNC_PMU_MAX_FREQ, 0);
	check_period(freq, 0, KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(freq, KNC_PMU_MAX_FREQ + 1, KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(freq, ~0ULL, KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(KNC_PMU_EVENT_FREQ, 100, KNC_PMU_REASON_SAMPLE_FREQ);
	check_period(KNC_PMU_EVENT_FREQ, 0, KNC_PMU_REASON_SAMPLE_FREQ);
	check_period(limit, KNC_PMU_LIMITED(1, 1), 0);
	check_period(limit, KNC_PMU_LIMITED(KNC_PMU_MAX_PERIOD, KNC_PMU_MAX_FREQ), 0);
	check_period(limit, 1000, KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(limit, KNC_PMU_LIMITED(0, 1), KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(limit, KNC_PMU_LIMITED(KNC_PMU_MAX_PERIOD + 1, 1),
		     KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(limit, KNC_PMU_LIMITED(1, KNC_PMU_MAX_FREQ + 1),
		     KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(limit, ~0ULL, KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(limit | freq, KNC_PMU_LIMITED(1, 1), KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(sample, KNC_PMU_LIMITED(1, 1), KNC_PMU_REASON_SAMPLE_PERIOD);
	check_period(KNC_PMU_EVENT_LIMIT, KNC_PMU_LIMITED(1, 1), KNC_PMU_REASON_SAMPLE_FREQ);
	check_period(KNC_PMU_EVENT_LIMIT, 0, KNC_PMU_REASON_SAMPLE_FREQ);
	check_period(0, 1, KNC_PMU_REASON_SAMPLE_FREQ);
	check_period(0, ~0ULL, KNC_PMU_REASON_SAMPLE_FREQ);
}

/* CONFIG refuses @r for @reason; 0: it accepts */
static void check_sampling(struct request *r, unsigned int reason)
{
	if (reason)
		check_refused(r, EINVAL, reason);
	else
		close(config_sampling(r));
}

static void check_interval(unsigned long long interval, unsigned int reason)
{
	struct request r;

	ask_two(&r);
	r.c.ring_size = KNC_PMU_MIN_RING;
	r.c.sample_interval = interval;
	check_sampling(&r, reason);
}

static void test_sample_interval(void)
{
	check_interval(KNC_PMU_MIN_INTERVAL, 0);
	check_interval(KNC_PMU_MAX_INTERVAL, 0);
	check_interval(1, KNC_PMU_REASON_SAMPLE_INTERVAL);
	check_interval(KNC_PMU_MIN_INTERVAL - 1,
		       KNC_PMU_REASON_SAMPLE_INTERVAL);
	check_interval(KNC_PMU_MAX_INTERVAL + 1,
		       KNC_PMU_REASON_SAMPLE_INTERVAL);
	check_interval(~0ULL, KNC_PMU_REASON_SAMPLE_INTERVAL);
}

static void check_ring(unsigned int ring_size, unsigned int watermark,
		       unsigned int reason)
{
	struct request r;

	ask_sampled(&r);
	r.c.ring_size = ring_size;
	r.c.watermark = watermark;
	check_sampling(&r, reason);
}

static void test_ring_size(void)
{
	unsigned int min = KNC_PMU_MIN_RING, max = KNC_PMU_MAX_RING;
	struct request r;

	check_ring(min, 0, 0);
	check_ring(min, 1, 0);
	check_ring(min, min, 0);
	check_ring(max, max, 0);
	check_ring(0, 0, KNC_PMU_REASON_RING_SIZE);
	check_ring(1, 0, KNC_PMU_REASON_RING_SIZE);
	check_ring(min / 2, 0, KNC_PMU_REASON_RING_SIZE);
	check_ring(min * 2, 0, 0);
	check_ring(min * 3, 0, KNC_PMU_REASON_RING_SIZE);
	check_ring(max * 2, 0, KNC_PMU_REASON_RING_SIZE);
	check_ring(1U << 31, 0, KNC_PMU_REASON_RING_SIZE);
	check_ring(~0U, 0, KNC_PMU_REASON_RING_SIZE);
	check_ring(min, min + 1, KNC_PMU_REASON_RING_SIZE);
	check_ring(min, ~0U, KNC_PMU_REASON_RING_SIZE);
	/* a ring, but no samples */
	ask_two(&r);
	r.c.ring_size = min;
	check_refused(&r, EINVAL, KNC_PMU_REASON_RING_SIZE);
	ask_two(&r);
	r.c.watermark = 1;
	check_refused(&r, EINVAL, KNC_PMU_REASON_RING_SIZE);
}

static void check_frames(unsigned int flags, unsigned int frames,
			 unsigned int reason)
{
	struct request r;

	ask_sampled(&r);
	r.c.ring_size = 2 * KNC_PMU_MIN_RING;
	r.c.flags = flags;
	r.c.max_frames = frames;
	check_sampling(&r, reason);
}

static void test_frames(void)
{
	unsigned int user = KNC_PMU_CONFIG_CHAIN_USER;
	unsigned int kernel = KNC_PMU_CONFIG_CHAIN_KERNEL;
	struct request r;

	check_frames(user, 1, 0);
	check_frames(kernel, 1, 0);
	check_frames(user | kernel, KNC_PMU_MAX_FRAMES, 0);
	check_frames(user, 0, KNC_PMU_REASON_FRAMES);
	check_frames(kernel, 0, KNC_PMU_REASON_FRAMES);
	check_frames(user, KNC_PMU_MAX_FRAMES + 1, KNC_PMU_REASON_FRAMES);
	check_frames(kernel, ~0U, KNC_PMU_REASON_FRAMES);
	check_frames(0, 1, KNC_PMU_REASON_FRAMES);
	/* two samples must fit into a ring */
	ask_sampled(&r);
	r.c.flags = user;
	r.c.max_frames = 116;
	check(2 * KNC_PMU_SAMPLE_SIZE(116) <= KNC_PMU_MIN_RING, 1);
	close(config_sampling(&r));
	ask_sampled(&r);
	r.c.flags = user;
	r.c.max_frames = 117;
	check_refused(&r, EINVAL, KNC_PMU_REASON_RING_SIZE);
	/* call chains belong to event samples, not to time samples */
	ask_two(&r);
	r.c.ring_size = KNC_PMU_MIN_RING;
	r.c.sample_interval = KNC_PMU_MIN_INTERVAL;
	r.c.flags = user;
	r.c.max_frames = 1;
	check_refused(&r, EINVAL, KNC_PMU_REASON_FRAMES);
	ask_two(&r);
	r.c.max_frames = 1;
	check_refused(&r, EINVAL, KNC_PMU_REASON_FRAMES);
}

/* An event that can't be counted can't be sampled either, for the same reasons. */
static void test_sample_events(void)
{
	struct request r;

	ask_sampled(&r);
	ask_event(&r, 1, L2_READ_MISS, USR | KNC_PMU_EVENT_SAMPLE);
	r.e[1].counters = 2;
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_COUNTER);
	check(r.c.reason_event, 1);
	ask_sampled(&r);
	ask_event(&r, 0, L2_READ_HIT_M, USR);
	ask_event(&r, 1, L2_READ_MISS, USR | KNC_PMU_EVENT_SAMPLE);
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_EVENT_PAIR);
	ask_sampled(&r);
	ask_event(&r, 1, BRANCHES, KNC_PMU_EVENT_SAMPLE);
	check_event(&r, KNC_PMU_REASON_EVENT_RING);
	session(CPU, BRANCHES, USR);
	ask_sampled(&r);
	check_refused(&r, EBUSY, KNC_PMU_REASON_BUSY);
	check(r.c.reason_pid, getpid());
}

static void check_unmappable(int fd, size_t size, int flags,
			     unsigned long long offset, int err)
{
	errno = 0;
	check(mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset) ==
	      MAP_FAILED, 1);
	check(errno, err);
}

static void test_mmap(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size = page + KNC_PMU_MIN_RING;
	struct knc_pmu_ring *ring;
	struct request r;
	int fd = open_device();

	check_unmappable(fd, size, MAP_SHARED, 0, ENODATA);
	check_unmappable(fd, size, MAP_PRIVATE, 0, EPERM);
	close(fd);
	/* this session does not sample */
	fd = session(CPU, BRANCHES, USR);
	check_unmappable(fd, size, MAP_SHARED, 0, EINVAL);
	close(fd);
	ask_sampled(&r);
	ask_cpu(&r, CPU + 1);
	fd = config_sampling(&r);
	check_unmappable(fd, size, MAP_PRIVATE, 0, EPERM);
	check_unmappable(fd, size, MAP_SHARED, page, EINVAL);
	check_unmappable(fd, size, MAP_SHARED, size - page, EINVAL);
	check_unmappable(fd, size, MAP_SHARED, 2 * size, EINVAL);
	check_unmappable(fd, size, MAP_SHARED, 1ULL << 62, EINVAL);
	check_unmappable(fd, size, MAP_SHARED, -2 * size, EINVAL);
	check_unmappable(fd, page, MAP_SHARED, 0, EINVAL);
	check_unmappable(fd, size - page, MAP_SHARED, 0, EINVAL);
	check_unmappable(fd, size + page, MAP_SHARED, 0, EINVAL);
	check_unmappable(fd, 2 * size, MAP_SHARED, 0, EINVAL);
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, size);
	check(ring == MAP_FAILED, 0);
	check(ring->cpu, CPU + 1);
	check(ring->data_offset, page);
	check(ring->data_size, KNC_PMU_MIN_RING);
	check(ring->head | ring->tail | ring->samples | ring->lost, 0);
	/* the ring can be read, and mapped twice; it can't be executed */
	check(mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, 0);
	check(mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, 0);
	check(mremap(ring, size, 2 * size, MREMAP_MAYMOVE) == MAP_FAILED, 1);
}

static void check_poll(int fd, int want)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	check(poll(&p, 1, 0), !!want);
	check(p.revents, want);
}

/* poll() of a session without samples returns at once. */
static void test_poll(void)
{
	struct request r;
	int fd = open_device();

	check_poll(fd, POLLERR);
	close(fd);
	fd = session(CPU, BRANCHES, USR);
	check_poll(fd, POLLERR);
	close(fd);
	ask_sampled(&r);
	fd = config_sampling(&r);
	check_poll(fd, 0);
	check(start(fd), 0);
	check_poll(fd, 0);
}

static void test_stats(void)
{
	struct knc_pmu_stats stats[256];
	struct knc_pmu_list r;
	unsigned int i;
	int fd = open_device();

	check_list(KNC_PMU_IOC_STATS, &r, &r, sizeof(stats[0]));
	memset(stats, 0xff, sizeof(stats));
	check(ask_stats(fd, NULL, 0), nr_cpus());
	check(ask_stats(fd, stats, nr_cpus() - 1), nr_cpus());
	check(stats[0].cpu, 0);
	check(stats[nr_cpus() - 1].cpu, ~0U);
	check(ask_stats(fd, BAD, nr_cpus()), -EFAULT);
	check(ask_stats(fd, stats, ~0U), nr_cpus());
	for (i = 0; i < nr_cpus(); i++) {
		check(stats[i].cpu, i);
		check(stats[i].reserved, 0);
	}
	check(stats[nr_cpus()].cpu, ~0U);
	r.entries = (unsigned long)stats;
	r.nr = 1;
	r.size = sizeof(stats[0]);
	check_struct(KNC_PMU_IOC_STATS, &r, sizeof(r), nr_cpus());
}

/* Sessions that follow tasks */

static void ask_own(struct request *r, unsigned int flags)
{
	ask_task(r, 0, flags, 1);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR);
}

static void test_task_flags(void)
{
	static const unsigned int flags[] = {
		KNC_PMU_CONFIG_PROCESS, KNC_PMU_CONFIG_INHERIT,
		KNC_PMU_CONFIG_ON_EXEC, KNC_PMU_CONFIG_KEEP,
	};
	struct request r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ask_one(&r);
		r.c.flags = flags[i];
		check_refused(&r, EINVAL, KNC_PMU_REASON_TASK_FLAGS);
	}
	/* only levels have an RMID that several tasks can share, and a card has none */
	ask_own(&r, KNC_PMU_CONFIG_PIDS);
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_PIDS);
	ask_one(&r);
	r.c.flags = KNC_PMU_CONFIG_PIDS;
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_PIDS);
	ask_one(&r);
	r.c.pid = getpid();
	check_refused(&r, EINVAL, KNC_PMU_REASON_TASK_FLAGS);
	ask_one(&r);
	r.c.flags = KNC_PMU_CONFIG_TASK;
	check_refused(&r, EINVAL, KNC_PMU_REASON_TASK_FLAGS);
	ask_own(&r, 0);
	r.c.cpus_size = 8;
	check_refused(&r, EINVAL, KNC_PMU_REASON_TASK_FLAGS);
	ask_own(&r, 0);
	r.c.cpus = (unsigned long)r.cpus;
	check_refused(&r, EINVAL, KNC_PMU_REASON_TASK_FLAGS);
	ask_own(&r, 0);
	r.c.reserved = 1;
	check_error(&r, EINVAL);
}

static void test_task_none(void)
{
	struct request r;
	pid_t pid;

	ask_own(&r, 0);
	r.c.pid = -1;
	check_refused(&r, ESRCH, KNC_PMU_REASON_TASK_NONE);
	r.c.pid = 0x7fffffff;
	check_refused(&r, ESRCH, KNC_PMU_REASON_TASK_NONE);
	/* kthreadd: threads of the kernel can't be followed */
	r.c.pid = 2;
	check_refused(&r, ESRCH, KNC_PMU_REASON_TASK_NONE);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	r.c.pid = pid;
	check_refused(&r, ESRCH, KNC_PMU_REASON_TASK_NONE);
}

static void test_task_sampling(void)
{
	struct request r;

	ask_own(&r, 0);
	r.c.sample_interval = KNC_PMU_MIN_INTERVAL;
	r.c.ring_size = KNC_PMU_MIN_RING;
	check_refused(&r, EOPNOTSUPP, KNC_PMU_REASON_TASK_SAMPLING);
}

/* Requests that need CAP_PERFMON; a request for the caller's own instructions does not */
static void test_task_privilege(void)
{
	struct request r;
	int fd;

	become_nobody(device_group());
	ask_own(&r, 0);
	r.e[0].flags = USR | OS;
	check_refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	check(r.c.reason_event, 0);
	r.e[0].flags = OS;
	check_refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	ask_task(&r, 0, 0, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, BRANCHES, USR | KNC_PMU_EVENT_THREAD_MODE);
	check_refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	check(r.c.reason_event, 1);
	/* without CAP_PERFMON no call chain of the kernel is permitted */
	ask_own(&r, KNC_PMU_CONFIG_CHAIN_KERNEL);
	r.e[0].flags |= KNC_PMU_EVENT_SAMPLE;
	r.e[0].sample_period = 1000;
	r.c.ring_size = KNC_PMU_MIN_RING;
	r.c.max_frames = 4;
	check_refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	/* if an event needs CAP_PERFMON too, the refusal names the event */
	ask_task(&r, 0, KNC_PMU_CONFIG_CHAIN_KERNEL, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | KNC_PMU_EVENT_SAMPLE);
	ask_event(&r, 1, BRANCHES, USR | OS);
	r.e[0].sample_period = 1000;
	r.c.ring_size = KNC_PMU_MIN_RING;
	r.c.max_frames = 4;
	check_refused(&r, EPERM, KNC_PMU_REASON_PRIVILEGE);
	check(r.c.reason_event, 1);
	/* another user's task can't be followed, even one that has never executed a program */
	ask_own(&r, 0);
	r.c.pid = getppid();
	check_refused(&r, EPERM, KNC_PMU_REASON_TASK_DENIED);
	ask_own(&r, KNC_PMU_CONFIG_RDPMC);
	fd = open_session(&r);
	check(start(fd), 0);
}

static void test_task_read(void)
{
	struct record record;
	struct request r;
	int fd;

	ask_own(&r, 0);
	fd = open_session(&r);
	check(config(fd, &r), -EALREADY);
	check(read_all(fd, &record, KNC_PMU_THREAD_SIZE(1) - 1), -ENOSPC);
	check(read_all(fd, BAD, KNC_PMU_THREAD_SIZE(1)), -EFAULT);
	memset(&record, 0xff, sizeof(record));
	check(read_all(fd, &record, sizeof(record)), 1);
	check(record.cpu, KNC_PMU_NO_CPU);
	check(record.flags | record.tsc | record.time_enabled |
	      record.time_running | record.value[0], 0);
	check(record.value[1], ~0ULL);
	check(record.time > 0, 1);
	check(reset(fd, 0), 0);
	check(reset(fd, KNC_PMU_RESET_REGISTERS), -EBUSY);
	check(reset(fd, 2), -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_NAMES, &record, sizeof(record)), -EINVAL);
	close(fd);
	/* a session on hardware threads has no tasks */
	fd = session(CPU, BRANCHES, USR);
	check(read_flags(fd, KNC_PMU_READ_TASKS, &record, sizeof(record)), -EINVAL);
}

static void check_no_page(unsigned int flags)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct request r;
	int fd;

	ask_own(&r, flags);
	fd = open_session(&r);
	check_unmappable(fd, page, MAP_SHARED, KNC_PMU_PAGE_OFFSET, EINVAL);
	close(fd);
}

static void test_page(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct knc_pmu_page *page;
	struct request r;
	int fd = open_device();

	check_unmappable(fd, size, MAP_SHARED, KNC_PMU_PAGE_OFFSET, ENODATA);
	ask_own(&r, KNC_PMU_CONFIG_RDPMC);
	check(config(fd, &r), 0);
	/* a writable mapping */
	check_unmappable(fd, size, MAP_SHARED, KNC_PMU_PAGE_OFFSET, EPERM);
	check(mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, KNC_PMU_PAGE_OFFSET)
	      == MAP_FAILED, 1);
	check(errno, EPERM);
	check(mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, fd,
		   KNC_PMU_PAGE_OFFSET) == MAP_FAILED, 1);
	check(errno, EINVAL);
	check(mmap(NULL, size, PROT_READ, MAP_SHARED, fd,
		   KNC_PMU_PAGE_OFFSET + size) == MAP_FAILED, 1);
	check(errno, EINVAL);
	check(mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, 1);
	check(errno, EINVAL);
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET);
	check(page == MAP_FAILED, 0);
	check(page->seq & 1, 1);
	check(page->nr_events, 1);
	check(page->tsc_khz > 1000, 1);
	check(page->width, 40);
	/* mprotect() can't make the page writable */
	check(mprotect(page, size, PROT_READ | PROT_WRITE), -1);
	check(errno, EACCES);
	check(mremap(page, size, 2 * size, MREMAP_MAYMOVE) == MAP_FAILED, 1);
	close(fd);
	munmap(page, size);
	check_no_page(0);
	check_no_page(KNC_PMU_CONFIG_RDPMC | KNC_PMU_CONFIG_PROCESS);
	check_no_page(KNC_PMU_CONFIG_RDPMC | KNC_PMU_CONFIG_INHERIT);
}

/* A process that may execute RDPMC; it writes to @told as soon as it may */
static void permitted(int told)
{
	struct request r;

	ask_own(&r, KNC_PMU_CONFIG_RDPMC);
	open_session(&r);
	check(write(told, "", 1), 1);
	pause();
	_exit(0);
}

/* Permissions of other users are not listed. */
static void check_own_grants(int fd, struct knc_pmu_list *r,
			     const struct knc_pmu_grant *grant)
{
	int told[2], i, nr;
	char byte;

	check(pipe(told), 0);
	if (!fork())
		permitted(told[1]);
	check(read(told[0], &byte, 1), 1);
	check(command(fd, KNC_PMU_IOC_GRANTS, r), 2);
	become_nobody(device_group());
	nr = command(fd, KNC_PMU_IOC_GRANTS, r);
	check(nr >= 0, 1);
	for (i = 0; i < nr; i++)
		check(grant[i].pid, getpid());
}

static void test_grants(void)
{
	struct knc_pmu_grant grant[2];
	struct knc_pmu_list r;
	struct request own;
	int fd = open_device();

	memset(&r, 0, sizeof(r));
	check_struct(KNC_PMU_IOC_GRANTS, &r, sizeof(r), 0);
	ask_own(&own, KNC_PMU_CONFIG_RDPMC);
	check(config(fd, &own), 0);
	check_list(KNC_PMU_IOC_GRANTS, &r, &r, sizeof(grant[0]));
	r.nr = 0;
	check(command(fd, KNC_PMU_IOC_GRANTS, &r), 1);
	r.nr = 2;
	r.entries = (unsigned long)grant;
	r.size = sizeof(grant[0]);
	check(command(fd, KNC_PMU_IOC_GRANTS, &r), 1);
	check(grant[0].pid, getpid());
	check_own_grants(fd, &r, grant);
}

/* KNC_PMU_MAX_GRANTS sessions can grant RDPMC to one process; one more is refused */
static void test_max_grants(void)
{
	struct request r;
	unsigned int i;
	pid_t pid;
	int fd;

	/* each session follows another task, therefore they can share a counter */
	for (i = 0; i <= KNC_PMU_MAX_GRANTS; i++) {
		pid = fork();
		if (!pid) {
			pause();
			_exit(0);
		}
		ask_own(&r, KNC_PMU_CONFIG_RDPMC);
		r.c.pid = pid;
		fd = open_device();
		check(config(fd, &r), i < KNC_PMU_MAX_GRANTS ? 0 : -EMFILE);
	}
}

/*
 * CONFIG can't write to @page, a page of the caller that holds its events or the struct itself: no
 * session is configured, no counter is taken, and the descriptor can still be used.
 */
static void check_unwritable(struct request *r, void *page)
{
	int fd = open_device();

	check(mprotect(page, 4096, PROT_READ), 0);
	check(config(fd, r), -EFAULT);
	check(start(fd), -ENODATA);
	check_unowned();
	check(nr_sessions(), 0);
	check(ask_grants(NULL, 0), 0);
	check(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
	check(config(fd, r), 0);
	check(start(fd), 0);
	close(fd);
}

static void check_unwritable_events(struct request *r)
{
	struct knc_pmu_event *events;

	events = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(events, r->e, r->c.nr_events * sizeof(*events));
	r->c.events = (unsigned long)events;
	check_unwritable(r, events);
	munmap(events, 4096);
	r->c.events = (unsigned long)r->e;
}

/* As check_unwritable(), for the struct itself: config() gets a request that begins with it */
static void check_unwritable_config(struct request *r)
{
	struct request *low;

	low = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(low, r, sizeof(*low));
	check_unwritable(low, low);
	munmap(low, 8192);
}

static void test_config_unwritable(void)
{
	static const unsigned int flags[] = {
		0, KNC_PMU_CONFIG_PROCESS, KNC_PMU_CONFIG_RDPMC,
		KNC_PMU_CONFIG_INHERIT, KNC_PMU_CONFIG_ON_EXEC,
		KNC_PMU_CONFIG_KEEP,
	};
	struct request r;
	unsigned int i;

	ask_two(&r);
	check_unwritable_events(&r);
	check_unwritable_config(&r);
	ask_sampled(&r);
	check_unwritable_events(&r);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ask_own(&r, flags[i]);
		check_unwritable_events(&r);
		check_unwritable_config(&r);
	}
}

/* System calls of 32-bit programs */

#define IOCTL_32	54
#define GETPID_32	20

static long int80(long nr, long a, long b, const void *c)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

/* Run in a child: a kernel without 32-bit system calls kills it by a signal */
static int has_int80(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(int80(GETPID_32, 0, 0, NULL) != getpid());
	check(waitpid(pid, &status, 0), pid);
	return !status;
}

/* All addresses are of static data, and therefore below 4 GB */
static void test_32bit(void)
{
	static struct knc_pmu_info info;
	static struct record record;
	static struct knc_pmu_read room;
	static struct request r;
	int fd = open_device();

	if ((unsigned long)&r >> 32)
		skip("this program is not where a 32-bit one would be");
	if (!has_int80())
		skip("this kernel has no 32-bit system calls");
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_INFO, &info), 1);
	check(info.threads_per_core, 4);
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_INFO, BAD), -EFAULT);
	check(int80(IOCTL_32, fd, 0, NULL), -ENOTTY);
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_START, NULL), -ENODATA);
	ask_one(&r);
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_CONFIG, &r.c), 0);
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_START, NULL), 0);
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_STOP, NULL), 0);
	room.buffer = (unsigned long)&record;
	room.buffer_size = sizeof(record);
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_READ, &room), 1);
	check(record.cpu, CPU);
	check(int80(IOCTL_32, fd, KNC_PMU_IOC_RESET, NULL), 0);
}

static void test_evict(void)
{
	struct knc_pmu_evict r;
	int fd = open_device();

	memset(&r, 0, sizeof(r));
	r.cpu = KNC_PMU_NO_CPU;
	r.counter = KNC_PMU_NO_COUNTER;
	check_struct(KNC_PMU_IOC_EVICT, &r, sizeof(r), 0);
	r.flags = 1;
	check(command(fd, KNC_PMU_IOC_EVICT, &r), -EINVAL);
	r.flags = 0;
	r.pmu = 2;
	check(command(fd, KNC_PMU_IOC_EVICT, &r), -ENODEV);
	r.pmu = 1;
	r.counter = 2;
	check(command(fd, KNC_PMU_IOC_EVICT, &r), -ENXIO);
	r.counter = 1;
	r.cpu = nr_cpus();
	check(command(fd, KNC_PMU_IOC_EVICT, &r), -ENXIO);
	r.cpu = 0;
	check(command(fd, KNC_PMU_IOC_EVICT, &r), 0);
	become_nobody(device_group());
	check(command(fd, KNC_PMU_IOC_EVICT, &r), -EPERM);
}

static const struct test tests[] = {
	{ "abi.info", test_info },
	{ "abi.pmus", test_pmus },
	{ "abi.config-struct", test_config_struct },
	{ "abi.config-cpus", test_config_cpus },
	{ "abi.config-events", test_config_events },
	{ "abi.config-counters", test_config_counters },
	{ "abi.config-twice", test_config_twice },
	{ "abi.commands", test_commands },
	{ "abi.read", test_read },
	{ "abi.read-counts", test_read_counts },
	{ "abi.regs", test_regs },
	{ "abi.regs-session", test_regs_session },
	{ "abi.delivery", test_delivery },
	{ "abi.owner", test_owner },
	{ "abi.group", test_group },
	{ "abi.others", test_others },
	{ "abi.file", test_file },
	{ "abi.config-first", test_config_first },
	{ "abi.stale-status", test_stale_status },
	{ "abi.sample-period", test_sample_period },
	{ "abi.sample-interval", test_sample_interval },
	{ "abi.ring-size", test_ring_size },
	{ "abi.frames", test_frames },
	{ "abi.sample-events", test_sample_events },
	{ "abi.mmap", test_mmap },
	{ "abi.poll", test_poll },
	{ "abi.stats", test_stats },
	{ "abi.task-flags", test_task_flags },
	{ "abi.task-none", test_task_none },
	{ "abi.task-sampling", test_task_sampling },
	{ "abi.task-privilege", test_task_privilege },
	{ "abi.task-read", test_task_read },
	{ "abi.page", test_page },
	{ "abi.grants", test_grants },
	{ "abi.evict", test_evict },
	{ "abi.max-grants", test_max_grants },
	{ "abi.config-unwritable", test_config_unwritable },
	{ "abi.32-bit", test_32bit },
};

TEST_PROGRAM(tests)
