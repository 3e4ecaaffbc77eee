/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_PERCPU_H
#define STUB_LINUX_PERCPU_H

#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/cpumask.h>
#include <asm/percpu.h>

#endif /* STUB_LINUX_PERCPU_H */
