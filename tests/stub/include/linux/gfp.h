/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_GFP_H
#define STUB_LINUX_GFP_H

#include <linux/types.h>

#define __GFP_HIGHMEM 0x02u
#define __GFP_WAIT 0x10u
#define __GFP_HIGH 0x20u
#define __GFP_IO 0x40u
#define __GFP_FS 0x80u
#define __GFP_NOWARN 0x200u
#define __GFP_ZERO 0x8000u
#define GFP_KERNEL (__GFP_WAIT | __GFP_IO | __GFP_FS)
#define GFP_ATOMIC __GFP_HIGH

#endif /* STUB_LINUX_GFP_H */
