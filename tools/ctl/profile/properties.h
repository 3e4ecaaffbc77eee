/* SPDX-License-Identifier: GPL-2.0 */
/* The properties of a recording */
#ifndef KNC_CTL_PROFILE_PROPERTIES_H
#define KNC_CTL_PROFILE_PROPERTIES_H

#include "json/value.h"

struct data_file;

/* A number in an object; a missing or negative one is 0 */
unsigned long long data_member(const json_t *object, const char *key);
/* Members of DATA_INFO; a missing string is "unknown", a missing number 0 */
const char *data_text(const struct data_file *f, const char *key);
unsigned long long data_number(const struct data_file *f, const char *key);
/* CLOCK_MONOTONIC when the recording ended, ns; 0: it was cut off */
unsigned long long data_ended(const struct data_file *f);
/* Was the file recorded on this machine, since it was last booted? */
int data_same_boot(const struct data_file *f);
/* The command with its arguments; NULL: there was none */
const char *data_command(const struct data_file *f);

#endif /* KNC_CTL_PROFILE_PROPERTIES_H */
