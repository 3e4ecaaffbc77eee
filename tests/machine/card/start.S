/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bare-metal test of the emulated card: from multiboot to C in 64-bit mode,
 * the way into the other threads, exceptions and the way to ring 3 and back.
 */
#define CODE	0x08
#define DATA	0x10
#define CODE32	0x18
#define UDATA	0x20
#define UCODE	0x28
#define TSS	0x30

	.section .multiboot, "a"
	.align 4
	.long 0x1badb002, 0, -0x1badb002

	.text
	.code32
	.globl start
start:
	mov $stack_top, %esp
	mov %ebx, multiboot_info
	/* identity map of 4 GB in pages of 2 MB, accessible to ring 3 */
	mov $pd, %edi
	mov $0x87, %eax
	mov $2048, %ecx
1:	mov %eax, (%edi)
	movl $0, 4(%edi)
	add $0x200000, %eax
	add $8, %edi
	loop 1b
	call long_mode
	ljmp $CODE, $start64

/* Paging and long mode on; returns still in 32-bit code */
long_mode:
	mov $pml4, %eax
	mov %eax, %cr3
	mov %cr4, %eax
	or $0x20, %eax			/* PAE */
	mov %eax, %cr4
	mov $0xc0000080, %ecx
	rdmsr
	or $0x101, %eax			/* LME, SCE */
	wrmsr
	mov %cr0, %eax
	or $0x80010000, %eax		/* PG, WP */
	mov %eax, %cr0
	lgdt gdt_ptr
	ret

	.code64
start64:
	mov $DATA, %eax
	mov %eax, %ds
	mov %eax, %es
	mov %eax, %ss
	mov $tss, %eax
	mov %ax, tss_lo
	shr $16, %eax
	mov %al, tss_mi
	mov $TSS, %eax
	ltr %ax
	call main
1:	hlt
	jmp 1b

/* The other threads start here in real mode: copied to 0x8000 */
	.code16
	.globl ap_start, ap_end
ap_start:
	cli
	lgdtl %cs:ap_gdt_ptr - ap_start
	mov %cr0, %eax
	or $1, %eax
	mov %eax, %cr0
	ljmpl $CODE32, $ap32
ap_gdt_ptr:
	.word gdt_end - gdt - 1
	.long gdt
ap_end:

	.code32
ap32:
	mov $DATA, %eax
	mov %eax, %ds
	mov %eax, %es
	mov %eax, %ss
	/* its own stack, by local APIC id */
	mov 0xfee00020, %eax
	shr $24, %eax
	shl $13, %eax
	lea ap_stacks + 0x2000(%eax), %esp
	call long_mode
	ljmp $CODE, $1f
	.code64
1:	lidt idt_ptr
	call ap_main
1:	cli
	hlt
	jmp 1b

/* Exceptions and interrupts */
	.macro STUB n
	.align 16
	.if !((\n >= 10 && \n <= 14) || \n == 8 || \n == 17)
	push $0
	.endif
	push $\n
	jmp common
	.endm

	.globl stubs
	.align 16
stubs:
	.set n, 0
	.rept 256
	.if n < 0x20 || n == 0x40 || n == 0x41 || n == 0xff
	STUB n
	.else
	.align 16
	iretq
	.endif
	.set n, n + 1
	.endr

common:
	push %r15
	push %r14
	push %r13
	push %r12
	push %r11
	push %r10
	push %r9
	push %r8
	push %rbp
	push %rdi
	push %rsi
	push %rdx
	push %rcx
	push %rbx
	push %rax
	mov %rsp, %rdi
	mov %rsp, %rbp
	and $-16, %rsp
	cld
	call trap
	mov %rbp, %rsp
	pop %rax
	pop %rbx
	pop %rcx
	pop %rdx
	pop %rsi
	pop %rdi
	pop %rbp
	pop %r8
	pop %r9
	pop %r10
	pop %r11
	pop %r12
	pop %r13
	pop %r14
	pop %r15
	add $16, %rsp
	iretq

/* Call the function rdi in ring 3; it comes back when it executes int $0x80 */
	.globl user
user:
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp, user_return
	push $UDATA | 3
	push $user_stack_top
	push user_flags
	push $UCODE | 3
	push %rdi
	iretq

	.globl user_back
user_back:
	mov user_return, %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret

	.data
	.align 4096
pml4:	.quad pdpt + 7
	.fill 511, 8, 0
pdpt:	.quad pd + 7, pd + 0x1007, pd + 0x2007, pd + 0x3007
	.fill 508, 8, 0
	.align 16
gdt:	.quad 0
	.quad 0x00af9b000000ffff	/* CODE */
	.quad 0x00cf93000000ffff	/* DATA */
	.quad 0x00cf9b000000ffff	/* CODE32 */
	.quad 0x00cff3000000ffff	/* UDATA */
	.quad 0x00affb000000ffff	/* UCODE */
	.word tss_end - tss - 1		/* TSS; its address is below 16 MB */
tss_lo:	.word 0
tss_mi:	.byte 0, 0x89, 0, 0
	.quad 0
gdt_end:
	.align 8
tss:	.long 0
	.quad stack0_top		/* rsp0 */
	.fill 92, 1, 0
tss_end:
	.align 4
gdt_ptr:
	.word gdt_end - gdt - 1
	.long gdt, 0
	.globl idt_ptr
idt_ptr:
	.word 256 * 16 - 1
	.quad idt
	.globl user_flags
user_flags:
	.quad 2
	.globl multiboot_info
multiboot_info:
	.quad 0

	.bss
	.align 4096
	.globl pd, idt, code_page, pt, small_pages
pd:	.skip 4 * 4096
pt:	.skip 4096
small_pages:
	.skip 4 * 4096
idt:	.skip 4096
code_page:
	.skip 2 * 4096
	.skip 16384
stack_top:
	.skip 16384
stack0_top:
	.skip 16384
user_stack_top:
	.skip 8
user_return:
	.skip 8
	.align 16
ap_stacks:
	.skip 16 * 0x2000

	.section .note.GNU-stack, "", @progbits
