// SPDX-License-Identifier: GPL-2.0
/* KNC_NO_INSTRUMENT must give the same code as PLAIN, which leaves out the instrumented lines */
#ifndef PLAIN
#include <knc/ring3.h>
#endif

struct knc_self;

int data[100];

int work(int n, struct knc_self *self, unsigned long *count)
{
	int i, sum = 0;

#ifndef PLAIN
	knc_ring3_init();
	knc_self_open(self, 5);
	knc_read(self, count);
	knc_spflt_on();
	KNC_BEGIN("loop");
#endif
	for (i = 0; i < n; i++) {
#ifndef PLAIN
		KNC_REGION("round")
#endif
		{
			sum += data[i % 100];
		}
	}
#ifndef PLAIN
	KNC_END("loop");
	knc_spflt_off();
	knc_delay(1);
	knc_regions_label(0, "x");
	knc_regions_report(stdout, KNC_REPORT_TABLE);
#endif
	{
#ifndef PLAIN
		KNC_SCOPE("scope");
		if (knc_ring3_available())
			sum++;
		if (knc_diff39(knc_rdpmc(1), knc_rdtsc()) || knc_diff31(knc_rdpmc_fixed(0), 0))
			sum++;
		if (!knc_read(self, count) || !knc_read1(self, 1, count))
			sum++;
		if (!knc_read_times(self, &count[0], &count[1]))
			sum++;
		knc_self_close(self);
#endif
		sum += data[0];
	}
	return sum;
}
