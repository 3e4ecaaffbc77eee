/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_PID_H
#define STUB_LINUX_PID_H

#include <linux/rcupdate.h>

struct pid;
struct pid_namespace;
struct task_struct;

enum pid_type {
	PIDTYPE_PID,
	PIDTYPE_PGID,
	PIDTYPE_SID,
	PIDTYPE_MAX
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	atomic_t count;
	unsigned int level;
	struct upid numbers[1];
};

struct pid_link {
	struct hlist_node node;
	struct pid *pid;
};

extern void put_pid(struct pid *pid);
extern struct task_struct *pid_task(struct pid *pid, enum pid_type type);
extern struct pid *find_vpid(int nr);
extern pid_t pid_vnr(struct pid *pid);

static inline struct pid *get_pid(struct pid *pid)
{
	if (pid)
		atomic_inc(&pid->count);
	return pid;
}

static inline struct pid_namespace *ns_of_pid(struct pid *pid)
{
	return pid ? pid->numbers[pid->level].ns : NULL;
}

#endif /* STUB_LINUX_PID_H */
