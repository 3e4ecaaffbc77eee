// SPDX-License-Identifier: GPL-2.0
/* JIT code: functions that processes made at run time, by address and time */
#include <stdlib.h>
#include <string.h>

#include "profile/code.h"

/* The most functions searched below an address; more overlap only in a hostile file */
#define MAX_BEFORE	4096

static void add(struct codes *codes, size_t *room, const struct data_code *data)
{
	struct code *code;

	codes->all = xgrow(codes->all, codes->nr, room, sizeof(*codes->all));
	code = &codes->all[codes->nr];
	memset(code, 0, sizeof(*code));
	code->pid = data->task.pid;
	code->time = data->task.time;
	code->order = codes->nr++;
	code->symbol.name = (const char *)(data + 1);
	code->symbol.start = data->start;
	code->symbol.end = data->start + data->length;
}

static int compare(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->symbol.start != y->symbol.start)
		return x->symbol.start < y->symbol.start ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void codes_read(struct codes *codes, const struct data_file *f)
{
	const struct data_task *task;
	size_t at, i, room = 0;
	struct code *code;

	for (at = 0; at < f->tasks_size; at += task->size) {
		task = (const void *)(f->tasks + at);
		if (task->type == DATA_CODE)
			add(codes, &room, (const void *)task);
	}
	if (codes->nr)
		qsort(codes->all, codes->nr, sizeof(*codes->all), compare);
	for (i = 0; i < codes->nr; i++) {
		code = &codes->all[i];
		code->reach = code->symbol.end;
		if (i && code[-1].pid == code->pid && code[-1].reach > code->reach)
			code->reach = code[-1].reach;
	}
}

void codes_free(struct codes *codes)
{
	free(codes->all);
	memset(codes, 0, sizeof(*codes));
}

/* The number of functions before the first one of @pid that begins after @addr */
static size_t before(const struct codes *codes, unsigned int pid, unsigned long long addr)
{
	size_t low = 0, high = codes->nr, mid;
	const struct code *code;

	while (low < high) {
		mid = low + (high - low) / 2;
		code = &codes->all[mid];
		if (code->pid < pid || (code->pid == pid && code->symbol.start <= addr))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int codes_of(const struct codes *codes, unsigned int pid)
{
	size_t i = before(codes, pid, ~0ULL);

	return i && codes->all[i - 1].pid == pid;
}

struct symbol *codes_find(const struct codes *codes, unsigned int pid, unsigned long long addr,
			  unsigned long long time, int *for_good)
{
	size_t i = before(codes, pid, addr), tries;
	struct code *code, *best = NULL;

	*for_good = 1;
	for (tries = 0; i && tries < MAX_BEFORE; i--, tries++) {
		code = &codes->all[i - 1];
		if (code->pid != pid || code->reach <= addr)
			break;
		if (code->symbol.end <= addr)
			continue;
		*for_good &= !code->time;
		if (code->time > time)
			continue;
		if (!best || code->time > best->time ||
		    (code->time == best->time && code->order > best->order))
			best = code;
	}
	return best && *best->symbol.name ? &best->symbol : NULL;
}
