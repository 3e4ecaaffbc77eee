/* SPDX-License-Identifier: GPL-2.0 */
/* The file that a command reads: a recording, or an output of stat */
#ifndef KNC_CTL_INPUT_H
#define KNC_CTL_INPUT_H

/*
 * Open a file, once: a pipe can't be read again. What comes from a pipe is copied to a temporary
 * file. Returns its descriptor, or -1 after a message.
 */
int input_open(const char *path);

/* Does the file begin with @text? */
int input_begins(int fd, const char *text);

#endif /* KNC_CTL_INPUT_H */
