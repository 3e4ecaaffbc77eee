/* SPDX-License-Identifier: GPL-2.0 */
/* A line on the terminal that says how far a long command is */
#ifndef KNC_CTL_PROGRESS_H
#define KNC_CTL_PROGRESS_H

/*
 * Show how much of @all bytes of a file is done, if there are many and standard error is a
 * terminal. @doing: "checking" or "reading"
 */
void progress(const char *doing, const char *path, unsigned long long done,
	      unsigned long long all);
/* Remove the line, before something else is printed */
void progress_end(void);

#endif /* KNC_CTL_PROGRESS_H */
