/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* For programs that include LIKWID's file of this name for its markers; it has nothing else */
#ifndef LIKWID_H
#define LIKWID_H

#include "likwid-marker.h"

#endif /* LIKWID_H */
