// SPDX-License-Identifier: GPL-2.0
/* Where serve listens: a port of the loopback address, any other address, or a Unix socket */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/options.h"
#include "serve/serve.h"

#define UNIX		"unix:"
#define LOOPBACK	"127.0.0.1"
#define BACKLOG		16

const char *serve_unix_path(const char *address)
{
	return strncmp(address, UNIX, strlen(UNIX)) ? NULL : address + strlen(UNIX);
}

/* Does a server listen at the socket? A server that was killed leaves only the file */
static int is_in_use(const struct sockaddr_un *name)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ret = connect(fd, (const struct sockaddr *)name, sizeof(*name));
	int used = !ret || errno != ECONNREFUSED;

	close(fd);
	return used;
}

static int bind_unix(const struct command *cmd, const char *path, int *fd)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t old;
	int ret;

	if (!*path || strlen(path) >= sizeof(name.sun_path))
		return usage_error(cmd, "a Unix socket has a path of 1 to %zu bytes: unix:PATH",
				   sizeof(name.sun_path) - 1);
	strcpy(name.sun_path, path);
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode) && !is_in_use(&name))
		unlink(path);
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* connecting takes write permission: give it to the owner and the group only */
	old = umask(0117);
	ret = bind(*fd, (struct sockaddr *)&name, sizeof(name));
	umask(old);
	return ret;
}

/* @address: [ADDRESS:]PORT; an IPv6 address stands in brackets */
static int bind_port(const struct command *cmd, const char *address, int *fd)
{
	const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	char host[64] = LOOPBACK;
	unsigned int number;
	int is_six, one = 1;

	if (colon)
		snprintf(host, sizeof(host), "%.*s", (int)(colon - address), address);
	is_six = host[0] == '[' && host[strlen(host) - 1] == ']';
	if (is_six)
		host[strlen(host) - 1] = '\0';
	if (parse_whole(port, 1, 65535, &number) ||
	    !(is_six ? inet_pton(AF_INET6, host + 1, &six.sin6_addr) :
		       inet_pton(AF_INET, host, &four.sin_addr)))
		return usage_error(cmd,
				   "invalid address '%s': give PORT, ADDRESS:PORT with numbers, [ADDRESS]:PORT or unix:PATH",
				   address);
	six.sin6_port = htons(number);
	four.sin_port = htons(number);
	*fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* without it TIME_WAIT connections of an ended server would keep the port in use */
	setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return is_six ? bind(*fd, (struct sockaddr *)&six, sizeof(six)) :
			bind(*fd, (struct sockaddr *)&four, sizeof(four));
}

int serve_listen(const struct command *cmd, const char *address, int *fd)
{
	const char *path = serve_unix_path(address);
	int ret;

	*fd = -1;
	ret = path ? bind_unix(cmd, path, fd) : bind_port(cmd, address, fd);
	if (ret > 0)
		return ret;
	if (*fd >= 0 && !ret && !listen(*fd, BACKLOG))
		return 0;
	ret = errno;
	if (*fd >= 0)
		close(*fd);
	return complain("can't listen at %s: %s: is another server there? See --listen",
			address, strerror(ret));
}

void serve_unlisten(const char *address, int fd)
{
	const char *path = serve_unix_path(address);

	close(fd);
	if (path)
		unlink(path);
}
