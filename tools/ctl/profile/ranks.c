// SPDX-License-Identifier: GPL-2.0
/*
 * Several recordings in one file, which merge wrote: one for each rank of a parallel program
 *
 * Hosts number processes, threads and hardware threads alike, and their clocks began at different
 * times. Reading makes all of these unique.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/hash.h"
#include "profile/properties.h"
#include "profile/ranks.h"

/* New numbers begin here, above all kernels' process numbers */
#define FIRST_NUMBER	(1U << 22)
/* ns, a century and a half; check.c has checked times of records, but not @shift */
#define LATEST		(1ULL << 62)
/* Not renumbered: the idle task 0, and this number of a task that has ended */
#define NO_TASK		(~0U)
/* Added to the rank in struct number_key for regions' numbers; above DATA_MAX_RANKS */
#define REGIONS		(1U << 31)

/* The index of a rank, and the number of a process or thread on its host */
struct number_key {
	unsigned int rank;
	unsigned int id;
};

/**
 * struct number - the number of a process or thread
 * @key: where it is from
 * @unique: its number in the file
 * @hh: in a hash, by @key
 * @hh_unique: in a hash, by @unique
 */
struct number {
	struct number_key key;
	unsigned int unique;
	UT_hash_handle hh;
	UT_hash_handle hh_unique;
};

/**
 * struct data_numbers - the numbers of all processes and threads
 * @by_key: by rank and number
 * @by_unique: by the number in the file
 * @last: the one that was asked for last; may be NULL
 * @next: the next new number
 */
struct data_numbers {
	struct number *by_key;
	struct number *by_unique;
	struct number *last;
	unsigned int next;
};

static struct number *find_unique(const struct data_numbers *n, unsigned int unique)
{
	struct number *found;

	HASH_FIND(hh_unique, n->by_unique, &unique, sizeof(unique), found);
	return found;
}

static struct number *add_number(struct data_numbers *n, unsigned int rank, unsigned int id)
{
	struct number *number = xalloc(1, sizeof(*number));

	number->key.rank = rank;
	number->key.id = id;
	number->unique = id;
	while (find_unique(n, number->unique))
		number->unique = n->next++;
	HASH_ADD(hh, n->by_key, key, sizeof(number->key), number);
	HASH_ADD(hh_unique, n->by_unique, unique, sizeof(number->unique), number);
	return number;
}

static unsigned int unique_number(struct data_numbers *n, unsigned int rank, unsigned int id)
{
	const struct number_key key = { rank, id };
	struct number *found = n->last;

	if (!id || id == NO_TASK)
		return id;
	if (!found || found->key.rank != rank || found->key.id != id)
		HASH_FIND(hh, n->by_key, &key, sizeof(key), found);
	n->last = found ? : add_number(n, rank, id);
	return n->last->unique;
}

unsigned int data_task_number(const struct data_file *f, unsigned int number)
{
	const struct number *found = f->merged ? find_unique(f->numbers, number) : NULL;

	return found ? found->key.id : number;
}

long long data_task_rank(const struct data_file *f, unsigned int number)
{
	const struct number *found = f->merged ? find_unique(f->numbers, number) : NULL;

	if (!f->merged)
		return f->ranks[0].rank;
	return found ? f->ranks[found->key.rank].rank : -1;
}

unsigned int data_task_index(const struct data_file *f, unsigned int number)
{
	const struct number *found = f->merged ? find_unique(f->numbers, number) : NULL;

	return found ? found->key.rank : 0;
}

unsigned long long data_shifted(unsigned long long time, long long shift)
{
	const unsigned long long back = 0 - (unsigned long long)shift;

	if (!time || time > LATEST)
		return time;
	/* not 0, which would mean before the recording */
	if (shift < 0)
		return time <= back ? 1 : time - back;
	return time + shift < LATEST ? time + shift : LATEST;
}

unsigned long long data_rank_started(const struct data_file *f, unsigned int cpu)
{
	const struct data_rank *rank = &f->ranks[data_rank_index(cpu)];

	return data_shifted(data_member(rank->info, "started_ns"), rank->shift);
}

unsigned long long data_rank_ended(const struct data_file *f, unsigned int cpu)
{
	const struct data_rank *rank = &f->ranks[data_rank_index(cpu)];

	return data_shifted(data_member(f->merged ? rank->end : f->end, "ended_ns"), rank->shift);
}

const char *data_host(const struct data_file *f, size_t rank_index)
{
	const json_t *info = f->ranks[rank_index].info;

	return json_string_value(json_object_get(info, "host")) ? : "unknown";
}

int data_has_ksyms(const struct data_file *f)
{
	size_t i;

	for (i = 0; i < f->nr_ranks; i++) {
		if (f->ranks[i].ksyms_size)
			return 1;
	}
	return 0;
}

unsigned long long data_nr_ranks(const struct data_file *f)
{
	return data_member(f->info, "ranks");
}

int ranks_begin(struct data_file *f, json_t *info)
{
	const json_t *number = json_object_get(info, "rank");
	struct data_rank *rank;

	if (f->merged && (!json_is_integer(number) || json_integer_value(number) < 0))
		return 0;
	if (f->nr_ranks == DATA_MAX_RANKS)
		return 0;
	if (f->merged && !f->numbers) {
		f->numbers = xalloc(1, sizeof(*f->numbers));
		f->numbers->next = FIRST_NUMBER;
	}
	f->ranks = xgrow(f->ranks, f->nr_ranks, &f->room_ranks, sizeof(*f->ranks));
	rank = &f->ranks[f->nr_ranks++];
	memset(rank, 0, sizeof(*rank));
	rank->info = json_incref(info);
	rank->rank = json_is_integer(number) ? json_integer_value(number) : -1;
	rank->shift = json_integer_value(json_object_get(info, "shift_ns"));
	return 1;
}

static void take_task(const struct data_file *f, struct data_task *task)
{
	const unsigned int index = f->nr_ranks - 1;
	struct data_fork *fork = (struct data_fork *)task;

	task->time = data_shifted(task->time, f->ranks[index].shift);
	task->pid = unique_number(f->numbers, index, task->pid);
	task->tid = unique_number(f->numbers, index, task->tid);
	if (task->type != DATA_FORK && task->type != DATA_EXIT)
		return;
	fork->parent_pid = unique_number(f->numbers, index, fork->parent_pid);
	fork->parent_tid = unique_number(f->numbers, index, fork->parent_tid);
}

void ranks_take_tasks(struct data_file *f, char *tasks, size_t size)
{
	struct data_task *task;
	size_t at;

	for (at = 0; f->merged && at < size; at += task->size) {
		task = (struct data_task *)(tasks + at);
		take_task(f, task);
	}
}

void ranks_take_marks(struct data_file *f, char *marks, size_t size)
{
	const unsigned int index = f->nr_ranks - 1;
	struct data_visit *visit;
	struct data_mark *mark;
	size_t at;

	for (at = 0; f->merged && at < size; at += mark->size) {
		mark = (struct data_mark *)(marks + at);
		/* regions share the numbers of tasks; 0 is a valid region, but not a task */
		mark->region = unique_number(f->numbers, index | REGIONS, mark->region + 1);
		if (mark->type != DATA_MARK_VISIT)
			continue;
		visit = (struct data_visit *)mark;
		visit->pid = unique_number(f->numbers, index, visit->pid);
		visit->tid = unique_number(f->numbers, index, visit->tid);
		visit->begin = data_shifted(visit->begin, f->ranks[index].shift);
		visit->end = data_shifted(visit->end, f->ranks[index].shift);
	}
}

static void take_sample(const struct data_file *f, unsigned int index, struct knc_pmu_sample *s)
{
	s->pid = unique_number(f->numbers, index, s->pid);
	s->tid = unique_number(f->numbers, index, s->tid);
	s->time = data_shifted(s->time, f->ranks[index].shift);
}

static void take_time(const struct data_file *f, unsigned int index, struct knc_pmu_time_sample *t)
{
	t->pid = unique_number(f->numbers, index, t->pid);
	t->tid = unique_number(f->numbers, index, t->tid);
	t->time = data_shifted(t->time, f->ranks[index].shift);
}

void ranks_take_record(const struct data_file *f, unsigned int index,
		       struct knc_pmu_record *record)
{
	struct knc_pmu_throttle *throttle = (void *)record;
	struct knc_pmu_lost *lost = (void *)record;
	const long long shift = f->ranks[index].shift;

	if (!f->merged)
		return;
	record->cpu += index * KNC_PMU_MAX_CPUS;
	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
	case KNC_PMU_RECORD_SWITCH_OUT:
	case KNC_PMU_RECORD_SWITCH_IN:
		take_sample(f, index, (void *)record);
		break;
	case KNC_PMU_RECORD_TIME:
		take_time(f, index, (void *)record);
		break;
	case KNC_PMU_RECORD_LOST:
		lost->time = data_shifted(lost->time, shift);
		break;
	case KNC_PMU_RECORD_THROTTLE:
	case KNC_PMU_RECORD_UNTHROTTLE:
		throttle->time = data_shifted(throttle->time, shift);
		break;
	}
}

void ranks_sum(struct data_file *f)
{
	struct data_sums *to = &f->sums;
	const struct data_sums *from;
	unsigned int i;
	size_t n;

	for (n = 0; n < f->nr_ranks; n++) {
		from = &f->ranks[n].sums;
		to->times += from->times;
		to->lost += from->lost;
		to->throttles += from->throttles;
		to->tasks_lost += from->tasks_lost;
		to->lost_switches += from->lost_switches;
		for (i = 0; i < DATA_EVENTS; i++) {
			to->samples[i] += from->samples[i];
			to->lost_events[i] += from->lost_events[i];
			to->unsampled[i] += from->unsampled[i];
		}
	}
}

void ranks_free(struct data_file *f)
{
	struct number *number, *next;
	size_t i;

	for (i = 0; i < f->nr_ranks; i++) {
		json_decref(f->ranks[i].info);
		json_decref(f->ranks[i].end);
		free(f->ranks[i].ksyms);
	}
	free(f->ranks);
	if (!f->numbers)
		return;
	HASH_CLEAR(hh_unique, f->numbers->by_unique);
	HASH_ITER(hh, f->numbers->by_key, number, next) {
		HASH_DEL(f->numbers->by_key, number);
		free(number);
	}
	free(f->numbers);
}
