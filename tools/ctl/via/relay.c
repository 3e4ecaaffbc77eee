// SPDX-License-Identifier: GPL-2.0
/*
 * The relay of --via, until our program runs on the card
 *
 * The relay command is followed by "sh": a single word, because ssh joins words by blanks and other
 * commands do not. The shell reads one compound command, because some shells read more input than
 * they execute, which would swallow the bytes that follow. The recorder is sent only when the shell
 * asks for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/array.h"
#include "via/relay.h"
#include "via/start.h"

/*
 * For any POSIX shell, such as busybox's, which may lack mktemp and stat. ls shows that the
 * directory belongs to its user alone. The recorder gets its final name when it is complete. The
 * token is in two parts, because a terminal would echo this text. @T1, @T2: the token; @N: the
 * recorder's name; @S: its size; @O: the option of the card's side.
 */
static const char script[] =
	"{ t=@T1; t=${t}@T2\n"
	"say() { echo \"$t $*\"; }\n"
	"[ ! -t 0 ] || { say terminal; exit 1; }\n"
	"umask 077\n"
	"u=$(id -u) d=${TMPDIR:-/tmp}/knc-pmuctl-$u\n"
	"mkdir \"$d\" 2>/dev/null\n"
	"set -- $(ls -ldn \"$d\" 2>/dev/null)\n"
	"case $1/$3 in drwx------*/\"$u\") ;; *) say directory \"$d\"; exit 1 ;; esac\n"
	"p=$d/@N\n"
	"if [ ! -x \"$p\" ]; then\n"
	"n=$d/draft-$$\n"
	"for f in \"$d\"/draft-*; do kill -0 \"${f##*-}\" 2>/dev/null || rm -f \"$f\"; done\n"
	"say copy \"$d\"\n"
	"if echo a | head -c 1 >/dev/null 2>&1; then head -c @S; else dd bs=1 count=@S 2>/dev/null; fi >\"$n\"\n"
	"[ \"$(wc -c <\"$n\")\" -eq @S ] && chmod 700 \"$n\" || { rm -f \"$n\"; say full \"$d\"; exit 1; }\n"
	"rm -f \"$d\"/recorder-*\n"
	"mv \"$n\" \"$p\" || { rm -f \"$n\"; say full \"$d\"; exit 1; }\n"
	"fi\n"
	"\"$p\" @O \"$t\"\n"
	"s=$?; say ended $s; exit $s\n"
	"}\n";

static void make_token(char *token, size_t size)
{
	unsigned char bytes[16];
	unsigned int i;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		memset(bytes, getpid(), sizeof(bytes));
	if (fd >= 0)
		close(fd);
	for (i = 0; i < sizeof(bytes) && 2 * i + 2 < size; i++)
		sprintf(token + 2 * i, "%02x", bytes[i]);
}

/* Queue the script, with its placeholders replaced */
static void put_script(struct relay *relay)
{
	const struct recorder *r = relay->recorder;
	char half[2][17], size[24];
	const struct {
		const char *word;
		const char *text;
	} words[] = {
		{ "@T1", half[0] }, { "@T2", half[1] }, { "@N", r->name }, { "@S", size },
		{ "@O", FAR_OPTION },
	};
	const char *at = script, *next;
	unsigned int i;

	snprintf(half[0], sizeof(half[0]), "%.16s", relay->token);
	snprintf(half[1], sizeof(half[1]), "%.16s", relay->token + 16);
	snprintf(size, sizeof(size), "%zu", r->image.nr);
	while ((next = strchr(at, '@'))) {
		queue_put(&relay->out, at, next - at);
		for (i = 0; i < ARRAY_SIZE(words) - 1; i++) {
			if (!strncmp(next, words[i].word, strlen(words[i].word)))
				break;
		}
		queue_put(&relay->out, words[i].text, strlen(words[i].text));
		at = next + strlen(words[i].word);
	}
	queue_put(&relay->out, at, strlen(at));
}

/* Run in the child. Ignore Ctrl-C, which is passed on to the program on the card */
static void become_relay(const struct relay *relay, int in, int out)
{
	char *command;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, relay->mask, NULL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (asprintf(&command, "%s sh", relay->text) < 0)
		out_of_memory();
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(CTL_NOCOMMAND);
}

int relay_start(struct relay *relay, const char *text, struct recorder *recorder,
		const sigset_t *mask)
{
	int to[2], from[2];

	memset(relay, 0, sizeof(*relay));
	relay->text = text;
	relay->recorder = recorder;
	relay->mask = mask;
	make_token(relay->token, sizeof(relay->token));
	put_script(relay);
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return complain("can't make a pipe: %s%s", strerror(errno), remedy(errno));
	fflush(NULL);
	relay->pid = fork();
	if (!relay->pid)
		become_relay(relay, to[0], from[1]);
	if (relay->pid < 0)
		return complain("can't start a process: %s%s", strerror(errno), remedy(errno));
	close(to[0]);
	close(from[1]);
	relay->to = to[1];
	relay->from = from[0];
	return 0;
}

/* The recorder is in place: report the file that stays on the card */
static void tell_copied(struct relay *relay)
{
	if (!relay->copying)
		return;
	complain("copied the recorder to %s on the card (%.1f MB), where it stays for further runs",
		 relay->copying, relay->recorder->image.nr / 1e6);
	free(relay->copying);
	relay->copying = NULL;
}

static int said_hello(struct relay *relay, const char *version)
{
	tell_copied(relay);
	if (strcmp(version, kncpmu_version()))
		return complain("'%s' is " PROGRAM " %s, and this is %s: build both from the same "
				"sources",
				relay->recorder->path, version, kncpmu_version());
	relay->ready = 1;
	return 0;
}

static int tell_ended(const struct relay *relay, int status)
{
	if (status == CTL_NOEXEC)
		return complain("the card can't execute '%s', and its shell says why above: build "
				"it for the card (make -C tools static CC=...); where files in "
				"/tmp may not be executed, set TMPDIR there",
				relay->recorder->path);
	if (status == CTL_SIGNAL + SIGILL)
		return complain("'%s' has instructions that the card lacks: build it with the "
				"card's compiler (make -C tools static CC=...); " PROGRAM " audit "
				"shows them",
				relay->recorder->path);
	return complain("the recorder on the card ended with %d before it answered: remove its "
			"directory there, and try again",
			status);
}

/* Act on a line of the shell; @line begins after the token */
static int take_line(struct relay *relay, char *line)
{
	char *rest = line + strcspn(line, " ");

	if (*rest)
		*rest++ = '\0';
	if (!strcmp(line, "hello"))
		return said_hello(relay, rest);
	if (!strcmp(line, "copy")) {
		relay->copying = xcopy(rest);
		queue_put(&relay->out, relay->recorder->image.data, relay->recorder->image.nr);
		return 0;
	}
	if (!strcmp(line, "terminal"))
		return complain("'%s' gives the card's side a terminal, which would change bytes: "
				"leave out -t",
				relay->text);
	if (!strcmp(line, "directory"))
		return complain("can't use %s on the card: it can't be made, or is not a directory "
				"of that user alone; remove it, or set TMPDIR there",
				rest);
	if (!strcmp(line, "full"))
		return complain("can't copy the recorder to %s on the card, %.1f MB: free space "
				"there, or set TMPDIR there",
				rest, relay->recorder->image.nr / 1e6);
	return tell_ended(relay, atoi(rest));
}

/* Lines without the token are output of the user's start files: ignore them */
int relay_lines(struct relay *relay)
{
	size_t length = strlen(relay->token);
	int status = 0;
	char *line, *end, *ours;

	while (!status && !relay->ready && relay->in.nr &&
	       (end = memchr(queue_at(&relay->in), '\n', relay->in.nr))) {
		*end = '\0';
		line = queue_at(&relay->in);
		/* strip the CR of a terminal's line ends */
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		ours = strstr(line, relay->token);
		/* the token of the card's side may follow a shell prompt */
		if (ours && ours[length] == ' ')
			status = take_line(relay, ours + length + 1);
		queue_take(&relay->in, end + 1 - line);
	}
	return status;
}

int relay_reap(struct relay *relay)
{
	int status;

	if (relay->to >= 0)
		close(relay->to);
	relay->to = -1;
	while (waitpid(relay->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? CTL_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int relay_failed(struct relay *relay)
{
	int status = relay_reap(relay);

	if (relay->copying)
		return complain("the connection ended while the recorder was copied ('%s' ended "
				"with %d): try again",
				relay->text, status);
	switch (status) {
	case CTL_NOCOMMAND:
		return complain("'%s sh' was not found: give --via a command that executes there "
				"what follows it, as in --via 'ssh mic0'",
				relay->text);
	case 255:
		return complain("'%s sh' ended with 255: if it is ssh, there is no connection, and "
				"ssh says why above; try it by itself: %s true",
				relay->text, relay->text);
	}
	return complain("'%s sh' ended with %d without an answer of the card's shell: it must "
			"execute sh there and pass on its standard input and output (knc-vm and "
			"docker exec need -i)",
			relay->text, status);
}
