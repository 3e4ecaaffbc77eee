/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_RCULIST_H
#define STUB_LINUX_RCULIST_H

#include <linux/list.h>
#include <linux/rcupdate.h>

static inline void list_add_rcu(struct list_head *new, struct list_head *head)
{
	list_add(new, head);
}

static inline void list_del_rcu(struct list_head *entry)
{
	list_del(entry);
}

static inline void hlist_add_head_rcu(struct hlist_node *n,
				      struct hlist_head *h)
{
	n->next = h->first;
	n->pprev = &h->first;
	h->first = n;
}

static inline void hlist_del_rcu(struct hlist_node *n)
{
	*n->pprev = n->next;
}

#define list_for_each_entry_rcu(pos, head, member)			\
	list_for_each_entry(pos, head, member)

#endif /* STUB_LINUX_RCULIST_H */
