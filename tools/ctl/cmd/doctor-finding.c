// SPDX-License-Identifier: GPL-2.0
/* The result of a check of doctor: clean texts, and commands that can be copied */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <kernel-file.h>

#include "cmd/doctor-checks.h"

void found(struct finding *f, enum verdict v, const char *fmt, ...)
{
	va_list ap;

	f->verdict = v;
	va_start(ap, fmt);
	f->found = intern_vformat(fmt, ap);
	va_end(ap);
}

void mend(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	f->command = intern_vformat(fmt, ap);
	va_end(ap);
}

void add_pid(struct finding *f, int pid)
{
	unsigned int i;

	/* pid 0 stands for a process of another pid namespace */
	for (i = 0; i < f->nr_pids; i++) {
		if (f->pid[i] == pid)
			return;
	}
	if (pid > 0 && f->nr_pids < MAX_NAMED)
		f->pid[f->nr_pids++] = pid;
}

const char *name_pids(const struct finding *f)
{
	char who[KNCPMU_PROCESS_LEN];
	const char *text = "";
	unsigned int i = 0;

	/* the name of pid 0 is "a process that is not visible from here" */
	do {
		kncpmu_process_name(f->pid[i], who, sizeof(who));
		text = intern_format("%s%s%s", text, i ? ", " : "", who);
	} while (++i < f->nr_pids);
	return text;
}

void mend_by_kill(struct finding *f)
{
	const char *command = "kill";
	unsigned int i;

	for (i = 0; i < f->nr_pids; i++)
		command = intern_format("%s %d", command, f->pid[i]);
	if (f->nr_pids)
		f->command = command;
}

/* Can a shell read @text as one word without quotes? */
static int is_word(const char *text)
{
	if (!*text || *text == '-')
		return 0;
	while (isalnum((unsigned char)*text) || (*text && strchr("_./-+,:@%=", *text)))
		text++;
	return !*text;
}

const char *shell_word(const char *text)
{
	const char *word = "";
	size_t len;

	if (is_word(text))
		return text;
	for (len = strcspn(text, "'"); text[len]; len = strcspn(text, "'")) {
		/* end the quotes, add \', begin quotes again */
		word = intern_format("%s%.*s'\\''", word, (int)len, text);
		text += len + 1;
	}
	return intern_format("'%s%s'", word, text);
}

/* Search root's directories too: root executes the commands, and a user's PATH may lack them */
#define ROOT_PATH	"/usr/sbin:/sbin"

int has_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];
	size_t len;

	path = intern_format("%s:" ROOT_PATH, path ? path : "/bin:/usr/bin");
	for (;; path += len + 1) {
		len = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, name);
		if (len && !access(file, X_OK))
			return 1;
		if (!path[len])
			return 0;
	}
}

int is_hidden(const char *path, int error, struct finding *f)
{
	const int proc = !strncmp(path, "/proc", strlen("/proc"));

	if (!error || error == -ENOENT)
		return 0;
	found(f, VERDICT_UNCHECKED, "unknown: %s can't be read: %s", path,
	      kncpmu_kernel_why(path, error));
	if (error == -EXDEV && kncpmu_kernel_has(proc ? "/proc" : "/sys"))
		mend(f, proc ? "mount -t proc none /proc" : "mount -t sysfs sys /sys");
	return 1;
}

int not_loaded(const struct machine *m, struct finding *f)
{
	if (m->loaded || is_hidden("/sys/module", m->hidden, f))
		return !m->loaded;
	found(f, VERDICT_UNCHECKED, "module knc_pmu is not loaded");
	return !m->loaded;
}

int no_session(const struct machine *m, struct finding *f)
{
	if (m->error && !not_loaded(m, f))
		found(f, VERDICT_UNCHECKED, "the module can't be asked: %s", strerror(-m->error));
	return m->error;
}
