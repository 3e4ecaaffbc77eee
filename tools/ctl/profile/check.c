// SPDX-License-Identifier: GPL-2.0
/* Checks of the records of a data file, before they are used */
#include <string.h>

#include "profile/data-file.h"

#define MAX_SAMPLE_PERIOD	(1ULL << 41)	/* counters have 40 bits */
#define MAX_TIME	(1ULL << 62)	/* ns: a century and a half */

/* Is the copy of the stack within the record? True also without one */
static int stack_good(const struct knc_pmu_sample *s)
{
	const struct knc_pmu_stack *stack = data_stack(s);
	size_t size = sizeof(*s) + 8 * data_frames(s);

	if (!stack)
		return 1;
	return s->record.size >= size + sizeof(*stack) && !(stack->size % 8) &&
	       stack->size <= KNC_PMU_MAX_STACK &&
	       s->record.size >= size + KNC_PMU_STACK_SIZE(stack->size);
}

/* Does @event exist, or is it the number in records of context switches? */
static int event_good(const struct data_file *f, const struct knc_pmu_sample *s)
{
	if (s->record.type == KNC_PMU_RECORD_SAMPLE)
		return s->event < f->nr_counted && s->period <= MAX_SAMPLE_PERIOD;
	return s->event == f->nr_counted && s->period <= MAX_TIME;
}

static int sample_good(const struct data_file *f, const struct knc_pmu_sample *s)
{
	return s->record.size >= sizeof(*s) && event_good(f, s) &&
	       s->nr_kernel <= KNC_PMU_MAX_FRAMES && s->nr_user <= KNC_PMU_MAX_FRAMES &&
	       s->record.size >= sizeof(*s) + 8 * data_frames(s) && stack_good(s);
}

/* Does a record have all fields of its type, with possible values? */
static int type_good(const struct data_file *f, const struct knc_pmu_record *record)
{
	const struct knc_pmu_time_sample *time = (const void *)record;
	const struct knc_pmu_throttle *throttle = (const void *)record;
	const struct knc_pmu_lost *lost = (const void *)record;

	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
	case KNC_PMU_RECORD_SWITCH_OUT:
	case KNC_PMU_RECORD_SWITCH_IN:
		return sample_good(f, (const void *)record);
	case KNC_PMU_RECORD_TIME:
		return record->size >= KNC_PMU_TIME_SIZE(f->nr_counted) &&
		       time->nr_events == f->nr_counted;
	case KNC_PMU_RECORD_LOST:
		return record->size >= KNC_PMU_LOST_SIZE(f->nr_counted) &&
		       lost->nr_events == f->nr_counted;
	case KNC_PMU_RECORD_THROTTLE:
	case KNC_PMU_RECORD_UNTHROTTLE:
		return record->size >= sizeof(*throttle) && throttle->event < f->nr_counted;
	}
	return 1;
}

int data_record_good(const struct data_file *f,
		     const struct knc_pmu_record *record, size_t room)
{
	if (room < sizeof(*record) || record->size < sizeof(*record) ||
	    record->size % 8 || record->size > room)
		return 0;
	if (record->type != KNC_PMU_RECORD_PAD && record->cpu >= KNC_PMU_MAX_CPUS)
		return 0;
	return type_good(f, record) && data_record_time(record) <= MAX_TIME;
}

/* Does the text after the head of a task's record end within the record? */
static int text_good(const struct data_task *task, size_t head)
{
	return task->size > head &&
	       memchr((const char *)task + head, 0, task->size - head);
}

static int mmap_good(const struct data_task *task)
{
	const struct data_mmap *map = (const void *)task;

	return task->size >= sizeof(*map) && map->build_id_size <= sizeof(map->build_id) &&
	       (!map->identity_size || map->identity_size >= sizeof(struct data_identity)) &&
	       map->identity_size % 8 == 0 && map->identity_size < task->size &&
	       text_good(task, sizeof(*map) + map->identity_size) &&
	       map->length && map->start + map->length > map->start;
}

static int code_good(const struct data_task *task)
{
	const struct data_code *code = (const void *)task;

	return task->size >= sizeof(*code) && text_good(task, sizeof(*code)) &&
	       code->length && code->start + code->length > code->start;
}

int data_task_good(const struct data_task *task, size_t room)
{
	if (room < sizeof(*task) || task->size < sizeof(*task) || task->size % 8 ||
	    task->size > room)
		return 0;
	switch (task->type) {
	case DATA_COMM:
	case DATA_EXEC:
		return text_good(task, sizeof(struct data_comm));
	case DATA_FORK:
	case DATA_EXIT:
		return task->size >= sizeof(struct data_fork);
	case DATA_MMAP:
		return mmap_good(task);
	case DATA_TASKS_LOST:
		return task->size >= sizeof(struct data_tasks_lost);
	case DATA_CODE:
		return code_good(task);
	}
	return 1;
}

int data_mark_good(const struct data_mark *mark, size_t room)
{
	const struct data_visit *visit = (const void *)mark;

	if (room < sizeof(*mark) || mark->size < sizeof(*mark) || mark->size % 8 ||
	    mark->size > room)
		return 0;
	switch (mark->type) {
	case DATA_MARK_NAME:
		return mark->size > sizeof(*mark) &&
		       memchr(mark + 1, 0, mark->size - sizeof(*mark));
	case DATA_MARK_VISIT:
		return mark->size >= sizeof(*visit) && visit->begin <= visit->end &&
		       visit->end <= MAX_TIME && visit->begin_tsc <= visit->end_tsc;
	case DATA_MARK_LOST:
		return mark->size >= sizeof(struct data_marks_lost);
	}
	return 1;
}
