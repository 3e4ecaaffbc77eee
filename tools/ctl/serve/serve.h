/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl serve share
 *
 *	serve.c		command line, the loop
 *	counts.c	sessions, and counts of each hardware thread, which never decrease
 *	text.c		the counts in the formats of Prometheus and OpenMetrics
 *	listen.c	the listening socket
 *	http.c		HTTP connections, with limits on their number, size and time
 *	textfile.c	a file for node_exporter
 */
#ifndef KNC_CTL_SERVE_H
#define KNC_CTL_SERVE_H

#include "serve/counts.h"

/* listen.c */

/* The path of an address unix:PATH; NULL for any other address */
const char *serve_unix_path(const char *address);
/* Listen at @address with *@fd; returns 0 or an exit status */
int serve_listen(const struct command *cmd, const char *address, int *fd);
void serve_unlisten(const char *address, int fd);

/* http.c */

/* Answer requests until a signal comes */
int serve_http(struct serve_counts *c, int listener, const char *card);

/* textfile.c */

/* Write the file every @seconds until a signal comes */
int serve_textfile(struct serve_counts *c, const char *path, unsigned int seconds,
		   const char *card);

#endif /* KNC_CTL_SERVE_H */
