/* SPDX-License-Identifier: GPL-2.0 */
/* The file that a command reads: a recording, or an output of stat */
#ifndef KNC_CTL_INPUT_H
#define KNC_CTL_INPUT_H

/*
 * Open a file. The contents of a pipe, which can't be read twice, are copied to a temporary file.
 * Returns the descriptor of a seekable file, or -1 after a message.
 */
int input_open(const char *path);

/* Does the file begin with @text? */
int input_begins(int fd, const char *text);

#endif /* KNC_CTL_INPUT_H */
