// SPDX-License-Identifier: GPL-2.0
/*
 * The connections of serve. It answers GET of one path, one request for each connection: scrapers
 * need no more, and an HTTP library would bring more to attack. A connection has MAX_REQUEST bytes
 * and MAX_SECONDS. If all places are taken, a new connection closes the oldest one.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/clock.h"
#include "serve/serve.h"
#include "top/signals.h"

#define MAX_CLIENTS	16
#define MAX_REQUEST	8192
#define MAX_SECONDS	5	/* from accept to the last byte of the answer */
#define TYPE_OPEN	"application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TYPE_TEXT	"text/plain; version=0.0.4; charset=utf-8"

/**
 * struct client - a connection
 * @fd: its socket; 0: this place is free
 * @until: when it is closed at the latest, ns
 * @request: the request as far as it was received
 * @got: bytes of @request
 * @answer: the answer; NULL: the request is not complete
 * @size: bytes of @answer
 * @sent: bytes of @answer that were sent
 */
struct client {
	int fd;
	unsigned long long until;
	char request[MAX_REQUEST];
	size_t got;
	char *answer;
	size_t size;
	size_t sent;
};

static struct client clients[MAX_CLIENTS];

static void hang_up(struct client *p)
{
	close(p->fd);
	free(p->answer);
	memset(p, 0, sizeof(*p));
}

/* Make the answer, a head and @body, for send_answer() */
static void answer(struct client *p, const char *status, const char *type, const char *body,
		   size_t size)
{
	char head[512];
	int n = snprintf(head, sizeof(head),
			 "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
			 "Allow: GET\r\nConnection: close\r\n\r\n", status, type, size);

	p->answer = malloc(n + size);
	if (!p->answer) {
		hang_up(p);
		return;
	}
	memcpy(p->answer, head, n);
	memcpy(p->answer + n, body, size);
	p->size = n + size;
}

static void refuse(struct client *p, const char *status)
{
	char body[80];

	snprintf(body, sizeof(body), "%s: the counts are at /metrics\n", status);
	answer(p, status, TYPE_TEXT, body, strlen(body));
}

static void answer_counts(struct client *p, struct serve_counts *c, const char *card)
{
	int openmetrics = !!strcasestr(p->request, "application/openmetrics-text");
	size_t size;
	char *text;

	serve_read(c);
	text = serve_text(c, openmetrics, card, &size);
	if (text)
		answer(p, "200 OK", openmetrics ? TYPE_OPEN : TYPE_TEXT, text, size);
	else
		refuse(p, "503 Service Unavailable");
	free(text);
}

/* Answer a request that is complete, or too long */
static void take_request(struct client *p, struct serve_counts *c, const char *card)
{
	char *path = p->request + strlen("GET "), *end;

	if (!strstr(p->request, "\r\n\r\n")) {
		refuse(p, "431 Request Header Fields Too Large");
		return;
	}
	end = strstr(p->request, "\r\n");
	*end = '\n';
	if (strncmp(p->request, "GET ", strlen("GET "))) {
		refuse(p, "405 Method Not Allowed");
		return;
	}
	path[strcspn(path, " ?\n")] = '\0';
	if (strcmp(path, "/metrics")) {
		refuse(p, "404 Not Found");
		return;
	}
	/*
	 * restore the blank that the NUL replaced, because answer_counts() searches the header
	 * fields too
	 */
	path[strlen(path)] = ' ';
	answer_counts(p, c, card);
}

static void receive(struct client *p, struct serve_counts *c, const char *card)
{
	ssize_t n = recv(p->fd, p->request + p->got, MAX_REQUEST - 1 - p->got, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(p);
		return;
	}
	p->got += n;
	/* a request with a NUL never looks complete, and is answered by 431 */
	if (strstr(p->request, "\r\n\r\n") || p->got == MAX_REQUEST - 1)
		take_request(p, c, card);
}

static void send_answer(struct client *p)
{
	ssize_t n = send(p->fd, p->answer + p->sent, p->size - p->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		p->sent += n;
	if (n > 0 && p->sent < p->size)
		return;
	/* close() alone could reset the connection before the client has the answer */
	shutdown(p->fd, SHUT_WR);
	hang_up(p);
}

/* Find a place for a new connection: a free one, or else close the oldest connection */
static struct client *place(void)
{
	struct client *oldest = clients, *p;

	for (p = clients; p < clients + MAX_CLIENTS; p++) {
		if (!p->fd)
			return p;
		if (p->until < oldest->until)
			oldest = p;
	}
	hang_up(oldest);
	return oldest;
}

static void take_client(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *p;

	if (fd < 0)
		return;
	p = place();
	p->fd = fd;
	p->until = now_ns() + MAX_SECONDS * NSEC_PER_SEC;
}

/* Fill @fds for poll(); returns the ms until a connection is too old, -1 without connections */
static int prepare(struct pollfd *fds)
{
	unsigned long long now = now_ns(), next = ~0ULL;
	struct client *p;

	for (p = clients; p < clients + MAX_CLIENTS; p++) {
		if (p->fd && p->until <= now)
			hang_up(p);
		fds[p - clients].fd = p->fd ? p->fd : -1;
		fds[p - clients].events = p->answer ? POLLOUT : POLLIN;
		fds[p - clients].revents = 0;
		if (p->fd && p->until < next)
			next = p->until;
	}
	return next == ~0ULL ? -1 : (int)((next - now) / NSEC_PER_MSEC) + 1;
}

int serve_http(struct serve_counts *c, int listener, const char *card)
{
	struct pollfd fds[MAX_CLIENTS + 2];
	struct client *p;
	int timeout;

	fds[MAX_CLIENTS] = (struct pollfd){ .fd = listener, .events = POLLIN };
	fds[MAX_CLIENTS + 1] = (struct pollfd){ .fd = top_signal_fd(), .events = POLLIN };
	while (!top_signal()) {
		timeout = prepare(fds);
		if (poll(fds, MAX_CLIENTS + 2, timeout) < 0)
			continue;
		for (p = clients; p < clients + MAX_CLIENTS; p++) {
			if (!p->fd || !fds[p - clients].revents)
				continue;
			if (p->answer)
				send_answer(p);
			else
				receive(p, c, card);
		}
		if (fds[MAX_CLIENTS].revents)
			take_client(listener);
	}
	for (p = clients; p < clients + MAX_CLIENTS; p++) {
		if (p->fd)
			hang_up(p);
	}
	return CTL_OK;
}
