/* SPDX-License-Identifier: GPL-2.0 */
/* Names and mappings of tasks over time */
#ifndef KNC_CTL_TASKS_H
#define KNC_CTL_TASKS_H

#include "cli/data.h"
#include "profile/space.h"
#include "profile/symbols.h"

struct tasks;

/* @idle: the name of thread 0 */
struct tasks *tasks_new(struct symbols *symbols, const struct data_file *f, const char *idle);
void tasks_free(struct tasks *t);
void tasks_apply(struct tasks *t, const struct data_task *task);
const char *tasks_comm(struct tasks *t, unsigned int pid, unsigned int tid);
/* The mappings of a process; NULL: none are known */
const struct space *tasks_space(struct tasks *t, unsigned int pid);

#endif /* KNC_CTL_TASKS_H */
