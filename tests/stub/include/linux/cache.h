/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_CACHE_H
#define STUB_LINUX_CACHE_H

#define __read_mostly

#endif /* STUB_LINUX_CACHE_H */
