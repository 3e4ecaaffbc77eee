/* SPDX-License-Identifier: GPL-2.0 */
/* Checksums of data files */
#ifndef KNC_CTL_CRC_H
#define KNC_CTL_CRC_H

#include <linux/types.h>
#include <stddef.h>

/* zlib's CRC-32; @crc: the sum of the bytes before @data, 0 if there are none */
__u32 add_crc(__u32 crc, const void *data, size_t size);

#endif /* KNC_CTL_CRC_H */
