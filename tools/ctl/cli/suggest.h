/* SPDX-License-Identifier: GPL-2.0 */
/* "did you mean": names similar to a misspelt one */
#ifndef KNC_CTL_SUGGEST_H
#define KNC_CTL_SUGGEST_H

#include <kncpmu.h>
#include <names.h>

/*
 * "did you mean A, B or C?" with the best names of @near; without names @otherwise. Valid until the
 * next call
 */
const char *suggest(const struct kncpmu_near *near, const char *otherwise);

/* As suggest(), with @prefix before each name; NULL if there is no name */
const char *suggest_prefixed(const struct kncpmu_near *near, const char *prefix);

#endif /* KNC_CTL_SUGGEST_H */
