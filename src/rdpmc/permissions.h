/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that only the files of this folder use: permissions, their sessions and users
 */
#ifndef KNC_PMU_PERMISSIONS_H
#define KNC_PMU_PERMISSIONS_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "compat/mm.h"

#define KNC_MM_BITS		10

/**
 * struct knc_grant_user - a user, who has a share of all permissions
 * @node: in a bucket of knc_users
 * @uid: the user
 * @refs: sessions of this user that give permissions, and permissions charged to this user
 * @nr: permissions that are not revoked
 * @nr_shared: how many of @nr count against the user's share
 * @grants: the permissions; first the one whose process was least recently looked for
 */
struct knc_grant_user {
	struct list_head node;
	kuid_t uid;
	unsigned int refs;
	unsigned int nr;
	unsigned int nr_shared;
	struct list_head grants;
};

/**
 * struct knc_grantor - a session that gives permissions
 * @node: in a bucket of knc_grantors
 * @owner: the session, only compared here
 * @pid: the process that configured the session
 * @user: the user whose share its permissions use
 * @privileged: its permissions don't count against a share, except those inherited from a process
 *	without CAP_PERFMON
 * @forks: children by fork inherit its permissions
 * @grants: its permissions
 */
struct knc_grantor {
	struct list_head node;
	const void *owner;
	struct pid *pid;
	struct knc_grant_user *user;
	bool privileged;
	bool forks;
	struct list_head grants;
};

/**
 * struct knc_grant - the permission of one process by one session
 * @node: in a bucket of knc_mm_grants
 * @session: in @grants of @from; when revoked, in a list of those to be freed
 * @user: in @grants of @payer
 * @payer: the user to whom it is charged; NULL: it was never given
 * @shared: it counts against the share of @payer
 * @from: the session
 * @pid: the process that configured the session
 * @mm: the mm of the process that has the permission; mm_users is 0 after the process has ended
 * @rcu: frees it
 */
struct knc_grant {
	struct list_head node;
	struct list_head session;
	struct list_head user;
	struct knc_grant_user *payer;
	bool shared;
	struct knc_grantor *from;
	struct pid *pid;
	struct mm_struct *mm;
	struct rcu_head rcu;
};

/*
 * All permissions, hashed by mm. Written under knc_grants_lock; knc_rdpmc_switch() and GRANTS read
 * under RCU.
 */
extern struct list_head knc_mm_grants[1 << KNC_MM_BITS];
extern unsigned int knc_nr_grants;
extern unsigned int knc_nr_shared;	/* permissions that count against a share */
extern spinlock_t knc_grants_lock;

static inline struct list_head *knc_grant_bucket(const struct mm_struct *mm)
{
	return &knc_mm_grants[hash_ptr((void *)mm, KNC_MM_BITS)];
}

/* Does the process with @mm, which is in use, have a permission? For kernels before 4.0 */
static inline bool knc_grant_exists(const struct mm_struct *mm)
{
	struct knc_grant *g;
	bool granted = false;

	rcu_read_lock();
	list_for_each_entry_rcu(g, knc_grant_bucket(mm), node)
		granted |= g->mm == mm;
	rcu_read_unlock();
	return granted;
}

/* A quick check: false if @mm has no permission; true if it may have one */
static inline bool knc_grant_may_exist(struct mm_struct *mm)
{
	return !KNC_COMPAT_MM_RDPMC || atomic_read(knc_compat_mm_rdpmc(mm));
}

/* permissions.c */
const struct mm_struct *knc_permissions_mm(struct task_struct *p, bool (*fn)(struct mm_struct *mm));
struct knc_grant *knc_grant_alloc(struct mm_struct *mm, gfp_t gfp);
void knc_grant_free(struct knc_grant *g);
void knc_grants_free(struct list_head *grants);
void knc_permissions_init_buckets(struct list_head *buckets, unsigned int nr);
void knc_grant_init(void);
/* Under knc_grants_lock */
unsigned int knc_grant_nr(const struct mm_struct *mm);
void knc_grant_link(struct knc_grant *g, struct knc_grantor *from,
		    struct knc_grant_user *payer, bool shared);
void knc_grant_unlink(struct knc_grant *g, struct list_head *gone);
struct knc_grant_user *knc_grant_user_put(struct knc_grant_user *user);

/* reload.c */
bool knc_rdpmc_try_reload(struct mm_struct *mm);
void knc_rdpmc_reload(struct mm_struct *mm);
void knc_rdpmc_reload_all(void);
void knc_reload_init(void);
void knc_reload_exit(void);

/* quota.c; under knc_grants_lock */
struct knc_grant_user *knc_grant_user_get(struct knc_grantor *from,
					  struct knc_grant_user *user);
struct knc_grant_user *knc_grant_user_of_caller(void);
int knc_quota_check(const struct knc_grant_user *user, bool shared);
int knc_quota_reclaim(struct knc_grant_user *user, bool shared, struct list_head *dead);
void knc_quota_init(void);

#endif /* KNC_PMU_PERMISSIONS_H */
