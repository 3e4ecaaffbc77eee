// SPDX-License-Identifier: GPL-2.0
/* Sessions that count known work; registers; statistics of the interrupt handlers */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/trial.h"

void event_on(struct knc_pmu_event *event, unsigned int n, __u64 code, unsigned int flags)
{
	memset(event, 0, sizeof(*event));
	event->event = code;
	event->counters = 1ULL << n;
	event->flags = flags;
}

static int failed(struct selftest *t, struct trial *s, enum kncpmu_op op, int error)
{
	struct kncpmu_failure failure = {
		.op = op, .error = error, .config = &s->config, .events = s->event, .cpu = t->cpu,
		.pmu = t->card.pmu,
	};
	struct kncpmu_error err;

	kncpmu_explain(&failure, &err);
	fail(t, "%s", err.text);
	return -1;
}

int trial_open(struct selftest *t, struct trial *s, unsigned int cpu)
{
	struct kncpmu_cpus cpus;
	int ret;

	memset(&s->ring, 0, sizeof(s->ring));
	s->fd = kncpmu_open(NULL);
	if (s->fd < 0)
		return failed(t, s, KNCPMU_OP_OPEN, s->fd);
	memset(&cpus, 0, sizeof(cpus));
	if (cpu == NO_CPU)
		s->config.flags |= KNC_PMU_CONFIG_TASK;
	else
		kncpmu_cpus_set(&cpus, cpu);
	ret = kncpmu_config_sampling(s->fd, cpu == NO_CPU ? NULL : &cpus, s->event, s->nr,
				     &s->config);
	if (ret >= 0 && s->config.ring_size)
		ret = kncpmu_ring_map(s->fd, 0, s->config.ring_size, &s->ring);
	if (ret < 0) {
		failed(t, s, KNCPMU_OP_CONFIG, ret);
		trial_close(s);
		return -1;
	}
	return 0;
}

int trial_start(struct selftest *t, struct trial *s)
{
	int ret = kncpmu_start(s->fd);

	return ret < 0 ? failed(t, s, KNCPMU_OP_START, ret) : 0;
}

int trial_read(struct selftest *t, struct trial *s, unsigned int flags,
	       struct knc_pmu_thread *record)
{
	int ret = kncpmu_read(s->fd, record, sizeof(*record), flags);

	if (ret == 1)
		return 0;
	return failed(t, s, KNCPMU_OP_READ, ret < 0 ? ret : -EPROTO);
}

void trial_close(struct trial *s)
{
	kncpmu_ring_unmap(&s->ring);
	kncpmu_close(s->fd);
	s->fd = -1;
}

void trial_samples(struct trial *s, void (*fn)(void *ctx, const struct knc_pmu_sample *sample),
		   void *ctx)
{
	const struct knc_pmu_record *record;
	const void *records;
	size_t at;
	long size;

	while ((size = kncpmu_ring_read(&s->ring, &records)) > 0) {
		at = 0;
		while ((record = kncpmu_ring_next(records, size, &at))) {
			if (record->type == KNC_PMU_RECORD_SAMPLE)
				fn(ctx, (const void *)record);
		}
		kncpmu_ring_release(&s->ring);
	}
}

int trial_count(struct selftest *t, struct trial *s, unsigned int cpu, work_fn work,
		unsigned long n, __u64 *counts)
{
	unsigned long long memory[2] = { 0, 0 };
	struct knc_pmu_thread record;
	unsigned int i;
	int ret;

	if (trial_open(t, s, cpu))
		return -1;
	ret = trial_start(t, s);
	if (!ret) {
		work(n, memory);
		ret = trial_read(t, s, KNC_PMU_READ_STOP, &record);
	}
	for (i = 0; !ret && i < s->nr; i++)
		counts[i] = record.value[i];
	trial_close(s);
	return ret;
}

int run_on(struct selftest *t, unsigned int cpu)
{
	struct kncpmu_cpus cpus;

	memset(&cpus, 0, sizeof(cpus));
	kncpmu_cpus_set(&cpus, cpu);
	if (!sched_setaffinity(0, sizeof(cpus), (const cpu_set_t *)cpus.bits))
		return 0;
	fail(t, "this program can't run on CPU %u: %s", cpu, strerror(errno));
	return -1;
}

void name_register(const struct knc_pmu_reg *reg, char *name)
{
	snprintf(name, REGISTER_NAME, "%s %#x",
		 reg->space == KNC_PMU_SPACE_MSR ? "msr" :
		 reg->space == KNC_PMU_SPACE_APIC ? "apic" : "cr", reg->number);
}

int read_registers(struct selftest *t, unsigned int cpu, struct knc_pmu_reg *regs, unsigned int nr)
{
	struct kncpmu_error err;
	int fd = kncpmu_open(NULL), ret;

	ret = fd < 0 ? fd : kncpmu_regs(fd, cpu, regs, nr);
	kncpmu_close(fd);
	if (ret >= 0)
		return (unsigned int)ret < nr ? ret : (int)nr;
	fail(t, "%s", kncpmu_strerror(fd < 0 ? KNCPMU_OP_OPEN : KNCPMU_OP_REGS, ret, &err));
	return -1;
}

__u64 read_register(struct selftest *t, unsigned int cpu, unsigned int space, unsigned int number)
{
	struct knc_pmu_reg regs[16];
	int i, nr = read_registers(t, cpu, regs, 16);

	for (i = 0; i < nr; i++) {
		if (regs[i].space == space && regs[i].number == number)
			return regs[i].value;
	}
	if (nr >= 0)
		fail(t, "the module does not show register %#x of CPU %u", number, cpu);
	return 0;
}

int read_stats(struct selftest *t, unsigned int cpu, struct knc_pmu_stats *stats)
{
	struct knc_pmu_stats *all = xalloc(KNC_PMU_MAX_CPUS, sizeof(*all));
	struct kncpmu_error err;
	int fd = kncpmu_open(NULL), ret;

	ret = fd < 0 ? fd : kncpmu_stats(fd, all, KNC_PMU_MAX_CPUS);
	kncpmu_close(fd);
	if (ret > (int)cpu)
		*stats = all[cpu];
	else
		fail(t, "%s", kncpmu_strerror(KNCPMU_OP_STATS, ret < 0 ? ret : -ENXIO, &err));
	free(all);
	return ret > (int)cpu ? 0 : -1;
}
