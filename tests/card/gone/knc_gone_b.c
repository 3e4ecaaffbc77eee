// SPDX-License-Identifier: GPL-2.0
/* See burn.h */
#define BURN knc_burn_b
#include "burn.h"
