/* SPDX-License-Identifier: GPL-2.0 */
/* What the tool says to its user, and the exit statuses that go with it */
#ifndef KNC_CTL_MESSAGE_H
#define KNC_CTL_MESSAGE_H

#include <kncpmu.h>

#ifndef __printf
#define __printf(a, b)	__attribute((format(printf, a, b)))
#endif

#define PROGRAM		"knc-pmuctl"

/* exit statuses; stat, grant and record return that of their command besides */
#define CTL_OK		0
#define CTL_FAILED	1	/* refused or failed */
#define CTL_USAGE	2	/* the command line makes no sense */
#define CTL_NOEXEC	126	/* stat: the command can't be executed */
#define CTL_NOCOMMAND	127	/* stat: there is no such command */
#define CTL_SIGNAL	128	/* stat: + the signal that killed the command */

struct command;

/* One line to stderr; the exit status that goes with it is returned */
__printf(1, 2)
int complain(const char *fmt, ...);
__printf(2, 3)
int usage_error(const struct command *cmd, const char *fmt, ...);
int explain(const struct kncpmu_failure *failure);
int explain_op(enum kncpmu_op op, int error, unsigned int cpu);

/* What can be done about an errno, following strerror(): "" or "; ..." */
const char *remedy(int error);

/* The ending of a word for @n things */
static inline const char *plural_of(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

#endif /* KNC_CTL_MESSAGE_H */
