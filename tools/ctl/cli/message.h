/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to the user, what to do about an errno, and exit statuses */
#ifndef KNC_CTL_MESSAGE_H
#define KNC_CTL_MESSAGE_H

#include <kncpmu.h>

#ifndef __printf
#define __printf(a, b)	__attribute((format(printf, a, b)))
#endif

#define PROGRAM		"knc-pmuctl"

/* Exit statuses; stat, grant and record can also return that of their command */
#define CTL_OK		0
#define CTL_FAILED	1	/* refused or failed */
#define CTL_USAGE	2	/* wrong command line */
#define CTL_NOEXEC	126	/* the command can't be executed */
#define CTL_NOCOMMAND	127	/* there is no such command */
#define CTL_SIGNAL	128	/* + the signal that killed the command */

struct command;

/* Print one line to stderr and return its exit status */
__printf(1, 2)
int complain(const char *fmt, ...);
__printf(2, 3)
int usage_error(const struct command *cmd, const char *fmt, ...);
int explain(const struct kncpmu_failure *failure);
int explain_op(enum kncpmu_op op, int error, unsigned int cpu);

/* Say that the file of @option can't be written; returns an exit status */
int cant_write(const char *path, int error, const char *option);

/* The remedy for an errno, to follow strerror(): "" or "; ..." */
const char *remedy(int error);

/* The plural ending of a word for @n things */
static inline const char *plural_of(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

#endif /* KNC_CTL_MESSAGE_H */
