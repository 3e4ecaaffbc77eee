/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_BUG_H
#define STUB_ASM_BUG_H

#define BUG() __builtin_trap()
#define BUG_ON(condition) \
	do { if (condition) BUG(); } while (0)
#define WARN_ON(condition) ({ int __warn = !!(condition); \
	if (__warn) __builtin_trap(); __warn; })
#define WARN_ON_ONCE(condition) WARN_ON(condition)

#endif /* STUB_ASM_BUG_H */
