/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_PROCESSOR_H
#define STUB_ASM_PROCESSOR_H

#include <linux/threads.h>
#include <linux/types.h>
#include <asm/ptrace.h>
#include <asm/current.h>
#include <asm/system.h>
#include <asm/page.h>
#include <asm/percpu.h>

#define X86_VENDOR_INTEL 0
#define TASK_SIZE_MAX ((1UL << 47) - PAGE_SIZE)
#define TASK_SIZE TASK_SIZE_MAX

struct cpuinfo_x86 {
	__u8 x86;
	__u8 x86_vendor;
	__u8 x86_model;
	__u32 x86_capability[10];
	char x86_vendor_id[16];
};

struct thread_struct {
	unsigned long sp0;
};

extern struct cpuinfo_x86 boot_cpu_data;

#define task_pt_regs(tsk) ((struct pt_regs *)(tsk)->thread.sp0 - 1)
#define cpu_relax() barrier()

#endif /* STUB_ASM_PROCESSOR_H */
