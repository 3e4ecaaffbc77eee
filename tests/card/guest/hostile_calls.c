// SPDX-License-Identifier: GPL-2.0
/* Calls of the fuzzer: valid structs of every kind, and their mutations */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hostile.h"

#define PAGE		4096
#define ARENA_PAGES	5
#define ROOM		32768	/* for records */

/* Where the parts of a valid request are in the arena */
#define AT_ARG		0
#define AT_EVENTS	256
#define AT_CPUS		2048

unsigned int ring_sizes[FILES];
int last_child;

/* Random numbers */

static __thread unsigned long long state;

unsigned long long any_bits(void)
{
	unsigned long long z;

	state += 0x9e3779b97f4a7c15ULL;
	z = state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

void begin_stream(unsigned int a, unsigned int b, unsigned int c)
{
	state = a;
	state = any_bits() ^ b;
	state = any_bits() ^ c;
}

unsigned int below(unsigned int n)
{
	return (any_bits() >> 32) % n;
}

int one_in(unsigned int n)
{
	return !below(n);
}

unsigned int any_cpu(void)
{
	return below(one_in(16) ? nr_cpus() : shared->cpus);
}

void tally_effort(struct effort *effort, unsigned long long began)
{
	TALLY(effort->nr);
	ADD(effort->ns, now_ns() - began);
}

/* Memory */

/* The same memory mapped twice: @all is writable, @given has other permissions */
static __thread unsigned char *all;
static __thread unsigned char *given;
/* memory that every thread of the process may change */
static unsigned char *changing;

void make_arena(void)
{
	size_t size = ARENA_PAGES * PAGE;

	all = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		_exit(3);
	given = mremap(all, 0, size, MREMAP_MAYMOVE);
	if (given == MAP_FAILED)
		_exit(3);
	mprotect(given + PAGE, PAGE, PROT_READ);
	mprotect(given + 4 * PAGE, PAGE, PROT_NONE);
	__atomic_store_n(&changing, given + 3 * PAGE, __ATOMIC_RELEASE);
}

void change_arena(void)
{
	static const int prot[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE
	};
	unsigned char *page = LOAD(changing);

	if (!page)
		return;
	if (one_in(8))
		madvise(page, PAGE, MADV_DONTNEED);
	else
		mprotect(page, PAGE, prot[below(3)]);
}

/* The address of a copy: mostly at @at, sometimes anywhere */
static unsigned long place(unsigned int at, const void *data, size_t size)
{
	if (one_in(40))
		at = below(ARENA_PAGES * PAGE);
	memcpy(all + at, data, size);
	return (unsigned long)given + at;
}

static void take_back(unsigned long address, void *data, size_t size)
{
	memcpy(data, all + (address - (unsigned long)given), size);
}

static void *place_arg(const void *data, size_t size)
{
	if (one_in(100))
		return (void *)(unsigned long)(any_bits() >> below(64));
	return (void *)place(AT_ARG, data, size);
}

/* Flip a bit now and then */
static void spoil(void *data, size_t size)
{
	unsigned char *bytes = data;

	if (one_in(12))
		bytes[below(size)] ^= 1 << below(8);
}

/* Calls */

static void tally(unsigned int what, int ret)
{
	if (ret >= 0) {
		TALLY(shared->accepted[what]);
		return;
	}
	if (-ret < ERRNOS)
		TALLY(shared->errnos[-ret]);
	if (ret == -EBADF || ret == -EFAULT || ret == -ENOTTY || ret == -EINTR)
		TALLY(shared->died[what]);
	else
		TALLY(shared->refused[what]);
}

static int call(unsigned int what, unsigned int slot, unsigned long cmd,
		const void *arg)
{
	unsigned long long began = now_ns();
	int ret = command(FIRST_FILE + slot, cmd, arg);

	tally_effort(&shared->calls[what][ret < 0], began);
	tally(what, ret);
	return ret;
}

void fresh_file(unsigned int slot)
{
	int fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	dup3(fd, FIRST_FILE + slot, one_in(4) ? 0 : O_CLOEXEC);
	close(fd);
}

/* A request with everything that it points to */
struct made {
	struct knc_pmu_config c;
	unsigned int tail;	/* bytes beyond the module's struct */
	struct knc_pmu_event e[KNC_PMU_MAX_SET + 1];
	unsigned char cpus[KNC_PMU_MAX_CPUS / 8];
	unsigned int size;	/* the struct's size, as encoded in the command */
};

static void make_event(struct knc_pmu_event *e, int privileged)
{
	static const unsigned int codes[] = {
		DATA_READ, BRANCHES, INSTRUCTIONS_EXECUTED, CPU_CLK_UNHALTED,
		INSTRUCTIONS_EXECUTED, L2_READ_MISS, 0x7fee
	};
	unsigned int code = codes[below(ARRAY_SIZE(codes))];

	e->event = code;
	e->flags = USR;
	if (one_in(privileged ? 2 : 30))
		e->flags |= OS;
	if (one_in(20))
		e->flags |= KNC_PMU_EVENT_SPFLT;
	if (one_in(30))
		e->flags |= KNC_PMU_EVENT_THREAD_MODE;
	if (one_in(10)) {
		e->cmask = 1 + below(3);
		e->flags |= one_in(2) * KNC_PMU_EVENT_INV;
		e->flags |= one_in(2) * KNC_PMU_EVENT_EDGE;
	}
	if (one_in(4))
		e->counters = 1 << below(2);
}

static void make_set(struct made *m)
{
	unsigned int i, first = 0;

	if (one_in(4)) {
		m->e[0].flags |= KNC_PMU_EVENT_PINNED;
		first = 1;
	}
	for (i = 0; i < m->c.nr_events; i++) {
		m->e[i].counters = 0;
		if (i >= first)
			m->e[i].group = first ? i - 1 : i / 2;
	}
}

static void make_samples(struct made *m)
{
	unsigned int i;

	for (i = 0; i < m->c.nr_events; i++) {
		if (i && one_in(2))
			continue;
		m->e[i].flags |= KNC_PMU_EVENT_SAMPLE;
		m->e[i].sample_period = 1 + below(one_in(30) ? 500 : 1000000);
		if (one_in(4)) {
			m->e[i].flags |= KNC_PMU_EVENT_FREQ;
			m->e[i].sample_period = 1 + below(20000);
		} else if (one_in(4)) {
			m->e[i].flags |= KNC_PMU_EVENT_LIMIT;
			m->e[i].sample_period = KNC_PMU_LIMITED(m->e[i].sample_period,
								1 + below(20000));
		}
	}
	m->c.ring_size = KNC_PMU_MIN_RING << below(4);
	if (one_in(200))
		m->c.ring_size = 1 << 20;
	if (one_in(3))
		m->c.watermark = 1 + below(m->c.ring_size);
	if (one_in(6) && !(m->c.flags & KNC_PMU_CONFIG_TASK))
		m->c.sample_interval = KNC_PMU_MIN_INTERVAL * (1 + below(200));
	if (one_in(2)) {
		m->c.flags |= KNC_PMU_CONFIG_CHAIN_USER;
		m->c.max_frames = 1 + below(one_in(4) ? KNC_PMU_MAX_FRAMES : 8);
	}
}

static int any_pid(void)
{
	switch (below(8)) {
	case 0:
	case 1:
		return last_child;
	case 2:
		return shared->pids[below(ACTORS)];
	case 3:
		return one_in(2) ? getppid() : (int)below(400);
	default:
		return 0;
	}
}

static void make_task(struct made *m, int privileged)
{
	m->c.flags |= KNC_PMU_CONFIG_TASK;
	m->c.pid = any_pid();
	if (one_in(3))
		m->c.flags |= KNC_PMU_CONFIG_PROCESS;
	if (one_in(3))
		m->c.flags |= KNC_PMU_CONFIG_INHERIT;
	if (one_in(6))
		m->c.flags |= KNC_PMU_CONFIG_ON_EXEC;
	if (one_in(3))
		m->c.flags |= KNC_PMU_CONFIG_KEEP;
	if (one_in(20))
		m->c.flags |= KNC_PMU_CONFIG_PIDS;
	if (privileged && one_in(4))
		m->c.flags |= KNC_PMU_CONFIG_CHAIN_KERNEL;
}

static void make_threads(struct made *m)
{
	unsigned int cpu = any_cpu();

	m->c.cpus_size = 1 + one_in(4) * below(sizeof(m->cpus));
	do {
		m->cpus[cpu / 8] |= 1 << cpu % 8;
		cpu = any_cpu();
	} while (one_in(2));
	if (one_in(4))
		m->c.flags |= KNC_PMU_CONFIG_CHAIN_KERNEL;
}

static void make_config(struct made *m, int privileged)
{
	unsigned int i;
	/* rings and permissions take ten times as long as the other requests */
	int samples = one_in(6);

	memset(m, 0, sizeof(*m));
	m->size = sizeof(m->c);
	m->c.event_size = sizeof(m->e[0]);
	m->c.nr_events = 1 + one_in(4);
	if (!samples && one_in(5))
		m->c.nr_events = 3 + below(one_in(10) ? 30 : 4);
	for (i = 0; i < m->c.nr_events; i++)
		make_event(&m->e[i], privileged);
	if (one_in(privileged ? 2 : 30))
		make_threads(m);
	else
		make_task(m, privileged);
	if (m->c.nr_events > 2)
		make_set(m);
	if (samples)
		make_samples(m);
	if (!(m->c.flags & (KNC_PMU_CONFIG_CHAIN_USER |
			    KNC_PMU_CONFIG_CHAIN_KERNEL)))
		m->c.max_frames = 0;
	else if (!samples)
		m->c.flags &= ~(KNC_PMU_CONFIG_CHAIN_USER |
				KNC_PMU_CONFIG_CHAIN_KERNEL);
	else if (!m->c.max_frames)
		m->c.max_frames = 1 + below(8);
	m->c.flags |= one_in(4) * KNC_PMU_CONFIG_USER_PREF;
	m->c.flags |= one_in(6) * KNC_PMU_CONFIG_RDPMC;
}

static unsigned int any_size(unsigned int right)
{
	static const unsigned int sizes[] = {
		0, 1, 4, 8, 88, 4096, 4097, 0x80000000, 0xffffffff
	};

	if (one_in(2))
		return sizes[below(ARRAY_SIZE(sizes))];
	return right - 8 + below(17);
}

static unsigned long long edge_of(unsigned long long bound)
{
	return one_in(8) ? any_bits() : bound - 1 + below(3);
}

static void change_event(struct knc_pmu_event *e)
{
	switch (below(9)) {
	case 0:
		e->flags ^= 1U << below(32);
		break;
	case 1:
		e->flags &= ~(USR | OS);
		break;
	case 2:
		e->counters = any_bits();
		break;
	case 3:
		e->sample_period = edge_of(one_in(2) ? KNC_PMU_MAX_PERIOD :
					   KNC_PMU_MAX_FREQ);
		break;
	case 4:
		e->group = below(40);
		break;
	case 5:
		e->event = any_bits() >> below(64);
		break;
	case 6:
		e->cmask = any_bits();
		e->flags |= KNC_PMU_EVENT_INV;
		break;
	case 7:
		e->counters = any_bits() >> below(64);
		break;
	default:
		e->extra = any_bits() >> below(64);
	}
}

static void change_sampling(struct made *m)
{
	switch (below(6)) {
	case 0:
		m->c.max_frames = edge_of(KNC_PMU_MAX_FRAMES);
		break;
	case 5:
		m->c.flags ^= one_in(4) ? KNC_PMU_CONFIG_STACK : 0;
		m->c.flags ^= one_in(2) ? KNC_PMU_CONFIG_SWITCHES : 0;
		m->c.stack_size = one_in(2) ? edge_of(KNC_PMU_MAX_STACK) : 8 * below(1024);
		break;
	case 1:
		m->c.sample_interval = edge_of(one_in(2) ? KNC_PMU_MIN_INTERVAL :
					       KNC_PMU_MAX_INTERVAL);
		break;
	case 2:
		/* a ring of the largest size is allocated for each hardware thread */
		m->c.ring_size = one_in(2) ? KNC_PMU_MAX_RING + below(2) * 4096 :
					     edge_of(KNC_PMU_MIN_RING);
		if (m->c.ring_size == KNC_PMU_MAX_RING && !one_in(8))
			m->c.ring_size *= 2;
		break;
	case 3:
		m->c.watermark = edge_of(m->c.ring_size);
		break;
	default:
		m->c.ring_size = 0;
	}
}

static void change_config(struct made *m)
{
	switch (below(13)) {
	case 0:
		m->size = any_size(sizeof(m->c));
		m->tail = one_in(2);
		break;
	case 1:
		m->c.flags ^= 1U << below(one_in(8) ? 32 : 9);
		break;
	case 2:
		m->c.cpus_size = one_in(2) ? edge_of(KNC_PMU_MAX_CPUS / 8) :
					     any_bits();
		break;
	case 3:
		m->cpus[below(one_in(2) ? 2 : sizeof(m->cpus))] ^= 1 << below(8);
		break;
	case 4:
		memset(m->cpus, 0, sizeof(m->cpus));
		break;
	case 5:
		m->c.nr_events = one_in(2) ? below(34) : edge_of(KNC_PMU_MAX_SET);
		break;
	case 6:
		m->c.event_size = any_size(sizeof(m->e[0]));
		break;
	case 7:
		m->c.pid = any_bits() >> below(64);
		break;
	case 8:
		*(one_in(2) ? &m->c.reserved : &m->c.reserved1) = any_bits();
		break;
	case 9:
	case 10:
		change_sampling(m);
		break;
	case 11:
		((unsigned char *)&m->c)[below(sizeof(m->c))] ^= 1 << below(8);
		break;
	default:
		change_event(&m->e[below(m->c.nr_events ?
					 m->c.nr_events % 33 + 1 : 1)]);
	}
}

static void tally_kind(const struct made *m)
{
	TALLY(shared->kinds[!!(m->c.flags & KNC_PMU_CONFIG_TASK)]);
	if (m->c.nr_events > 2)
		TALLY(shared->kinds[2]);
	if (m->c.ring_size)
		TALLY(shared->kinds[3]);
	if (m->c.flags & KNC_PMU_CONFIG_RDPMC)
		TALLY(shared->kinds[4]);
}

static int do_config(unsigned int slot)
{
	struct made m;
	void *arg;
	int ret, changed;

	make_config(&m, !geteuid());
	for (changed = one_in(4); changed; changed = one_in(3))
		change_config(&m);
	if (m.c.flags & KNC_PMU_CONFIG_TASK && !one_in(40))
		m.c.cpus_size = 0;
	else
		m.c.cpus = place(AT_CPUS, m.cpus, sizeof(m.cpus));
	m.c.events = place(AT_EVENTS, m.e, sizeof(m.e));
	arg = place_arg(&m, offsetof(struct made, e));
	ret = call(CALL_CONFIG, slot, SIZED(KNC_PMU_IOC_CONFIG, m.size), arg);
	if (!ret) {
		tally_kind(&m);
		if (m.c.ring_size)
			ring_sizes[slot] = m.c.ring_size;
	} else if ((unsigned char *)arg >= given &&
		   (unsigned char *)arg < given + ARENA_PAGES * PAGE) {
		take_back((unsigned long)arg, &m, sizeof(m.c));
		TALLY(shared->reasons[m.c.reason % REASONS]);
	}
	return ret;
}

static void do_read(unsigned int slot)
{
	static __thread unsigned long long room[ROOM / 8];
	struct knc_pmu_read r;

	memset(&r, 0, sizeof(r));
	r.flags = one_in(3) ? below(KNC_PMU_READ_FLAGS + 1) : 0;
	r.buffer = (unsigned long)room;
	if (one_in(20))
		r.buffer = (unsigned long)given + below(ARENA_PAGES * PAGE);
	r.buffer_size = one_in(10) ? below(ROOM) : ROOM;
	spoil(&r.flags, 2 * sizeof(r.flags));
	call(CALL_READ, slot, KNC_PMU_IOC_READ, place_arg(&r, sizeof(r)));
}

static void do_info(unsigned int slot)
{
	struct knc_pmu_info info;

	memset(&info, 0, sizeof(info));
	spoil(&info, sizeof(info));
	call(CALL_INFO, slot, one_in(12) ? SIZED(KNC_PMU_IOC_INFO, any_size(sizeof(info))) :
	     KNC_PMU_IOC_INFO, place_arg(&info, sizeof(info)));
}

static void do_regs(unsigned int slot)
{
	struct knc_pmu_regs regs;

	memset(&regs, 0, sizeof(regs));
	regs.cpu = below(nr_cpus() + 1);
	spoil(&regs, sizeof(regs));
	call(CALL_REGS, slot, KNC_PMU_IOC_REGS, place_arg(&regs, sizeof(regs)));
}

static void do_owner(unsigned int slot)
{
	struct knc_pmu_owner owner;

	memset(&owner, 0, sizeof(owner));
	owner.cpu = below(nr_cpus() + 1);
	owner.counter = below(3);
	spoil(&owner, sizeof(owner));
	call(CALL_OWNER, slot, KNC_PMU_IOC_OWNER,
	     place_arg(&owner, sizeof(owner)));
}

/* STATS and GRANTS, whose structs are alike */
static void do_list(unsigned int what, unsigned int slot, unsigned long cmd)
{
	static __thread unsigned long long room[ROOM / 8];
	struct knc_pmu_list r;

	r.entries = (unsigned long)room;
	if (one_in(20))
		r.entries = (unsigned long)given + below(ARENA_PAGES * PAGE);
	/* room for all of the output */
	r.size = 1 + below(one_in(4) ? ROOM : 100);
	r.nr = (one_in(4) ? below(ROOM) : ROOM) / r.size;
	if (one_in(20))
		r.size = 0;
	call(what, slot, cmd, place_arg(&r, sizeof(r)));
}

/* START, STOP and RESET, whose argument is a number */
static void do_plain(unsigned int what, unsigned int slot, unsigned long cmd)
{
	unsigned long arg = 0;

	if (one_in(16))
		arg = any_bits() >> below(64);
	else if (what == CALL_RESET && one_in(4))
		arg = KNC_PMU_RESET_REGISTERS;
	call(what, slot, cmd, (void *)arg);
}

#ifdef KNC_PMU_IOC_EVICT
static void do_evict(unsigned int slot)
{
	struct knc_pmu_evict evict;

	memset(&evict, 0, sizeof(evict));
	evict.cpu = one_in(4) ? KNC_PMU_NO_CPU : below(nr_cpus() + 1);
	evict.counter = one_in(4) ? KNC_PMU_NO_COUNTER : below(3);
	spoil(&evict, sizeof(evict));
	call(CALL_EVICT, slot, KNC_PMU_IOC_EVICT,
	     place_arg(&evict, sizeof(evict)));
}
#else
static void do_evict(unsigned int slot)
{
	(void)slot;
}
#endif

static void do_unknown(unsigned int slot)
{
	unsigned long cmd = _IO(KNC_PMU_IOC_TYPE, 0x10 + below(0xf0));

	/* a command of another driver, or one that the kernel handles for every file */
	if (one_in(2))
		cmd = (any_bits() & ~0xff00UL) | (KNC_PMU_IOC_TYPE + 1) << 8;
	call(CALL_UNKNOWN, slot, cmd, (void *)(unsigned long)any_bits());
}

static void any_call(unsigned int slot)
{
	switch (below(16)) {
	case 0:
		do_info(slot);
		break;
	case 1:
		do_config(slot);
		break;
	case 2:
	case 3:
		do_plain(CALL_START, slot, KNC_PMU_IOC_START);
		break;
	case 4:
	case 5:
		do_plain(CALL_STOP, slot, KNC_PMU_IOC_STOP);
		break;
	case 6:
		do_plain(CALL_RESET, slot, KNC_PMU_IOC_RESET);
		break;
	case 7:
		do_regs(slot);
		break;
	case 8:
		do_owner(slot);
		break;
	case 9:
		do_list(CALL_STATS, slot, KNC_PMU_IOC_STATS);
		break;
	case 10:
		do_list(CALL_GRANTS, slot, KNC_PMU_IOC_GRANTS);
		break;
	case 11:
		if (one_in(4))
			do_unknown(slot);
		else if (one_in(8))
			do_evict(slot);
		break;
	default:
		do_read(slot);
	}
}

void some_calls(unsigned int slot)
{
	do {
		any_call(slot);
	} while (!one_in(4));
}

void any_session(unsigned int slot)
{
	unsigned int i;

	fresh_file(slot);
	for (i = 0; i < 4; i++) {
		if (!do_config(slot))
			break;
	}
	if (i == 4)
		return;
	if (one_in(4))
		do_config(slot);
	if (!one_in(4))
		do_plain(CALL_START, slot, KNC_PMU_IOC_START);
	if (one_in(3))
		map_some(slot);
	while (!one_in(16))
		any_call(slot);
	/*
	 * rare: a session that is held for long, also by a mapping, keeps the others from the
	 * counters
	 */
	if (!one_in(8)) {
		unmap_all();
		close(FIRST_FILE + slot);
	}
}
