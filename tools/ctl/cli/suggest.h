/* SPDX-License-Identifier: GPL-2.0 */
/* "did you mean": names similar to a misspelt one */
#ifndef KNC_CTL_SUGGEST_H
#define KNC_CTL_SUGGEST_H

#include <getopt.h>

#include <kncpmu.h>

/* "did you mean A, B or C?" of the best names of @near, until the next call; none: @otherwise */
const char *suggest(const struct kncpmu_near *near, const char *otherwise);

/* The same of the long options; @name: without dashes. None is similar: NULL */
const char *suggest_option(const char *name, const struct option *longs);

#endif /* KNC_CTL_SUGGEST_H */
