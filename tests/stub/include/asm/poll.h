/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_POLL_H
#define STUB_ASM_POLL_H

#define POLLIN 0x0001
#define POLLERR 0x0008
#define POLLHUP 0x0010
#define POLLRDNORM 0x0040

#endif /* STUB_ASM_POLL_H */
