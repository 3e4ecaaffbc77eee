// SPDX-License-Identifier: GPL-2.0
/* Which processes may execute RDPMC in ring 3 */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "fakes.h"
#include "model.h"
#include "rdpmc/forks.h"
#include "rdpmc/grants.h"
#include "session_fixture.h"
#include "units.h"

#define OFFICE_TASKS	4

/**
 * struct office - the data of a test of permissions
 * @test: the test
 * @model: the registers
 * @task: processes, each with memory of its own
 * @owner: its address stands for a session
 */
struct office {
	struct kunit *test;
	struct model model;
	struct task_struct *task[OFFICE_TASKS];
	char owner[3];
};

/* Open a session of an owner; those of the first two owners are inherited by fork. */
static int open_owner(struct office *o, unsigned int owner)
{
	return knc_rdpmc_open(&o->owner[owner], task_tgid(current), owner < 2);
}

static int office_init(struct kunit *test)
{
	struct office *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);
	unsigned int i;

	if (!o)
		return -ENOMEM;
	o->test = test;
	test->priv = o;
	for (i = 0; i < OFFICE_TASKS; i++)
		o->task[i] = fake_task(test);
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	model_use(&o->model);
	/* RDPMC is permitted */
	o->model.cr4 = MODEL_PCE;
	for (i = 0; i < ARRAY_SIZE(o->owner); i++)
		if (open_owner(o, i))
			return -ENOMEM;
	return 0;
}

static void office_exit(struct kunit *test)
{
	struct office *o = test->priv;
	unsigned int i;

	fake_memory(0);
	knc_test_work_fails(0);
	fake_set_current(NULL);
	for (i = 0; i < sizeof(o->owner); i++)
		knc_rdpmc_close(&o->owner[i]);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 0);
	/* each process has its own memory */
	for (i = 0; i < OFFICE_TASKS; i++)
		KUNIT_EXPECT_EQ(test, 1,
				atomic_read(&o->task[i]->mm->mm_count));
	rcu_barrier();
	model_leave();
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	model_expect_clean(test, &o->model);
}

static int allowed(const struct task_struct *task)
{
	return atomic_read(knc_compat_mm_rdpmc(task->mm));
}

static int grant(struct office *o, unsigned int owner, unsigned int task)
{
	int err;

	fake_set_current(o->task[task]);
	err = knc_rdpmc_grant(&o->owner[owner]);
	fake_set_current(NULL);
	return err;
}

static int grant_exec(struct office *o, unsigned int owner)
{
	return knc_rdpmc_grant_exec(&o->owner[owner]);
}

/* A session is closed, and its slot is used again. */
static void revoke(struct office *o, unsigned int owner)
{
	knc_rdpmc_close(&o->owner[owner]);
	KUNIT_EXPECT_EQ(o->test, open_owner(o, owner), 0);
}

static void permits(struct kunit *test)
{
	static const u64 others[] = { 0, 0x6f0, ~(u64)MODEL_PCE };
	struct office *o = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		o->model.cr4 = others[i] & ~MODEL_PCE;
		o->model.nr_cr4 = 0;
		MODEL_AT(knc_hw_permit_rdpmc(false));
		KUNIT_EXPECT_EQ(test, o->model.nr_cr4, 0);
		MODEL_AT(knc_hw_permit_rdpmc(true));
		KUNIT_EXPECT_EQ(test, o->model.nr_cr4, 1);
		KUNIT_EXPECT_EQ(test, o->model.cr4, others[i] | MODEL_PCE);
		MODEL_AT(knc_hw_permit_rdpmc(true));
		KUNIT_EXPECT_EQ(test, o->model.nr_cr4, 1);
		MODEL_AT(knc_hw_permit_rdpmc(false));
		KUNIT_EXPECT_EQ(test, o->model.nr_cr4, 2);
		KUNIT_EXPECT_EQ(test, o->model.cr4, others[i] & ~MODEL_PCE);
	}
}

static void grants_and_revokes(struct kunit *test)
{
	struct office *o = test->priv;

	/* perf's permission remains */
	atomic_set(knc_compat_mm_rdpmc(o->task[0]->mm), 3);
	KUNIT_EXPECT_EQ(test, grant(o, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, grant(o, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, grant(o, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 5);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 0);
	revoke(o, 2);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 3);
	revoke(o, 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 4);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 1);
	revoke(o, 0);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 3);
	revoke(o, 0);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 3);
}

/* fork() copies the memory with its counter before the probe is called. */
static void forks(struct kunit *test)
{
	struct office *o = test->priv;

	grant(o, 0, 0);
	grant(o, 1, 0);
	grant(o, 1, 3);
	atomic_set(knc_compat_mm_rdpmc(o->task[1]->mm), 7);
	knc_test_rdpmc_fork(o->task[0], o->task[1]);
	atomic_set(knc_compat_mm_rdpmc(o->task[2]->mm), 2);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 2);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 2);
	knc_test_rdpmc_fork(o->task[1], o->task[2]);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 2);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 7);
	revoke(o, 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[3]), 0);
	revoke(o, 0);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 0);
}

/* The parent lost its permission while its memory was being copied. */
static void forks_too_late(struct kunit *test)
{
	struct office *o = test->priv;

	grant(o, 0, 0);
	atomic_set(knc_compat_mm_rdpmc(o->task[1]->mm), 1);
	revoke(o, 0);
	knc_test_rdpmc_fork(o->task[0], o->task[1]);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 0);
}

/* Threads share their process's permission; a kernel thread has no permission. */
static void threads(struct kunit *test)
{
	struct office *o = test->priv;
	struct task_struct *thread = fake_thread(test, o->task[0]);

	grant(o, 0, 0);
	thread->mm = o->task[0]->mm;
	knc_test_rdpmc_fork(o->task[0], thread);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 1);
	thread->mm = NULL;
	knc_test_rdpmc_fork(o->task[0], thread);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 1);
}

/* A process has a bounded number of permissions that a fork can copy. */
static void too_many(struct kunit *test)
{
	struct office *o = test->priv;
	unsigned int i;

	for (i = 0; i < KNC_PMU_MAX_GRANTS; i++)
		KUNIT_EXPECT_EQ(test, grant(o, i % 2, 0), 0);
	KUNIT_EXPECT_EQ(test, grant(o, 2, 0), -EMFILE);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), KNC_PMU_MAX_GRANTS);
	KUNIT_EXPECT_EQ(test, grant(o, 2, 1), 0);
	revoke(o, 1);
	KUNIT_EXPECT_EQ(test, grant(o, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), KNC_PMU_MAX_GRANTS / 2 + 1);
}

/* The number over all processes is bounded too: beyond it a child gets no permission. */
static void too_many_in_all(struct kunit *test)
{
	struct office *o = test->priv;
	unsigned int i;

	grant(o, 0, 0);
	for (i = 1; i < KNC_PMU_MAX_ALL_GRANTS; i++) {
		atomic_set(knc_compat_mm_rdpmc(o->task[1]->mm), 1);
		knc_test_rdpmc_fork(o->task[0], o->task[1]);
		if (i % 1024 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 1);
	knc_test_rdpmc_fork(o->task[0], o->task[1]);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), KNC_PMU_MAX_ALL_GRANTS);
	KUNIT_EXPECT_EQ(test, grant(o, 1, 2), -ENFILE);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 0);
	/* a permission that waits for exec is not left either */
	fake_set_current(o->task[2]);
	KUNIT_EXPECT_EQ(test, grant_exec(o, 1), -ENFILE);
	KUNIT_EXPECT_TRUE(test, knc_test_do_work());
	fake_set_current(NULL);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&o->task[2]->mm->mm_count), 1);
	/* a closed session makes room */
	atomic_set(&o->task[1]->mm->mm_users, 0);
	KUNIT_EXPECT_EQ(test, grant(o, 1, 2), 0);
	KUNIT_EXPECT_LT(test, knc_test_nr_grants(), KNC_PMU_MAX_ALL_GRANTS);
	revoke(o, 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 1);
	atomic_set(&o->task[1]->mm->mm_users, 1);
}

/* Open a session of a user that has no privilege. */
static int open_as(struct kunit *test, const void *owner, unsigned int uid)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	cred->uid = KUIDT_INIT(uid);
	old = override_creds(cred);
	err = knc_rdpmc_open(owner, task_tgid(current), true);
	revert_creds(old);
	put_cred(cred);
	return err;
}

#define USERS	(KNC_PMU_MAX_ALL_GRANTS / KNC_PMU_MAX_USER_GRANTS)

/* Each user has a share of all grants, and some are left for privileged sessions. */
static void users_leave_a_share(struct kunit *test)
{
	struct office *o = test->priv;
	struct task_struct *parent[USERS];
	unsigned int i, n, nr = 0;
	char owner[USERS];

	for (i = 0; i < USERS; i++) {
		parent[i] = fake_task(test);
		KUNIT_ASSERT_EQ(test, open_as(test, &owner[i], 1000 + i), 0);
		fake_set_current(parent[i]);
		KUNIT_EXPECT_EQ(test, knc_rdpmc_grant(&owner[i]),
				i < USERS - 1 ? 0 : -ENFILE);
		fake_set_current(NULL);
		for (n = 1; n < KNC_PMU_MAX_USER_GRANTS + 2; n++) {
			atomic_set(knc_compat_mm_rdpmc(o->task[1]->mm), 1);
			knc_test_rdpmc_fork(parent[i], o->task[1]);
			if (n % 256 == 0)
				cond_resched();
		}
		if (i < USERS - 1)
			nr += KNC_PMU_MAX_USER_GRANTS;
		KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), nr);
	}
	fake_set_current(o->task[2]);
	KUNIT_EXPECT_EQ(test, knc_rdpmc_grant(&owner[0]), -EDQUOT);
	fake_set_current(NULL);
	KUNIT_EXPECT_EQ(test, grant(o, 0, 2), 0);
	for (i = 0; i < USERS; i++)
		knc_rdpmc_close(&owner[i]);
}

/* Fork as a process that has dropped its user and its capabilities. */
static void fork_dropped(struct office *o, unsigned int parent, unsigned int child,
			 unsigned int uid)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(o->test, cred);
	cap_clear(cred->cap_effective);
	cred->uid = KUIDT_INIT(uid);
	old = override_creds(cred);
	atomic_set(knc_compat_mm_rdpmc(o->task[child]->mm), 1);
	knc_test_rdpmc_fork(o->task[parent], o->task[child]);
	revert_creds(old);
	put_cred(cred);
}

/*
 * Children of a privileged session's process have dropped their user: their own children count
 * against that user's share.
 */
static void dropped_have_a_share(struct kunit *test)
{
	struct office *o = test->priv;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, grant(o, 0, 0), 0);
	for (i = 0; i < KNC_PMU_MAX_USER_GRANTS; i++) {
		fork_dropped(o, 0, 1, 1000);
		KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 1);
		if (i % 256 == 0)
			cond_resched();
	}
	fork_dropped(o, 0, 1, 1000);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), KNC_PMU_MAX_USER_GRANTS + 1);
	/* other users have their own share, and the privileged need none */
	fork_dropped(o, 0, 2, 1001);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 1);
	atomic_set(knc_compat_mm_rdpmc(o->task[3]->mm), 1);
	knc_test_rdpmc_fork(o->task[0], o->task[3]);
	KUNIT_EXPECT_EQ(test, allowed(o->task[3]), 1);
	/* ended processes make room */
	atomic_set(&o->task[1]->mm->mm_users, 0);
	fork_dropped(o, 0, 2, 1000);
	KUNIT_EXPECT_EQ(test, allowed(o->task[2]), 1);
	atomic_set(&o->task[1]->mm->mm_users, 1);
}

#define STRANGERS	500

/* The number of entries that fork, CONFIG and the end of a session visit */
static unsigned int steps(struct office *o)
{
	knc_test_steps = 0;
	KUNIT_EXPECT_EQ(o->test, grant(o, 0, 0), 0);
	atomic_set(knc_compat_mm_rdpmc(o->task[1]->mm), 1);
	knc_test_rdpmc_fork(o->task[0], o->task[1]);
	KUNIT_EXPECT_EQ(o->test, allowed(o->task[1]), 1);
	revoke(o, 0);
	return knc_test_steps;
}

/*
 * 8,000 permissions of 500 other processes make no operation slower. An operation may also visit
 * those in its bucket: more than 8 of 500 processes in one of 1,024 buckets is a case in 10^9.
 */
static void others_do_not_matter(struct kunit *test)
{
	struct office *o = test->priv;
	unsigned int i, j, alone;
	struct task_struct *stranger;

	alone = steps(o);
	for (i = 0; i < STRANGERS; i++) {
		stranger = fake_task(test);
		fake_set_current(stranger);
		for (j = 0; j < KNC_PMU_MAX_GRANTS; j++)
			KUNIT_ASSERT_EQ(test, knc_rdpmc_grant(&o->owner[1]), 0);
		fake_set_current(NULL);
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), STRANGERS * KNC_PMU_MAX_GRANTS);
	KUNIT_EXPECT_LT(test, steps(o), alone + 3 * 8 * KNC_PMU_MAX_GRANTS);
	revoke(o, 1);
}

/*
 * A session on hardware threads: its owner's child may become another user, and gets no permission.
 */
static void forks_without(struct kunit *test)
{
	struct office *o = test->priv;

	grant(o, 2, 0);
	atomic_set(knc_compat_mm_rdpmc(o->task[1]->mm), 1);
	knc_test_rdpmc_fork(o->task[0], o->task[1]);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 1);
}

/* The kernel never sets CR4.PCE: CONFIG must report it. */
static void permitted_to_nobody(struct kunit *test)
{
	struct office *o = test->priv;

	o->model.cr4 = 0;
	KUNIT_EXPECT_EQ(test, grant(o, 0, 0), -EOPNOTSUPP);
	revoke(o, 0);
	fake_set_current(o->task[1]);
	KUNIT_EXPECT_EQ(test, knc_rdpmc_try(&o->owner[0]), -EOPNOTSUPP);
	o->model.cr4 = MODEL_PCE;
	KUNIT_EXPECT_EQ(test, knc_rdpmc_try(&o->owner[0]), 0);
	fake_set_current(NULL);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 0);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 0);
}

/* Closing a session takes its permissions back; without any, or a second time, it does nothing. */
static void closes(struct kunit *test)
{
	struct office *o = test->priv;

	knc_rdpmc_close(&o->test);
	grant(o, 0, 0);
	knc_rdpmc_close(&o->owner[0]);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 0);
	KUNIT_EXPECT_EQ(test, grant(o, 0, 0), -ESRCH);
	fake_set_current(o->task[0]);
	KUNIT_EXPECT_EQ(test, grant_exec(o, 0), -ESRCH);
	KUNIT_EXPECT_TRUE(test, knc_test_do_work());
	fake_set_current(NULL);
	knc_rdpmc_close(&o->owner[0]);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 0);
}

/* The next grant removes entries of ended processes, and releases their memory. */
static void prunes(struct kunit *test)
{
	struct office *o = test->priv;

	grant(o, 0, 0);
	grant(o, 0, 1);
	atomic_set(&o->task[0]->mm->mm_users, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&o->task[0]->mm->mm_count), 2);
	grant(o, 1, 2);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&o->task[0]->mm->mm_count), 1);
	atomic_set(&o->task[1]->mm->mm_users, 0);
	atomic_set(knc_compat_mm_rdpmc(o->task[3]->mm), 1);
	knc_test_rdpmc_fork(o->task[2], o->task[3]);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&o->task[1]->mm->mm_count), 1);
	KUNIT_EXPECT_EQ(test, allowed(o->task[3]), 1);
}

static void no_memory(struct kunit *test)
{
	struct office *o = test->priv;

	fake_memory(1);
	KUNIT_EXPECT_EQ(test, grant(o, 0, 0), -ENOMEM);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 0);
	KUNIT_EXPECT_EQ(test, grant(o, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, grant(o, 1, 0), 0);
	/* the child gets as many permissions as there is memory for, and its counter agrees */
	atomic_set(knc_compat_mm_rdpmc(o->task[1]->mm), 2);
	fake_memory(1);
	knc_test_rdpmc_fork(o->task[0], o->task[1]);
	KUNIT_EXPECT_EQ(test, allowed(o->task[1]), 1);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 3);
}

static void executed(struct kunit *test)
{
	struct office *o = test->priv;

	fake_set_current(o->task[0]);
	KUNIT_EXPECT_FALSE(test, knc_test_do_work());
	KUNIT_EXPECT_EQ(test, grant_exec(o, 0), 0);
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 1);
	KUNIT_EXPECT_TRUE(test, knc_test_do_work());
	/* the session is closed before the task returns to user mode: the work does no harm */
	KUNIT_EXPECT_EQ(test, grant_exec(o, 1), 0);
	knc_rdpmc_close(&o->owner[1]);
	KUNIT_EXPECT_TRUE(test, knc_test_do_work());
	KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 1);
	fake_set_current(NULL);
}

static void not_executed(struct kunit *test)
{
	struct office *o = test->priv;
	unsigned int i;

	fake_set_current(o->task[0]);
	for (i = 1; i <= 3; i++) {
		fake_memory(i);
		knc_test_work_fails(i == 3 ? -ESRCH : 0);
		KUNIT_EXPECT_EQ(test, grant_exec(o, 0),
				i == 3 ? -ESRCH : -ENOMEM);
		KUNIT_EXPECT_FALSE(test, knc_test_do_work());
		KUNIT_EXPECT_EQ(test, allowed(o->task[0]), 0);
		KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 0);
	}
	fake_set_current(NULL);
}

/*
 * List the permissions of a process that really owns its memory, not of one that borrowed it; @to:
 * the last entry. @user: as a user other than root. Returns their number, or -EFAULT
 */
static int list(struct knc_pmu_grant *to, bool user)
{
	struct knc_pmu_grant *grants = NULL;
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int i, nr, own = 0;

	if (!cred)
		return -ENOMEM;
	if (user) {
		cap_clear(cred->cap_effective);
		cred->uid = KUIDT_INIT(1000);
	}
	old = override_creds(cred);
	kthread_use_mm(stage_user_mm());
	nr = knc_rdpmc_list(to ? &grants : NULL);
	for (i = 0; grants && i < nr; i++) {
		if (grants[i].pid == task_tgid_vnr(get_current()))
			own++;
		else
			*to = grants[i];
	}
	kvfree(grants);
	kthread_unuse_mm(stage_user_mm());
	revert_creds(old);
	put_cred(cred);
	return nr - own;
}

/* A real process, whose memory is in use */
static void lists(struct kunit *test)
{
	struct office *o = test->priv;
	struct task_struct *real = fake_task(test);
	struct pid *pid = task_tgid(get_current());
	struct knc_pmu_grant g;
	int before;

	real->mm = stage_user_mm();
	before = allowed(real);
	KUNIT_EXPECT_EQ(test, list(&g, false), 0);
	grant(o, 2, 1);
	KUNIT_EXPECT_EQ(test, list(&g, false), 0);
	fake_set_current(real);
	KUNIT_EXPECT_EQ(test, knc_rdpmc_grant(&o->owner[0]), 0);
	KUNIT_EXPECT_EQ(test, knc_rdpmc_grant(&o->owner[1]), 0);
	fake_set_current(NULL);
	KUNIT_EXPECT_EQ(test, allowed(real), before + 2);
	memset(&g, 0, sizeof(g));
	knc_test_asked = 0;
	KUNIT_EXPECT_EQ(test, list(&g, false), 1);
	/* CAP_PERFMON is checked once, not for each process */
	KUNIT_EXPECT_EQ(test, knc_test_asked, 1);
	KUNIT_EXPECT_EQ(test, g.pid, stage_user_pid());
	KUNIT_EXPECT_EQ(test, g.session_pid, pid_vnr(pid));
	/* with no room the entries are only counted */
	KUNIT_EXPECT_GT(test, list(NULL, false), 0);
	KUNIT_EXPECT_EQ(test, list(&g, true), 0);
	revoke(o, 0);
	KUNIT_EXPECT_EQ(test, list(&g, false), 1);
	revoke(o, 1);
	KUNIT_EXPECT_EQ(test, list(&g, false), 0);
	KUNIT_EXPECT_EQ(test, allowed(real), before);
}

/* A process in the list may end at the same time, and free its memory. */
static void lists_who_ends(struct kunit *test)
{
	struct task_struct *real;
	struct knc_pmu_grant g;

	rcu_read_lock();
	/* the real process waits until this test ends */
	real = pid_task(find_vpid(stage_user_pid()), PIDTYPE_PID);
	rcu_read_unlock();
	KUNIT_ASSERT_NOT_NULL(test, real);
	knc_test_looks = 0;
	knc_test_looks_unlocked = 0;
	knc_test_watch(real);
	KUNIT_EXPECT_EQ(test, list(&g, false), 0);
	knc_test_watch(NULL);
	KUNIT_EXPECT_GT(test, knc_test_looks, 0);
	KUNIT_EXPECT_EQ(test, knc_test_looks_unlocked, 0);
}

/* A session may be closed while one of its permissions is listed. */
static void lists_what_is_revoked(struct kunit *test)
{
	struct office *o = test->priv;
	struct pid *pid = task_tgid(get_current());
	unsigned int nr = refcount_read(&pid->count);
	unsigned int meanwhile;

	KUNIT_EXPECT_EQ(test, grant(o, 0, 0), 0);
	rcu_read_lock();
	knc_rdpmc_close(&o->owner[0]);
	meanwhile = refcount_read(&pid->count);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 0);
	/* the session's reference is gone, that of its permission is not */
	KUNIT_EXPECT_EQ(test, meanwhile, nr);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), nr - 1);
}

static void prepares(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, knc_rdpmc_prepare(true), 0);
	KUNIT_EXPECT_EQ(test, knc_rdpmc_prepare(true), 0);
	knc_test_rdpmc_exit();
	/* possible again, because all permissions were taken back */
	KUNIT_EXPECT_EQ(test, knc_rdpmc_prepare(true), 0);
	knc_test_rdpmc_exit();
	knc_test_rdpmc_exit();
}

static struct kunit_case rdpmc_cases[] = {
	KUNIT_CASE(permits),
	KUNIT_CASE(grants_and_revokes),
	KUNIT_CASE(forks),
	KUNIT_CASE(forks_too_late),
	KUNIT_CASE(threads),
	KUNIT_CASE(too_many),
	KUNIT_CASE(too_many_in_all),
	KUNIT_CASE(users_leave_a_share),
	KUNIT_CASE(dropped_have_a_share),
	KUNIT_CASE(others_do_not_matter),
	KUNIT_CASE(forks_without),
	KUNIT_CASE(permitted_to_nobody),
	KUNIT_CASE(closes),
	KUNIT_CASE(prunes),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(executed),
	KUNIT_CASE(not_executed),
	KUNIT_CASE(lists),
	KUNIT_CASE(lists_who_ends),
	KUNIT_CASE(lists_what_is_revoked),
	KUNIT_CASE(prepares),
	{}
};

STAGE_SUITE(rdpmc, office_init, office_exit);

kunit_test_suite(rdpmc_suite);
