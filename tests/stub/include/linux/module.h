/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MODULE_H
#define STUB_LINUX_MODULE_H

#include <linux/list.h>
#include <linux/compiler.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/stringify.h>
#include <linux/moduleparam.h>
#include <linux/tracepoint.h>
#include <linux/percpu.h>

struct module;

extern struct module __this_module;
extern struct tracepoint __tracepoint_module_get;
extern void module_put(struct module *module);

#define THIS_MODULE (&__this_module)

static inline void __module_get(struct module *module)
{
	if (__tracepoint_module_get.state)
		barrier();
}

#define module_init(fn) \
	int init_module(void) __attribute__((alias(#fn)))
#define module_exit(fn) \
	void cleanup_module(void) __attribute__((alias(#fn)))
#define MODULE_GENERIC_TABLE(gtype, name) \
	extern const struct gtype##_id __mod_##gtype##_table \
		__attribute__((unused, alias(#name)))
#define MODULE_DEVICE_TABLE(type, name) MODULE_GENERIC_TABLE(type##_device, name)
#define MODULE_LICENSE(text) MODULE_INFO(license, text)
#define MODULE_AUTHOR(text) MODULE_INFO(author, text)
#define MODULE_DESCRIPTION(text) MODULE_INFO(description, text)
#define MODULE_VERSION(text) MODULE_INFO(version, text)

#endif /* STUB_LINUX_MODULE_H */
