/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files that permit RDPMC share: permissions, who gives them, whose share they are
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
 * @nr_sessions: sessions of this user that give permissions
 * @nr: their permissions
 * @nr_shared: of them, those that count for the share
 * @grants: all permissions of this user's sessions; first the one that was looked at
 *	longest ago
 */
struct knc_grant_user {
	struct list_head node;
	kuid_t uid;
	unsigned int nr_sessions;
	unsigned int nr;
	unsigned int nr_shared;
	struct list_head grants;
};

/**
 * struct knc_grantor - a session that gives permissions
 * @node: in a bucket of knc_grantors
 * @owner: the session; never followed here
 * @pid: who configured it
 * @user: whose share its permissions use up
 * @privileged: they don't
 * @forks: a process that is forked has the permission as well
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
 * struct knc_grant - one process has the permission of one session
 * @node: in a bucket of knc_mm_grants
 * @session: in those of its session; when it ends, of those that are not there any more
 * @user: in those of its user
 * @from: the session
 * @pid: who configured it
 * @mm: the process's memory; not in use any more if the process has ended
 * @rcu: frees it
 */
struct knc_grant {
	struct list_head node;
	struct list_head session;
	struct list_head user;
	struct knc_grantor *from;
	struct pid *pid;
	struct mm_struct *mm;
	struct rcu_head rcu;
};

/*
 * All written under the lock. No search goes through more than one bucket: what others
 * have does not make it longer. knc_rdpmc_switch() and GRANTS look at knc_mm_grants
 * without.
 */
extern struct list_head knc_mm_grants[1 << KNC_MM_BITS];
extern unsigned int knc_nr_grants;
extern unsigned int knc_nr_shared;	/* of them, those that count for a share */
extern spinlock_t knc_grants_lock;

static inline struct list_head *knc_mm_bucket(const struct mm_struct *mm)
{
	return &knc_mm_grants[hash_ptr((void *)mm, KNC_MM_BITS)];
}

/* Has @mm, of who runs here, the permission? Where the kernel does not ask itself */
static inline bool knc_mm_granted(const struct mm_struct *mm)
{
	struct knc_grant *g;
	bool granted = false;

	rcu_read_lock();
	list_for_each_entry_rcu(g, knc_mm_bucket(mm), node)
		granted |= g->mm == mm;
	rcu_read_unlock();
	return granted;
}

/* Else there is no need to look further. */
static inline bool knc_mm_may_be_granted(struct mm_struct *mm)
{
	return !KNC_COMPAT_MM_RDPMC || atomic_read(knc_compat_mm_rdpmc(mm));
}

/* permissions.c */
struct knc_grant *knc_grant_alloc(struct mm_struct *mm, gfp_t gfp);
void knc_grant_free(struct knc_grant *g);
void knc_grants_free(struct list_head *grants);
void knc_rdpmc_reload(struct mm_struct *mm);
void knc_buckets_init(struct list_head *buckets, unsigned int nr);
void knc_grant_init(void);
/* Under the lock */
unsigned int knc_mm_nr_grants(const struct mm_struct *mm);
void knc_grant_link(struct knc_grant *g, struct knc_grantor *from);
void knc_grant_unlink(struct knc_grant *g, struct list_head *gone);

/* shares.c; under the lock */
struct knc_grant_user *knc_user_get(struct knc_grantor *from,
				    struct knc_grant_user *user);
struct knc_grant_user *knc_user_put(struct knc_grant_user *user);
int knc_grant_room(const struct knc_grantor *from);
int knc_grant_make_room(struct knc_grantor *from, struct list_head *dead);
void knc_shares_init(void);

/* forks.c */
void knc_forks_exit(void);

/* takeover.c */
bool knc_is_taken_over(void);
void knc_takeover_init(struct mm_struct *loader);
void knc_takeover_exit(void);

#endif /* KNC_PMU_PERMISSIONS_H */
