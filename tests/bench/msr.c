// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of register accesses as by rdmsr and wrmsr, in executed guest instructions: the kernel's
 * /dev/cpu/0/msr, one register a call. No task is followed, and no counter reserved.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <knc/regs.h>

#include "measure.h"

#define DEVICE	"/dev/cpu/0/msr"

static int fd = -1;
static unsigned int nr_opened;

static long write_msr(unsigned int reg, unsigned long long value)
{
	register long offset __asm__("r10") = reg;
	long ret;

	__asm__ volatile("syscall" : "=a" (ret)
			 : "0" (SYS_pwrite64), "D" (fd), "S" (&value), "d" (8), "r" (offset)
			 : "rcx", "r11", "memory");
	return ret == 8 ? 0 : ret;
}

static long read_msr(unsigned int reg, unsigned long long *value)
{
	register long offset __asm__("r10") = reg;
	long ret;

	__asm__ volatile("syscall" : "=a" (ret)
			 : "0" (SYS_pread64), "D" (fd), "S" (value), "d" (8), "r" (offset)
			 : "rcx", "r11", "memory");
	return ret == 8 ? 0 : ret;
}

/* CPU_CLK_UNHALTED and INSTRUCTIONS_EXECUTED, as in cost.c */
static const unsigned int events[2] = { 0x2a, 0x16 };

static long program(unsigned int i)
{
	return write_msr(KNC_IA32_PERFEVTSEL(i), events[i] | KNC_EVTSEL_USR | KNC_EVTSEL_OS |
			 KNC_EVTSEL_EN) ?: write_msr(KNC_IA32_PERFCNTR(i), 0);
}

static long work_open(void)
{
	unsigned int i;
	long ret;

	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (i = 0, ret = 0; i < nr_opened && !ret; i++)
		ret = program(i);
	for (i = 0; i < nr_opened && !ret; i++)
		ret = write_msr(KNC_IA32_PERFEVTSEL(i), 0);
	close(fd);
	return ret;
}

static long work_start_stop(void)
{
	return write_msr(KNC_IA32_PERF_GLOBAL_CTRL, KNC_GLOBAL_CNTRS) ?:
	       write_msr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
}

static long work_read(void)
{
	unsigned long long count;
	unsigned int i;
	long ret = 0;

	for (i = 0; i < nr_opened && !ret; i++) {
		ret = read_msr(KNC_IA32_PERFCNTR(i), &count);
		use(count);
	}
	return ret;
}

static void show_own(unsigned int nr)
{
	unsigned long long before, after;
	unsigned int i;

	nr_opened = nr;
	show("thread.open.%d", nr, cost_of_few("open to close", work_open));
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(DEVICE);
	for (i = 0; i < nr; i++)
		if (program(i))
			die("an event select");
	show("thread.start-stop.%d", nr, cost("write, write", work_start_stop));
	show("thread.read-stopped.%d", nr, cost("read", work_read));
	if (write_msr(KNC_IA32_PERF_GLOBAL_CTRL, KNC_GLOBAL_CNTRS) ||
	    read_msr(KNC_IA32_PERFCNTR0, &before))
		die("start");
	show("thread.read.%d", nr, cost("read", work_read));
	if (read_msr(KNC_IA32_PERFCNTR0, &after) || after == before) {
		errno = ENODATA;
		die("it counted nothing");
	}
	for (i = 0; i < nr; i++)
		write_msr(KNC_IA32_PERFEVTSEL(i), 0);
	write_msr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	close(fd);
}

int main(int argc, char **argv)
{
	/* what an ordinary user may do */
	if (!strcmp(begin(argc, argv), "task")) {
		if (open(DEVICE, O_RDONLY) < 0)
			show_refused("task.open.1", errno);
		return 0;
	}
	show_own(1);
	show_own(2);
	return 0;
}
