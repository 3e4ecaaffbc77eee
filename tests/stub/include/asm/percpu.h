/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_PERCPU_H
#define STUB_ASM_PERCPU_H

#include <linux/compiler.h>

extern unsigned long __per_cpu_offset[];
extern unsigned long this_cpu_off;

#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define DEFINE_PER_CPU(type, name) \
	__attribute__((section(".data..percpu"))) __typeof__(type) name
#define per_cpu_ptr(ptr, cpu) \
	((typeof(ptr))((char *)(ptr) + __per_cpu_offset[cpu]))
#define per_cpu(var, cpu) (*per_cpu_ptr(&(var), cpu))
#define this_cpu_ptr(ptr) ((typeof(ptr))((char *)(ptr) + this_cpu_off))
#define this_cpu_read(pcp) (*(volatile typeof(pcp) *)&(pcp))
#define this_cpu_write(pcp, val) ((void)((pcp) = (val)))
#define __this_cpu_write(pcp, val) this_cpu_write(pcp, val)

#endif /* STUB_ASM_PERCPU_H */
