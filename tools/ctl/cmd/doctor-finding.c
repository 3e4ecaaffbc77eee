// SPDX-License-Identifier: GPL-2.0
/* The result of a check of doctor: texts that are clean, commands that can be copied */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/doctor.h"

static void clean(const char *fmt, va_list ap, char *out, size_t size)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	kncpmu_clean(text, strlen(text), out, size);
}

void found(struct finding *f, enum verdict v, const char *fmt, ...)
{
	va_list ap;

	f->verdict = v;
	va_start(ap, fmt);
	clean(fmt, ap, f->found, sizeof(f->found));
	va_end(ap);
}

void mend(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	clean(fmt, ap, f->command, sizeof(f->command));
	va_end(ap);
}

void add_pid(struct finding *f, int pid)
{
	unsigned int i;

	/* 0 is a process of another pid namespace */
	for (i = 0; i < f->nr_pids; i++) {
		if (f->pid[i] == pid)
			return;
	}
	if (pid > 0 && f->nr_pids < MAX_NAMED)
		f->pid[f->nr_pids++] = pid;
}

void name_pids(const struct finding *f, char *text, size_t size)
{
	char who[KNCPMU_PROCESS_LEN];
	unsigned int i;
	size_t len = 0;

	text[0] = '\0';
	for (i = 0; i < f->nr_pids && len < size; i++) {
		kncpmu_process_name(f->pid[i], who, sizeof(who));
		len += snprintf(text + len, size - len, "%s%s", i ? ", " : "", who);
	}
}

void mend_by_kill(struct finding *f)
{
	char list[12 * MAX_NAMED];
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < f->nr_pids; i++)
		len += snprintf(list + len, sizeof(list) - len, " %d", f->pid[i]);
	if (len)
		mend(f, "kill%s", list);
}

/* Is @text one word for a shell as it is? */
static int is_word(const char *text)
{
	if (!*text || *text == '-')
		return 0;
	while (isalnum((unsigned char)*text) || (*text && strchr("_./-+,:@%=", *text)))
		text++;
	return !*text;
}

const char *shell_word(const char *text, char *word, size_t size)
{
	size_t len = 0;

	if (is_word(text)) {
		snprintf(word, size, "%s", text);
		return word;
	}
	word[len++] = '\'';
	for (; *text && len + 6 < size; text++) {
		/* the quotes end, \' follows, they begin again */
		if (*text == '\'')
			len += snprintf(word + len, size - len, "'\\'");
		word[len++] = *text;
	}
	snprintf(word + len, size - len, "'");
	return word;
}

int no_session(const struct machine *m, struct finding *f)
{
	if (!m->error)
		return 0;
	if (!m->loaded)
		found(f, VERDICT_UNCHECKED, "module knc_pmu is not loaded");
	else
		found(f, VERDICT_UNCHECKED, "the module can't be asked: %s", strerror(-m->error));
	return 1;
}
