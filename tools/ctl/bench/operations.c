// SPDX-License-Identifier: GPL-2.0
/* The measured operations of /dev/knc_pmu */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <knc/ring3.h>
#include <names.h>
#include <pmus.h>

#include "bench/operations.h"
#include "cli/pmu.h"

/* Events in this order: the card's two, those of a host's other fixed counters, further ones */
struct scope own_task = {
	"task", KNC_PMU_CONFIG_TASK, KNC_PMU_EVENT_USR,
	{ "instructions", "branches", "cycles", "ref-cycles", "branch-misses", "instructions",
	  "branches" },
	{ 0 },
};

struct scope own_thread = {
	"thread", 0, KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS,
	{ "cycles", "instructions", "branches", "ref-cycles", "branch-misses", "instructions",
	  "branches" },
	{ 0 },
};

/* The PMU of this machine */
static struct knc_pmu_desc pmu;
static unsigned int nr_counters;	/* at most MAX_MEASURED */

/**
 * struct session - the session that is measured
 * @fd: its file; -1: none
 * @config: the answer of CONFIG
 * @events: its events
 * @read: what READ is asked for
 * @records: what READ answers
 * @setup: what work_open() opens
 * @self: its page, for reads in ring 3
 * @ring: the ring of its samples
 * @failure: why a call failed
 */
static struct session {
	int fd;
	struct knc_pmu_config config;
	struct knc_pmu_event events[MAX_MEASURED];
	struct knc_pmu_read read;
	unsigned char records[NR_TASKS * sizeof(struct knc_pmu_thread)];
	struct setup setup;
	struct knc_self self;
	struct knc_pmu_ring *ring;
	struct kncpmu_failure failure;
} session = {
	.fd = -1,
	.read = {
		.buffer = (unsigned long)session.records,
		.buffer_size = sizeof(session.records),
	},
};

static int find_codes(struct scope *scope)
{
	const struct kncpmu_event_desc *event;
	unsigned int i;

	for (i = 0; i < nr_counters; i++) {
		event = kncpmu_event_named(own_pmu(), scope->names[i]);
		if (!event)
			return -ENOENT;
		scope->codes[i] = KNC_PMU_EVENT_CODE(event->event, event->umask);
	}
	return 0;
}

int operations_init(int device)
{
	const struct kncpmu_pmu *named = own_pmu();
	int err = kncpmu_pmu_find(device, named->name, &pmu);

	if (err)
		return err;
	nr_counters = named->nr_counters < MAX_MEASURED ? named->nr_counters : MAX_MEASURED;
	err = find_codes(&own_task);
	return err ? err : find_codes(&own_thread);
}

static int failed(enum kncpmu_op op, int error)
{
	memset(&session.failure, 0, sizeof(session.failure));
	session.failure.op = op;
	session.failure.error = error;
	if (op == KNCPMU_OP_CONFIG) {
		session.failure.config = &session.config;
		session.failure.events = session.events;
		session.failure.pmu = own_pmu();
	}
	return error;
}

const struct kncpmu_failure *session_failure(void)
{
	return &session.failure;
}

static void set_events(const struct setup *s)
{
	unsigned int i;

	memset(session.events, 0, sizeof(session.events));
	for (i = 0; i < s->nr; i++) {
		session.events[i].event = s->scope->codes[i];
		session.events[i].flags = s->scope->event_flags | s->event_flags;
		if (!s->period)
			continue;
		session.events[i].event = own_task.codes[0];
		session.events[i].flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE;
		session.events[i].sample_period = s->period;
	}
}

static void set_cpus(const struct setup *s)
{
	static unsigned char cpus[KNC_PMU_MAX_CPUS / 8];
	unsigned int i;

	session.config.cpus = (unsigned long)cpus;
	session.config.cpus_size = (s->cpu + s->threads) / 8 + 1;
	memset(cpus, 0, session.config.cpus_size);
	for (i = s->cpu; i <= s->cpu + s->threads; i++)
		cpus[i / 8] |= 1 << i % 8;
}

/* Fill in CONFIG here, because the library's work would be measured as part of CONFIG */
static void set_config(const struct setup *s)
{
	memset(&session.config, 0, sizeof(session.config));
	session.config.flags = s->scope->flags | s->flags;
	session.config.events = (unsigned long)session.events;
	session.config.nr_events = s->nr;
	session.config.event_size = sizeof(session.events[0]);
	session.config.pid = s->pid;
	session.config.ring_size = s->period ? RING : 0;
	session.config.watermark = session.config.ring_size;
	if (s->flags & KNC_PMU_CONFIG_CHAIN_USER)
		session.config.max_frames = FRAMES;
	if (s->flags & KNC_PMU_CONFIG_STACK)
		session.config.stack_size = STACK;
	if (s->scope == &own_thread)
		set_cpus(s);
}

int session_open(const struct setup *s)
{
	int err;

	session.fd = kncpmu_open(NULL);
	if (session.fd < 0)
		return failed(KNCPMU_OP_OPEN, session.fd);
	set_events(s);
	set_config(s);
	err = raw_ioctl(session.fd, KNC_PMU_IOC_CONFIG, (long)&session.config);
	if (!err)
		return session.fd;
	session_close();
	return failed(KNCPMU_OP_CONFIG, err);
}

int session_start(void)
{
	int err = kncpmu_start(session.fd);

	return err ? failed(KNCPMU_OP_START, err) : 0;
}

void session_close(void)
{
	kncpmu_close(session.fd);
	session.fd = -1;
}

void read_with(unsigned int flags)
{
	session.read.flags = flags;
}

long work_read(void)
{
	long ret = raw_ioctl(session.fd, KNC_PMU_IOC_READ, (long)&session.read);

	return ret < 0 ? ret : 0;
}

long work_start_stop(void)
{
	long ret = raw_ioctl(session.fd, KNC_PMU_IOC_START, 0);

	return ret ? ret : raw_ioctl(session.fd, KNC_PMU_IOC_STOP, 0);
}

long work_start_read(void)
{
	long ret = raw_ioctl(session.fd, KNC_PMU_IOC_START, 0);

	return ret ? ret : work_read();
}

long work_reset(void)
{
	return raw_ioctl(session.fd, KNC_PMU_IOC_RESET, 0);
}

void open_with(const struct setup *setup)
{
	session.setup = *setup;
}

long work_open(void)
{
	int err = session_open(&session.setup);

	session_close();
	return err < 0 ? err : 0;
}

static long work_spflt(void)
{
	knc_spflt_on();
	knc_spflt_off();
	return 0;
}

static long work_page(void)
{
	unsigned long count = 0;
	int ret = knc_read1(&session.self, 0, &count);

	use(count);
	return ret;
}

static long work_pages(void)
{
	unsigned long both[2] = { 0 };
	int ret = knc_read(&session.self, both);

	use(both[0]);
	use(both[1]);
	return ret;
}

/* work_page() for any PMU, as a program executes it that was built with KNC_ANY_PMU */
static inline long read_page(unsigned int nr)
{
	const struct knc_pmu_page *page = session.self.page;
	unsigned long counts[2] = { 0 };
	unsigned int seq, i;

	do {
		seq = knc_r3_seq(page);
		if (seq & 1)
			return -ENODATA;
		for (i = 0; i < nr; i++)
			counts[i] = knc_r3_count_any(page, i);
	} while (page->seq != seq);
	use(counts[0]);
	use(counts[1]);
	return 0;
}

static long work_host_page(void)
{
	return read_page(1);
}

static long work_host_pages(void)
{
	return read_page(2);
}

/* Measure reading one or two events in ring 3, on a card or a host */
static int ring3_cost(struct cost *cost)
{
	static long (* const works[2][2])(void) = {
		{ work_page, work_pages }, { work_host_page, work_host_pages },
	};
	int err = knc_r3_self_open(&session.self, session.fd, 0);

	if (err)
		return failed(KNCPMU_OP_PAGE, err);
	err = measure(works[pmu.nr_fixed > 0][session.config.nr_events - 1], RUNS, cost);
	knc_self_close(&session.self);
	return err;
}

#define RING_BYTES	(sysconf(_SC_PAGESIZE) + RING)

struct knc_pmu_ring *session_map(unsigned int cpu)
{
	unsigned int index = session.config.flags & KNC_PMU_CONFIG_TASK ? cpu : 0;

	session.ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, session.fd,
			    index * RING_BYTES);
	if (session.ring == MAP_FAILED) {
		failed(KNCPMU_OP_MAP, -errno);
		return NULL;
	}
	/* fault all pages in now, because a page fault would be part of a measurement */
	memset((char *)session.ring + session.ring->data_offset, 0, RING);
	return session.ring;
}

void session_unmap(void)
{
	munmap(session.ring, RING_BYTES);
}

static unsigned long long ring_head(void)
{
	return __atomic_load_n(&session.ring->head, __ATOMIC_ACQUIRE);
}

static unsigned long sample_address(unsigned long long before)
{
	const struct knc_pmu_ring *ring = session.ring;
	const struct knc_pmu_sample *sample;

	sample = (void *)((char *)ring + ring->data_offset + before % ring->data_size);
	return sample->record.type == KNC_PMU_RECORD_SAMPLE ? sample->ip : 0;
}

static void ring_done(void)
{
	__atomic_store_n(&session.ring->tail, session.ring->head, __ATOMIC_RELEASE);
}

const struct operation operations[] = {
	/* first row: by now the hooks of earlier sessions are removed, which would slow it down */
	{ "switch", "all of it, nothing is counted", OF_SWITCH | NO_SESSION, 0, 0, NULL },
	{ "switch.elsewhere", "more: another task is counted", OF_SWITCH | WITH_TWO | ELSEWHERE,
	  0, 0, NULL },
	{ "switch.one-task", "more: one of the two", OF_SWITCH | WITH_ONE | WITH_TWO | WITH_ALL,
	  0, 0, NULL },
	{ "switch.both-tasks", "more: both, inherited", OF_SWITCH | WITH_ONE | WITH_TWO,
	  KNC_PMU_CONFIG_INHERIT, 0, NULL },
	{ "open", "CONFIG to close",
	  OF_TASK | OF_THREAD | WITH_ONE | WITH_TWO | WITH_ALL | NO_SESSION | LONG,
	  0, 0, work_open },
	{ "open-further", "the same, another task is counted",
	  OF_TASK | WITH_ONE | WITH_TWO | NO_SESSION | ELSEWHERE | LONG, 0, 0, work_open },
	{ "start-stop", "START + STOP", OF_TASK | OF_THREAD | WITH_ONE | WITH_TWO | WITH_ALL,
	  0, 0, work_start_stop },
	{ "start-read-stop", "START, and READ with STOP",
	  OF_TASK | OF_THREAD | WITH_ONE | WITH_TWO,
	  0, KNC_PMU_READ_COUNTS | KNC_PMU_READ_STOP, work_start_read },
	{ "read-stopped", "READ, stopped", OF_TASK | OF_THREAD | WITH_ONE | WITH_TWO | WITH_ALL,
	  0, KNC_PMU_READ_COUNTS, work_read },
	{ "read", "READ, running",
	  OF_TASK | OF_THREAD | WITH_ONE | WITH_TWO | WITH_ALL | STARTED,
	  0, KNC_PMU_READ_COUNTS, work_read },
	{ "read-times", "READ with times, running",
	  OF_TASK | OF_THREAD | WITH_ONE | WITH_TWO | WITH_ALL | STARTED, 0, 0, work_read },
	{ "ring3", "read in ring 3", OF_TASK | WITH_ONE | WITH_TWO | STARTED | IN_RING_3,
	  KNC_PMU_CONFIG_RDPMC, 0, NULL },
	{ "spflt", "SPFLT on + off, ring 3", OF_TASK | WITH_ONE | GATED, 0, 0, work_spflt },
	{ "sample", "one sample", OF_TASK | OF_THREAD | OF_SAMPLES | WITH_ONE | STARTED,
	  0, 0, NULL },
	{ "sample-chain", "one sample with a call chain of 5",
	  OF_TASK | OF_THREAD | OF_SAMPLES | WITH_ONE | STARTED, KNC_PMU_CONFIG_CHAIN_USER, 0,
	  NULL },
	{ "sample-stack", "one sample with that chain and a copy of the stack",
	  OF_TASK | OF_THREAD | OF_SAMPLES | WITH_ONE | STARTED,
	  KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_STACK, 0, NULL },
	{ "samples", "two at once", OF_TASK | OF_THREAD | OF_SAMPLES | WITH_TWO | STARTED, 0, 0,
	  NULL },
	{ NULL, NULL, 0, 0, 0, NULL }
};

unsigned int operation_sizes(const struct operation *op, unsigned int sizes[MAX_SIZES])
{
	unsigned int nr = 0;

	if (op->kind & GATED && !(pmu.features & KNC_PMU_FEATURE_SPFLT))
		return 0;
	if (op->config & KNC_PMU_CONFIG_STACK && !(pmu.features & KNC_PMU_FEATURE_STACK))
		return 0;
	if (!(op->kind & (WITH_ONE | WITH_TWO)))
		sizes[nr++] = 0;
	if (op->kind & WITH_ONE)
		sizes[nr++] = 1;
	if (op->kind & WITH_TWO)
		sizes[nr++] = 2;
	if (op->kind & WITH_ALL && nr_counters > 2)
		sizes[nr++] = nr_counters;
	return nr;
}

void operation_name(const struct operation *op, const struct scope *scope, unsigned int nr,
		    char *name, size_t size)
{
	int chosen = op->kind & WITH_ONE && op->kind & WITH_TWO;

	snprintf(name, size, "%s%s%s", op->kind & OF_SWITCH ? "" : scope->name,
		 op->kind & OF_SWITCH ? "" : ".", op->name);
	if (chosen)
		snprintf(name + strlen(name), size - strlen(name), ".%u", nr);
}

static int samples_cost(unsigned int cpu, struct cost *cost)
{
	static const struct overflow o = { ring_head, sample_address, ring_done };
	int err;

	if (!session_map(cpu))
		return session.failure.error;
	err = session_start();
	if (!err)
		err = measure_overflow(&o, cost);
	session_unmap();
	return err;
}

/*
 * Measure a switch in or out of a session's task. The first call measures the cost without a
 * session, which is subtracted
 */
static int switch_cost(const struct operation *op, struct cost *cost)
{
	static struct cost none;
	int err;

	if (op->kind & NO_SESSION)
		sleep(SETTLE);
	err = measure_round_trip(cost);
	if (err)
		return err;
	if (!none.runs) {
		none = *cost;
	} else {
		cost->least -= none.least;
		cost->median -= none.median;
	}
	cost->least /= 2;
	cost->median /= 2;
	return 0;
}

/* Measure an operation. Its session, if it needs one, is configured */
static int session_cost(const struct operation *op, unsigned int cpu, struct cost *cost)
{
	int err;

	if (op->kind & OF_SAMPLES)
		return samples_cost(cpu, cost);
	err = op->kind & (STARTED | OF_SWITCH) && !(op->kind & NO_SESSION) ? session_start() : 0;
	if (err)
		return err;
	if (op->kind & OF_SWITCH)
		return switch_cost(op, cost);
	if (op->kind & IN_RING_3)
		return ring3_cost(cost);
	read_with(op->read);
	return measure(op->work, op->kind & LONG ? FEW_RUNS : RUNS, cost);
}

/* Measure an operation while a session counts another task, @sleeper */
static int further_cost(const struct operation *op, pid_t sleeper, unsigned int cpu,
			struct cost *cost)
{
	struct setup other = { .scope = &own_task, .nr = 1, .pid = sleeper };
	int keeper = session_open(&other), err;

	session.setup.pid = 0;
	if (keeper < 0)
		return keeper;
	err = session_start();
	if (!err)
		err = session_cost(op, cpu, cost);
	close(keeper);
	return err;
}

static int setup_cost(const struct operation *op, const struct setup *setup, struct cost *cost)
{
	int err;

	open_with(setup);
	if (op->kind & NO_SESSION)
		return setup->pid ? further_cost(op, setup->pid, setup->cpu, cost) :
				    session_cost(op, setup->cpu, cost);
	err = session_open(setup);
	if (err < 0)
		return err;
	err = session_cost(op, setup->cpu, cost);
	session_close();
	return err;
}

int operation_cost(const struct operation *op, const struct scope *scope, unsigned int nr,
		   unsigned int cpu, struct cost *cost)
{
	struct setup setup = { .scope = scope, .nr = nr, .flags = op->config, .cpu = cpu };
	pid_t sleeper = 0;
	int err;

	memset(&session.failure, 0, sizeof(session.failure));
	if (op->kind & OF_SAMPLES)
		setup.period = PERIOD;
	if (op->kind & GATED)
		setup.event_flags = KNC_PMU_EVENT_SPFLT;
	if (op->kind & ELSEWHERE) {
		sleeper = start_sleeper();
		if (sleeper < 0)
			return sleeper;
		setup.pid = sleeper;
	}
	err = setup_cost(op, &setup, cost);
	if (sleeper)
		stop_sleeper(sleeper);
	if (err < 0 && !session.failure.error)
		failed(KNCPMU_OP_READ, err);
	return err;
}
