/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* For programs that include <likwid.h> for LIKWID's markers; the library's functions are missing */
#ifndef LIKWID_H
#define LIKWID_H

#include "likwid-marker.h"

#endif /* LIKWID_H */
