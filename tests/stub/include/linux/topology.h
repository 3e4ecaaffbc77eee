/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_TOPOLOGY_H
#define STUB_LINUX_TOPOLOGY_H

#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/percpu.h>
#include <asm/topology.h>

#endif /* STUB_LINUX_TOPOLOGY_H */
