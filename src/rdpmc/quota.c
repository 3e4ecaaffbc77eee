// SPDX-License-Identifier: GPL-2.0
/*
 * Each user's share of all permissions for RDPMC
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>

#include <knc_pmu.h>

#include "compat/compat.h"
#include "rdpmc/permissions.h"

#define KNC_USER_BUCKETS	64

/* How many old permissions each new one checks: permissions of ended processes can't pile up */
#define KNC_PRUNE		2

static struct list_head knc_users[KNC_USER_BUCKETS];

static struct list_head *knc_grant_user_bucket(kuid_t uid)
{
	return &knc_users[__kuid_val(uid) % KNC_USER_BUCKETS];
}

/* Under knc_grants_lock; NULL: not found */
static struct knc_grant_user *knc_grant_user_find(kuid_t uid)
{
	struct knc_grant_user *user;

	list_for_each_entry(user, knc_grant_user_bucket(uid), node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/*
 * Under knc_grants_lock: set @from->user to the existing entry, or else to @user. Returns @user for
 * the caller to free if it was not used.
 */
struct knc_grant_user *knc_grant_user_get(struct knc_grantor *from,
					  struct knc_grant_user *user)
{
	struct knc_grant_user *old = knc_grant_user_find(user->uid);

	from->user = old ?: user;
	from->user->refs++;
	if (old)
		return user;
	list_add(&user->node, knc_grant_user_bucket(user->uid));
	return NULL;
}

/*
 * The caller's payer, with a reference; NULL: no memory. Under knc_grants_lock.
 * knc_grant_user_put() removes a new entry if no permission was charged to it.
 */
struct knc_grant_user *knc_grant_user_of_caller(void)
{
	kuid_t uid = knc_compat_payer();
	struct knc_grant_user *user = knc_grant_user_find(uid);

	if (!user) {
		user = kzalloc(sizeof(*user), KNC_COMPAT_GFP_ATOMIC);
		if (!user)
			return NULL;
		user->uid = uid;
		INIT_LIST_HEAD(&user->grants);
		list_add(&user->node, knc_grant_user_bucket(uid));
	}
	user->refs++;
	return user;
}

/* Check @max permissions of a user; move those of ended processes to @dead. */
static void knc_grant_user_prune(struct knc_grant_user *user, unsigned int max,
				 struct list_head *dead)
{
	struct knc_grant *g, *next;

	max = min(max, user->nr);
	list_for_each_entry_safe(g, next, &user->grants, user) {
		if (!max--)
			return;
		/* keep the list sorted by the time of the last check */
		if (atomic_read(&g->mm->mm_users))
			list_move_tail(&g->user, &user->grants);
		else
			knc_grant_unlink(g, dead);
	}
}

static void knc_users_prune(struct list_head *dead)
{
	struct knc_grant_user *user;
	unsigned int i;

	for (i = 0; i < KNC_USER_BUCKETS; i++)
		list_for_each_entry(user, &knc_users[i], node)
			knc_grant_user_prune(user, user->nr, dead);
}

/*
 * May one more permission be given? If @shared, it is charged to the share of @user. All
 * unprivileged users together must leave one share free for privileged sessions.
 */
int knc_quota_check(const struct knc_grant_user *user, bool shared)
{
	if (knc_nr_grants >= KNC_PMU_MAX_ALL_GRANTS)
		return -ENFILE;
	if (!shared)
		return 0;
	if (user->nr_shared >= KNC_PMU_MAX_USER_GRANTS)
		return -EDQUOT;
	return knc_nr_shared < KNC_PMU_MAX_ALL_GRANTS - KNC_PMU_MAX_USER_GRANTS ?
	       0 : -ENFILE;
}

/*
 * As knc_quota_check(), but first moves permissions of ended processes to @dead. Each call examines
 * a few permissions of @user; if @user is at its limit, all of them; at the common limit, the
 * permissions of all users.
 */
int knc_quota_reclaim(struct knc_grant_user *user, bool shared, struct list_head *dead)
{
	int err;

	knc_grant_user_prune(user, KNC_PRUNE, dead);
	err = knc_quota_check(user, shared);
	if (err == -EDQUOT)
		knc_grant_user_prune(user, user->nr, dead);
	if (err == -ENFILE)
		knc_users_prune(dead);
	return err ? knc_quota_check(user, shared) : 0;
}

void knc_quota_init(void)
{
	knc_permissions_init_buckets(knc_users, ARRAY_SIZE(knc_users));
}
