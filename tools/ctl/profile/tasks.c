// SPDX-License-Identifier: GPL-2.0
/* Names and mappings of tasks at the time of the present sample */
#include <stdlib.h>

#include "cli/text.h"
#include "profile/ranks.h"
#include "profile/tasks.h"

/**
 * struct process - a process
 * @pid: its number
 * @space: its mappings
 * @hh: in a hash, by @pid
 */
struct process {
	unsigned int pid;
	struct space space;
	UT_hash_handle hh;
};

/**
 * struct thread - a thread
 * @tid: its number
 * @comm: its name
 * @hh: in a hash, by @tid
 */
struct thread {
	unsigned int tid;
	const char *comm;
	UT_hash_handle hh;
};

/*
 * @idle: the name of thread 0, for which there are no records. @process, @thread: the last ones
 * asked for, because they are often asked for again; may be NULL
 */
struct tasks {
	struct symbols *symbols;
	const struct data_file *file;
	const char *idle;
	struct process *processes;
	struct process *process;
	struct thread *threads;
	struct thread *thread;
	struct spaces *spaces;
};

struct tasks *tasks_new(struct symbols *symbols, const struct data_file *f, const char *idle)
{
	struct tasks *t = xalloc(1, sizeof(*t));

	t->symbols = symbols;
	t->file = f;
	t->idle = idle;
	t->spaces = spaces_new();
	return t;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	free_entries(t->processes);
	free_entries(t->threads);
	spaces_free(t->spaces);
	free(t);
}

static struct process *find_process(struct tasks *t, unsigned int pid)
{
	if (!t->process || t->process->pid != pid)
		HASH_FIND_INT(t->processes, &pid, t->process);
	return t->process;
}

static struct process *get_process(struct tasks *t, unsigned int pid)
{
	struct process *process = find_process(t, pid);

	if (process)
		return process;
	process = xalloc(1, sizeof(*process));
	process->pid = pid;
	HASH_ADD_INT(t->processes, pid, process);
	return process;
}

static struct thread *find_thread(struct tasks *t, unsigned int tid)
{
	if (!t->thread || t->thread->tid != tid)
		HASH_FIND_INT(t->threads, &tid, t->thread);
	return t->thread;
}

static void set_comm(struct tasks *t, unsigned int tid, const char *comm)
{
	struct thread *thread = find_thread(t, tid);

	if (!thread) {
		thread = xalloc(1, sizeof(*thread));
		thread->tid = tid;
		HASH_ADD_INT(t->threads, tid, thread);
	}
	thread->comm = comm;
}

static const char *task_text(const struct data_task *task, size_t head)
{
	return intern_text((const char *)task + head);
}

/* Start a new task, and forget an earlier one with the same number */
static void forked(struct tasks *t, const struct data_fork *fork)
{
	const struct data_task *task = &fork->task;
	struct process *parent, *child;

	if (task->pid != fork->parent_pid) {
		parent = find_process(t, fork->parent_pid);
		child = get_process(t, task->pid);
		if (parent)
			space_fork(t->spaces, &child->space, &parent->space);
		else
			child->space.root = NULL;
	}
	set_comm(t, task->tid, tasks_comm(t, fork->parent_pid, fork->parent_tid));
}

static void mapped(struct tasks *t, const struct data_mmap *m)
{
	const char *rest = (const char *)m + sizeof(*m);
	struct file_key file = {
		.path = rest + m->identity_size,
		.build_id = m->build_id,
		.build_id_size = m->build_id_size,
		.identity = m->identity_size ? (const void *)rest : NULL,
	};
	struct map map = {
		.start = m->start,
		.end = m->start + m->length,
		.offset = m->offset,
		.pid = m->task.pid,
		.dso = symbols_dso(t->symbols, &file),
	};

	space_map(t->spaces, &get_process(t, m->task.pid)->space, &map);
}

void tasks_apply(struct tasks *t, const struct data_task *task)
{
	switch (task->type) {
	case DATA_EXEC:
		get_process(t, task->pid)->space.root = NULL;
		/* fall through */
	case DATA_COMM:
		set_comm(t, task->tid, task_text(task, sizeof(struct data_comm)));
		break;
	case DATA_FORK:
		forked(t, (const struct data_fork *)task);
		break;
	case DATA_MMAP:
		mapped(t, (const struct data_mmap *)task);
		break;
	}
	/* ignore DATA_EXIT, because an exiting task may still have samples */
}

const char *tasks_comm(struct tasks *t, unsigned int pid, unsigned int tid)
{
	const struct thread *thread = find_thread(t, tid);

	if (!thread && tid)
		thread = find_thread(t, pid);
	if (thread)
		return thread->comm;
	return tid ? intern_format(":%u", data_task_number(t->file, tid)) : t->idle;
}

const struct space *tasks_space(struct tasks *t, unsigned int pid)
{
	const struct process *process = find_process(t, pid);

	return process ? &process->space : NULL;
}
