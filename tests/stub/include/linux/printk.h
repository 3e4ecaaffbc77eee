/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_PRINTK_H
#define STUB_LINUX_PRINTK_H

extern int printk(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

#define KERN_ERR "<3>"
#define KERN_WARNING "<4>"

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif

#define pr_err(fmt, ...) printk(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warning(fmt, ...) printk(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn pr_warning

#endif /* STUB_LINUX_PRINTK_H */
