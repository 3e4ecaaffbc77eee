/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_CRED_H
#define STUB_LINUX_CRED_H

#include <linux/capability.h>
#include <linux/init.h>
#include <asm/atomic.h>

struct user_namespace;
struct user_struct;

struct cred {
	atomic_t usage;
	uid_t uid;
	gid_t gid;
	uid_t suid;
	gid_t sgid;
	uid_t euid;
	gid_t egid;
	kernel_cap_t cap_permitted;
	kernel_cap_t cap_effective;
	struct user_struct *user;
};

extern void __put_cred(struct cred *cred);

static inline void put_cred(const struct cred *cred)
{
	__put_cred((struct cred *)cred);
}

#define current_cred() (current->cred)
#define current_cap() (current_cred()->cap_effective)
#define get_current_cred() \
	({ atomic_inc((atomic_t *)&current_cred()->usage); current_cred(); })
#define __task_cred(task) ((const struct cred *)rcu_dereference((task)->real_cred))
#define task_uid(task) (__task_cred(task)->uid)
#define current_uid() (current_cred()->uid)
#define current_gid() (current_cred()->gid)
#define current_euid() (current_cred()->euid)
#define current_egid() (current_cred()->egid)
#define current_user_ns() (current_cred()->user->user_ns)

#endif /* STUB_LINUX_CRED_H */
