/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_STACKTRACE_H
#define STUB_LINUX_STACKTRACE_H

struct stack_trace {
	unsigned int nr_entries, max_entries;
	unsigned long *entries;
	int skip;
};

#endif /* STUB_LINUX_STACKTRACE_H */
