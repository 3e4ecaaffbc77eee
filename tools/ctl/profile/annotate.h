/* SPDX-License-Identifier: GPL-2.0 */
/* A function, instruction by instruction */
#ifndef KNC_CTL_ANNOTATE_H
#define KNC_CTL_ANNOTATE_H

#include <stdio.h>

#include "profile/profile.h"

struct annotation;

/* @symbol: the name of a function, or a part of it (match.h) */
struct annotation *annotation_new(const struct profile *p, const char *symbol);
void annotation_add(struct annotation *a, const struct sample *sample);
/* Returns 0, or an exit status after a message */
int annotation_print(struct annotation *a, FILE *f);
void annotation_free(struct annotation *a);

#endif /* KNC_CTL_ANNOTATE_H */
