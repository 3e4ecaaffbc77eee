// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: what the administrator and the kernel's lockdown forbid
 *
 * Documentation/security.rst has the reasons.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "request/policy.h"

enum knc_unprivileged {
	KNC_UNPRIVILEGED_ALL,
	KNC_UNPRIVILEGED_THREAD,
	KNC_UNPRIVILEGED_SELF,
	KNC_UNPRIVILEGED_NONE
};

static const char * const knc_unprivileged_words[] = {
	[KNC_UNPRIVILEGED_ALL] = "all",
	[KNC_UNPRIVILEGED_THREAD] = "thread",
	[KNC_UNPRIVILEGED_SELF] = "self",
	[KNC_UNPRIVILEGED_NONE] = "none",
};

static unsigned int knc_unprivileged = KNC_UNPRIVILEGED_ALL;

static int knc_unprivileged_set(const char *word,
				const struct kernel_param *param)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knc_unprivileged_words); i++) {
		if (!sysfs_streq(word, knc_unprivileged_words[i]))
			continue;
		WRITE_ONCE(knc_unprivileged, i);
		return 0;
	}
	pr_err("unprivileged=%.*s is not known: write all, thread, self or none (what sessions without CAP_PERFMON may count)\n",
	       (int)strcspn(word, "\n"), word);
	return -EINVAL;
}

static int knc_unprivileged_get(char *to, const struct kernel_param *param)
{
	return sprintf(to, "%s\n",
		       knc_unprivileged_words[READ_ONCE(knc_unprivileged)]);
}

static const struct kernel_param_ops knc_unprivileged_ops = {
	.set = knc_unprivileged_set,
	.get = knc_unprivileged_get,
};

module_param_cb(unprivileged, &knc_unprivileged_ops, NULL, 0644);
MODULE_PARM_DESC(unprivileged, "events that a session without CAP_PERFMON may count for its own tasks: all (default), thread (only events that other threads of the core can't cause), self (all, but only of the process that asks, and of those it forks) or none");

static int knc_refuse(struct knc_refusal *why, unsigned int event, u32 reason)
{
	why->event = event;
	why->other = 0;
	why->reason = reason;
	return -EPERM;
}

/**
 * knc_policy_unprivileged() - may a caller without CAP_PERFMON make this request?
 * @req: the request of CONFIG, for tasks; its events are legal
 * @why: the reason of a refusal, out
 *
 * Return: 0, or -EPERM.
 */
int knc_policy_unprivileged(const struct knc_request *req,
			    struct knc_refusal *why)
{
	unsigned int policy = READ_ONCE(knc_unprivileged);
	unsigned int i;

	if (policy == KNC_UNPRIVILEGED_NONE)
		return knc_refuse(why, 0, KNC_PMU_REASON_UNPRIVILEGED);
	if (policy != KNC_UNPRIVILEGED_THREAD)
		return 0;
	for (i = 0; i < req->nr_events; i++)
		if (!knc_event_is_own(&req->events[i]))
			return knc_refuse(why, i, KNC_PMU_REASON_CORE_WIDE);
	return 0;
}

/**
 * knc_policy_self() - may users follow only tasks of their own thread group?
 *
 * The kernel exports no check of ptrace(): the module can't ask Yama, Landlock, SELinux or AppArmor
 * about another task. With this policy it need not.
 */
bool knc_policy_self(void)
{
	return READ_ONCE(knc_unprivileged) == KNC_UNPRIVILEGED_SELF;
}

/**
 * knc_policy_lockdown() - refuse samples that show addresses of a kernel that is locked down
 * @req: the request of CONFIG; its events are legal
 * @why: the reason of a refusal, out
 *
 * Lockdown applies to root, too. Counts show no addresses, and are not refused.
 *
 * Return: 0, or -EPERM.
 */
int knc_policy_lockdown(const struct knc_request *req,
			struct knc_refusal *why)
{
	bool shown = req->sample_interval ||
		     req->flags & KNC_PMU_CONFIG_CHAIN_KERNEL;
	unsigned int i;

	for (i = 0; !shown && i < req->nr_events; i++)
		if (req->events[i].flags & KNC_PMU_EVENT_SAMPLE &&
		    req->events[i].flags & KNC_PMU_EVENT_OS)
			shown = true;
	/* last, because the kernel logs each refusal of lockdown */
	if (!shown || !knc_compat_locked_down())
		return 0;
	return knc_refuse(why, i ? i - 1 : 0, KNC_PMU_REASON_LOCKDOWN);
}
