/* SPDX-License-Identifier: GPL-2.0 */
/* How a run that was cut off goes on */
#ifndef KNC_CTL_SELFTEST_JOURNAL_H
#define KNC_CTL_SELFTEST_JOURNAL_H

#include "selftest/selftest.h"

/* journal.c */
/* Go on where an earlier run was cut off, if @path is of this kernel and module */
struct journal *journal_open(struct selftest *t, const char *path, int restart);
void journal_begin(struct journal *journal, const struct check *check);
void journal_end(struct journal *journal, const struct check *check, const struct outcome *outcome);
/* The report is written: the journal is not needed any more */
void journal_remove(struct journal *journal);

#endif /* KNC_CTL_SELFTEST_JOURNAL_H */
