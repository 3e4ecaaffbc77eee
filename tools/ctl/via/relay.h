/* SPDX-License-Identifier: GPL-2.0 */
/* The relay of --via: its process, and the dialog with the shell on the card */
#ifndef KNC_CTL_RELAY_H
#define KNC_CTL_RELAY_H

#include <sys/types.h>

#include "via/recorder.h"

/**
 * struct relay - a command that is connected to a shell on the card
 * @text: the command, as the user typed it
 * @pid: its process
 * @to: its standard input; -1: closed
 * @from: its standard output
 * @mask: the signal mask for it
 * @token: the word that begins lines of ours
 * @recorder: what runs on the card
 * @out: bytes for the card
 * @in: bytes from the card
 * @copying: while the recorder is copied, its directory on the card; else NULL
 * @ready: the card's side waits for FRAME_START
 */
struct relay {
	const char *text;
	pid_t pid;
	int to;
	int from;
	const sigset_t *mask;
	char token[33];
	struct recorder *recorder;
	struct queue out;
	struct queue in;
	char *copying;
	int ready;
};

/* Start the relay, and queue the script for the shell; returns an exit status */
int relay_start(struct relay *relay, const char *text, struct recorder *recorder,
		const sigset_t *mask);
/* Read lines until the card's side is ready; returns an exit status after a message */
int relay_lines(struct relay *relay);
/* Wait for a relay whose side on the card was never ready, and say what went wrong */
int relay_failed(struct relay *relay);
int relay_reap(struct relay *relay);

#endif /* KNC_CTL_RELAY_H */
