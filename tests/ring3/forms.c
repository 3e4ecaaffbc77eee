// SPDX-License-Identifier: GPL-2.0
/* Each primitive in a function of its own, for tests of the compiler's output */
#include <knc/ring3.h>

unsigned long rdpmc0(void);
unsigned long rdpmc0(void)
{
	return knc_rdpmc(0);
}

unsigned long rdpmc1(void);
unsigned long rdpmc1(void)
{
	return knc_rdpmc(1);
}

unsigned long rdtsc(void);
unsigned long rdtsc(void)
{
	return knc_rdtsc();
}

void spflt_on(void);
void spflt_on(void)
{
	knc_spflt_on();
}

void spflt_off(void);
void spflt_off(void)
{
	knc_spflt_off();
}

void delay(void);
void delay(void)
{
	knc_delay(0x1234);
}
