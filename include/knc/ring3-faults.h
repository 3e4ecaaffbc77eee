/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The handler of SIGSEGV and SIGILL for ring3.h, the only file that includes this. If RDPMC, SPFLT
 * or DELAY fault, on another CPU or without permission, it skips them: RDPMC reads 0. The thread's
 * pages are replaced, so that knc_read() uses READ. All other faults go to the program's handler.
 */
#ifndef KNC_RING3_FAULTS_H
#define KNC_RING3_FAULTS_H

#define KNC_R3_SIGILL		4
#define KNC_R3_SIGSEGV		11
#define KNC_R3_SI_KERNEL	0x80	/* #GP, no page fault */
/* Indices of registers in the array gregs, at byte 40 of Linux's ucontext of x86-64 */
#define KNC_R3_RDX		12
#define KNC_R3_RAX		13
#define KNC_R3_RIP		16
/* The handler blocks signals 63 and 64: copies of this header recognize each other by this mask */
#define KNC_R3_MARK		0xc000000000000000UL

/* The kernel's struct sigaction: strict C89 does not declare libc's */
struct knc_r3_sigaction {
	void (*handler)(int sig, int *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

/* A mapped page, which the handler of SIGSEGV replaces if RDPMC is refused */
struct knc_r3_map {
	struct knc_r3_map *next;
	int used;
	const void *volatile thread;	/* the only one that reads @page */
	void *volatile page;		/* NULL: none */
};

/* no warning of clang and gcc 14 that the variables below have no declaration */
#if defined(__clang__) || (__GNUC__ >= 14 && !defined(__cplusplus))
#define KNC_R3_NO_WARNING						\
	_Pragma("GCC diagnostic push")					\
	_Pragma("GCC diagnostic ignored \"-Wmissing-variable-declarations\"")
#define KNC_R3_WARNING		_Pragma("GCC diagnostic pop")
#else
#define KNC_R3_NO_WARNING
#define KNC_R3_WARNING
#endif

/* What all files of a program, or of a shared library, share */
struct knc_r3_state {
	int once;			/* knc_ring3_init() was called */
	int status;			/* KNC_RING3_* */
	int caught;			/* SIGSEGV has our handler */
	volatile unsigned long faults;	/* instructions skipped */
	unsigned long handler;		/* the address of knc_r3_fault() of one of the files */
	struct knc_r3_sigaction old_segv, old_ill;
	struct knc_r3_map *maps;
	void (*leave_regions)(void);	/* for this thread; NULL: no region was visited */
};

KNC_R3_NO_WARNING
KNC_R3_SHARED struct knc_r3_state knc_r3_shared = {
	0, KNC_RING3_NO_INIT, 0, 0, 0, { NULL, 0, NULL, 0 }, { NULL, 0, NULL, 0 }, NULL, NULL
};

/* A struct knc_self without a page uses this; @seq is odd, so that READ is used */
KNC_R3_SHARED struct knc_pmu_page knc_r3_no_page = {
	1, 0, 0, 0, 0, 0, { 0 }, { 0 }
};
KNC_R3_WARNING

/* A value that is unique for each thread: the x86-64 ABI has it at %fs:0 */
KNC_R3_INLINE const void *knc_r3_this_thread(void)
{
	const void *thread;

	__asm__("mov %%fs:0, %0" : "=r" (thread));
	return thread;
}

/* Take an unused entry, or a new one. Lock-free, as entries are never freed. */
KNC_R3_OUT struct knc_r3_map *knc_r3_map_get(void)
{
	struct knc_r3_map *m;

	for (m = knc_r3_shared.maps; m; m = m->next)
		if (!m->used && __sync_bool_compare_and_swap(&m->used, 0, 1))
			return m;
	m = (struct knc_r3_map *)calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->used = 1;
	do {
		m->next = knc_r3_shared.maps;
	} while (!__sync_bool_compare_and_swap(&knc_r3_shared.maps, m->next, m));
	return m;
}

/*
 * RDPMC was refused to this thread: its readings use READ from now on. Memory with an odd @seq
 * replaces each of its pages. knc_read() finds that @seq has changed, and repeats the reading.
 */
KNC_R3_COLD void knc_r3_drop_pages(void)
{
	const void *thread = knc_r3_this_thread();
	int error = errno;
	struct knc_r3_map *m;
	void *page;

	for (m = knc_r3_shared.maps; m; m = m->next) {
		page = m->page;
		if (!page || m->thread != thread)
			continue;
		/* 0x20: MAP_ANONYMOUS, which strict C89 does not declare */
		page = mmap(page, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_FIXED | 0x20, -1, 0);
		if (page != MAP_FAILED)
			((struct knc_pmu_page *)page)->seq = 1;
	}
	errno = error;
}

/* A system call of Linux: the kernel ignores arguments that the call does not have */
KNC_R3_OUT long knc_r3_syscall(long nr, long a, long b, long c)
{
	/* rt_sigaction's size of the mask */
	register long d __asm__("r10") = 8;
	long ret;

	__asm__ __volatile__("syscall" : "=a" (ret)
			     : "0" (nr), "D" (a), "S" (b), "d" (c), "r" (d)
			     : "rcx", "r11", "memory");
	return ret;
}

KNC_R3_OUT long knc_r3_sigaction(int sig, const struct knc_r3_sigaction *to,
				 struct knc_r3_sigaction *from)
{
	/* rt_sigaction is 13 */
	return knc_r3_syscall(13, sig, (long)to, (long)from);
}

/* Bytes of a SPFLT or DELAY of this header, or 0 */
KNC_R3_INLINE int knc_r3_is_vex(const unsigned char *insn)
{
	return insn[0] == 0xc5 &&
	       (insn[1] == (0xf8 | KNC_VEX_PP_F2) ||
		insn[1] == (0xf8 | KNC_VEX_PP_F3)) &&
	       insn[2] == KNC_OPC_SPFLT_DELAY &&
	       insn[3] == (0xc0 | KNC_OPC_SPFLT_DELAY_REG << 3) ? 4 : 0;
}

/* Send a signal to the calling thread. */
KNC_R3_OUT void knc_r3_send(int sig)
{
	/* getpid, gettid and tgkill are 39, 186 and 234 */
	long process = knc_r3_syscall(39, 0, 0, 0);
	long thread = knc_r3_syscall(186, 0, 0, 0);

	knc_r3_syscall(234, process, thread, sig);
}

/*
 * A signal for the program: call its handler, or restore the default and let the fault repeat. A
 * signal that was sent (si_code is not positive) does not repeat, and is sent again.
 */
KNC_R3_OUT void knc_r3_pass_on(int sig, int *info, void *context)
{
	struct knc_r3_sigaction *old =
		sig == KNC_R3_SIGILL ? &knc_r3_shared.old_ill : &knc_r3_shared.old_segv;
	int sent = info[2] <= 0;

	/* neither SIG_DFL nor SIG_IGN */
	if ((unsigned long)old->handler > 1) {
		old->handler(sig, info, context);
		return;
	}
	/* SIG_IGN */
	if (sent && old->handler)
		return;
	knc_r3_sigaction(sig, old, NULL);
	if (sent)
		knc_r3_send(sig);
}

/* This thread can't execute RDPMC any more, if it ever could */
KNC_R3_OUT void knc_r3_refused(void)
{
	knc_r3_drop_pages();
	if (knc_r3_shared.status == KNC_RING3_OK)
		knc_r3_shared.status = KNC_RING3_NO_RDPMC;
	if (knc_r3_shared.leave_regions)
		knc_r3_shared.leave_regions();
}

/* Skip the instruction: RDPMC (2 bytes) reads 0, SPFLT and DELAY do nothing */
KNC_R3_OUT void knc_r3_step_over(unsigned long *regs, int length)
{
	regs[KNC_R3_RIP] += length;
	if (length != 2)
		return;
	regs[KNC_R3_RAX] = 0;
	regs[KNC_R3_RDX] = 0;
}

/* The handler of SIGSEGV and SIGILL; @info is the siginfo_t, as numbers of 32 bits */
KNC_R3_OUT void knc_r3_fault(int sig, int *info, void *context)
{
	const struct knc_r3_sigaction *old =
		sig == KNC_R3_SIGILL ? &knc_r3_shared.old_ill : &knc_r3_shared.old_segv;
	unsigned long *regs = (unsigned long *)((char *)context + 40);
	const unsigned char *insn = (const unsigned char *)regs[KNC_R3_RIP];
	int length = 0;

	if (sig == KNC_R3_SIGILL)
		length = knc_r3_is_vex(insn);
	else if (info[2] == KNC_R3_SI_KERNEL && insn[0] == 0x0f &&
		 insn[1] == 0x33)
		length = 2;
	if (!length) {
		knc_r3_pass_on(sig, info, context);
		return;
	}
	if (length == 2)
		knc_r3_refused();
	knc_r3_shared.faults = knc_r3_shared.faults + 1;
	/* a library, or the program, has a copy of this header too, and may have pages */
	if (old->mask == KNC_R3_MARK)
		old->handler(sig, info, context);
	else
		knc_r3_step_over(regs, length);
}

/* Install the handler of signal @sig; the one that was there goes to @old */
KNC_R3_OUT void knc_r3_catch(int sig, struct knc_r3_sigaction *old)
{
	struct knc_r3_sigaction to, was;

	/* each file has a copy of the handler: all install the same one, to be recognized below */
	(void)__sync_bool_compare_and_swap(&knc_r3_shared.handler, 0UL,
					   (unsigned long)knc_r3_fault);
	to.handler = (void (*)(int sig, int *info, void *context))knc_r3_shared.handler;
	/* SA_SIGINFO, SA_ONSTACK, SA_RESTORER, SA_NODEFER */
	to.flags = 0x4UL | 0x08000000UL | 0x04000000UL | 0x40000000UL;
	to.mask = KNC_R3_MARK;
	/* rt_sigreturn is system call 15 */
	__asm__ __volatile__("lea 1f(%%rip), %0\n\t"
			     "jmp 2f\n"
			     "1:\tmov $15, %%eax\n\t"
			     "syscall\n"
			     "2:" : "=r" (to.restorer));
	knc_r3_sigaction(sig, &to, &was);
	/* another thread may have installed our handler just now, and written @old */
	if (was.handler != to.handler)
		*old = was;
}

/* Install our SIGSEGV handler only once: one that the program installs later stays */
KNC_R3_OUT void knc_r3_catch_segv(void)
{
	if (knc_r3_shared.caught)
		return;
	knc_r3_catch(KNC_R3_SIGSEGV, &knc_r3_shared.old_segv);
	knc_r3_shared.caught = 1;
}

/* Map the page of session @fd for this thread; -ENODEV: its counters do not have @width bits */
KNC_R3_OUT int knc_r3_map_page(int fd, unsigned int width, const struct knc_pmu_page **out)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd,
			  __extension__ KNC_PMU_PAGE_OFFSET);
	struct knc_r3_map *m;
	int err = errno;

	if (page == MAP_FAILED)
		return -err;
	if (width && ((const struct knc_pmu_page *)page)->width != width) {
		munmap(page, size);
		return -ENODEV;
	}
	m = knc_r3_map_get();
	if (!m) {
		munmap(page, size);
		return -ENOMEM;
	}
	knc_r3_catch_segv();
	m->thread = knc_r3_this_thread();
	m->page = page;
	*out = (const struct knc_pmu_page *)page;
	return 0;
}

KNC_R3_OUT void knc_r3_unmap_page(const void *page)
{
	struct knc_r3_map *m;

	for (m = knc_r3_shared.maps; m; m = m->next) {
		if (m->page != page)
			continue;
		m->page = NULL;
		__sync_lock_release(&m->used);
		break;
	}
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/* Is this CPU a Knights Corner? */
KNC_R3_OUT int knc_r3_is_knc(void)
{
	unsigned int a, b, c, d;

	/* 0: the highest leaf and "GenuineIntel" */
	__asm__ __volatile__("cpuid" : "=a" (a), "=b" (b), "=c" (c), "=d" (d)
			     : "0" (0), "2" (0));
	if (!a || b != 0x756e6547 || d != 0x49656e69 || c != 0x6c65746e)
		return 0;
	__asm__ __volatile__("cpuid" : "=a" (a), "=b" (b), "=c" (c), "=d" (d)
			     : "0" (1), "2" (0));
	(void)b, (void)c, (void)d;
	return ((a >> 8) & 0xf) == KNC_CPU_FAMILY &&
	       ((a >> 4) & 0xf) == KNC_CPU_MODEL;
}

/* May this thread execute RDPMC? Try it */
KNC_R3_OUT int knc_r3_permitted(void)
{
	unsigned long faults = knc_r3_shared.faults;

	knc_rdpmc(0);
	return knc_r3_shared.faults == faults;
}

#endif /* KNC_RING3_FAULTS_H */
