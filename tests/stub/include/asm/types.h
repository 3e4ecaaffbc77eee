/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_TYPES_H
#define STUB_ASM_TYPES_H

#include <linux/types.h>

#endif /* STUB_ASM_TYPES_H */
