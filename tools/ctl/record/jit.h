/* SPDX-License-Identifier: GPL-2.0 */
/* Names of code that is made at run time */
#ifndef KNC_CTL_RECORD_JIT_H
#define KNC_CTL_RECORD_JIT_H

#include <time.h>

#include "record/buffer.h"

/*
 * Note that a process has an executable mapping of this name, which may be run-time code or its
 * dump
 */
void jit_note(int pid, const char *path);
/* Write the names of run-time code; @recorded: when the recording began, s since 1970 */
void jit_write(struct sideband *sb, time_t recorded);
void jit_free(void);

#endif /* KNC_CTL_RECORD_JIT_H */
