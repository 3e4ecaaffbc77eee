/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_UACCESS_H
#define STUB_ASM_UACCESS_H

#include <linux/errno.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <asm/page.h>

#define VERIFY_WRITE 1

/* The card's kernel calls these from assembly, so that only the types of their results are real */
extern int __get_user_1(void *to, const void *from);
extern int __get_user_2(void *to, const void *from);
extern int __get_user_4(void *to, const void *from);
extern int __get_user_8(void *to, const void *from);
extern int __put_user_1(void *to, const void *from);
extern int __put_user_2(void *to, const void *from);
extern int __put_user_4(void *to, const void *from);
extern int __put_user_8(void *to, const void *from);
extern unsigned long _copy_from_user(void *to, const void *from,
				     unsigned int len);
extern unsigned long _copy_to_user(void *to, const void *from,
				   unsigned int len);
extern unsigned long copy_user_generic_unrolled(void *to, const void *from,
						unsigned int len);
extern unsigned long clear_user(void *mem, unsigned long len);

#define __user_of_size(fn, size, to, from)				\
	((size) == 1 ? fn##_1(to, from) : (size) == 2 ? fn##_2(to, from) :	\
	 (size) == 4 ? fn##_4(to, from) : fn##_8(to, from))
#define get_user(x, ptr) ({						\
	unsigned long __got = 0;					\
	int __err;							\
									\
	__err = __user_of_size(__get_user, sizeof(*(ptr)), &__got, ptr);	\
	(x) = (typeof(*(ptr)))__got;					\
	__err; })
#define put_user(x, ptr) ({						\
	typeof(*(ptr)) __put = (x);					\
	__user_of_size(__put_user, sizeof(__put), ptr, &__put); })
#define access_ok(type, addr, size) \
	({ (void)(type); (unsigned long)(addr) + (size) < 1UL << 47; })
#define __get_user(x, ptr) \
	({ (x) = *(volatile typeof(*(ptr)) *)(ptr); 0; })
#define __put_user(x, ptr) \
	({ *(volatile typeof(*(ptr)) *)(ptr) = (x); 0; })

static inline unsigned long __must_check copy_from_user(void *to,
							const void __user *from,
							unsigned long n)
{
	return _copy_from_user(to, from, n);
}

/* The card's kernel calls one of these two, depending on the CPU */
extern unsigned long copy_user_generic_string(void *to, const void *from,
					      unsigned int len);
extern unsigned long copy_user_generic_unrolled(void *to, const void *from,
						unsigned int len);

static inline int __must_check __copy_to_user_inatomic(void __user *to,
						       const void *from,
						       unsigned int n)
{
	return copy_user_generic_string(to, from, n) +
	       copy_user_generic_unrolled(to, from, n);
}

static inline int __must_check copy_to_user(void __user *to,
					    const void *from, unsigned int n)
{
	return _copy_to_user(to, from, n);
}

#endif /* STUB_ASM_UACCESS_H */
