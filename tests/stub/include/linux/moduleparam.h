/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MODULEPARAM_H
#define STUB_LINUX_MODULEPARAM_H

#include <linux/init.h>
#include <linux/stringify.h>
#include <linux/kernel.h>

#define KBUILD_MODNAME "knc_pmu"

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *val, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
	void (*free)(void *arg);
};

struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	u16 perm;
	u16 flags;
	void *arg;
};

extern struct kernel_param_ops param_ops_charp;
extern struct kernel_param_ops param_ops_bool;

#define __module_info2(tag, line, text) \
	static const char __info_##tag##line[] __used = text
#define __module_info1(tag, line, text) __module_info2(tag, line, text)
#define MODULE_INFO(tag, text) __module_info1(tag, __LINE__, text)
#define MODULE_PARM_DESC(name, text) MODULE_INFO(parm, text)
#define module_param_cb(_name, _ops, _arg, _perm)			\
	static const struct kernel_param __param_##_name __used = {	\
		.name = #_name, .ops = (_ops), .perm = (_perm), .arg = (_arg) }
#define module_param_named(name, value, type, perm) \
	module_param_cb(name, &param_ops_##type, &value, perm)
#define module_param(name, type, perm) \
	module_param_named(name, name, type, perm)

#endif /* STUB_LINUX_MODULEPARAM_H */
