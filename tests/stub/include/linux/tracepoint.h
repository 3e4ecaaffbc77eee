/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_TRACEPOINT_H
#define STUB_LINUX_TRACEPOINT_H

#include <linux/types.h>
#include <linux/rcupdate.h>

struct tracepoint {
	const char *name;
	int state;
};

extern int tracepoint_probe_register(const char *name, void *probe,
				     void *data);
extern int tracepoint_probe_unregister(const char *name, void *probe,
				       void *data);

static inline void tracepoint_synchronize_unregister(void)
{
	synchronize_sched();
}

#endif /* STUB_LINUX_TRACEPOINT_H */
