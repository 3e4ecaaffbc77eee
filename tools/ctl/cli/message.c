// SPDX-License-Identifier: GPL-2.0
/* Messages: one clean line each on standard error */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/far.h"
#include "cli/message.h"
#include "cli/progress.h"

#define MAX_MESSAGE	(16 << 10)

/* Print one line, even if a name has a newline. Allocates nothing: memory may be exhausted. */
static void message(const char *fmt, va_list ap, const char *tail)
{
	static char raw[MAX_MESSAGE], text[4 * MAX_MESSAGE];
	const struct far *far = far_side();
	size_t begun = 0;

	/* on the card's side: name the machine on which to do what the message advises */
	if (far)
		begun = snprintf(raw, MAX_MESSAGE / 4, "(%s) ", far->relay);
	if (begun >= MAX_MESSAGE / 4)
		begun = 0;
	vsnprintf(raw + begun, sizeof(raw) - begun, fmt, ap);
	kncpmu_clean(raw, strlen(raw), text, sizeof(text));
	fflush(stdout);
	progress_end();
	fprintf(stderr, "%s%s%s%s\n", PROGRAM, far ? " " : ": ", text, tail);
}

int complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap, "");
	va_end(ap);
	return CTL_FAILED;
}

int usage_error(const struct command *cmd, const char *fmt, ...)
{
	char tail[64];
	va_list ap;

	snprintf(tail, sizeof(tail), "; see: %s help%s%s", PROGRAM,
		 cmd ? " " : "", cmd ? cmd->name : "");
	va_start(ap, fmt);
	message(fmt, ap, tail);
	va_end(ap);
	return CTL_USAGE;
}

int explain(const struct kncpmu_failure *failure)
{
	struct kncpmu_error err;

	kncpmu_explain(failure, &err);
	return complain("%s", err.text);
}

int explain_op(enum kncpmu_op op, int error, unsigned int cpu)
{
	struct kncpmu_failure failure = { .op = op, .error = error, .cpu = cpu };

	return explain(&failure);
}

int cant_write(const char *path, int error, const char *option)
{
	/* set by knc-vm */
	const char *scratch = error == EROFS ? getenv("KNC_VM_SCRATCH") : NULL;

	if (scratch)
		return complain("can't write to '%s': %s: the emulated card writes only where "
				"knc-vm lets it; use knc-vm --scratch . to write here, or a "
				"file in %s with %s",
				path, strerror(error), scratch, option);
	return complain("can't write to '%s': %s; choose another file with %s", path,
			strerror(error), option);
}

const char *remedy(int error)
{
	switch (error) {
	case EMFILE:
		return "; raise the limit of open files (ulimit -n)";
	case ENFILE:
		return "; end programs that have many files open, or raise fs.file-max";
	case EAGAIN:
		return "; end some, or raise the limit of processes (ulimit -u)";
	case ENOMEM:
		return "; end programs that use much memory";
	default:
		return "";
	}
}
