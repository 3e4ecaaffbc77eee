/* SPDX-License-Identifier: GPL-2.0 */
/* How an interrupted run is continued */
#ifndef KNC_CTL_SELFTEST_JOURNAL_H
#define KNC_CTL_SELFTEST_JOURNAL_H

#include "selftest/selftest.h"

/* journal.c */
/* Continue an interrupted run, if @path belongs to this kernel and module */
struct journal *journal_open(struct selftest *t, const char *path, int restart);
void journal_begin(struct journal *journal, const struct check *check);
void journal_end(struct journal *journal, const struct check *check, const struct outcome *outcome);
/* The report is written: remove the journal */
void journal_remove(struct journal *journal);

#endif /* KNC_CTL_SELFTEST_JOURNAL_H */
