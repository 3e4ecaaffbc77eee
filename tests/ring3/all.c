// SPDX-License-Identifier: GPL-2.0
/* Every function of the header, for each compiler and dialect of C and C++ */
#include <knc/ring3.h>

static unsigned long counted[3];

static int early(int n)
{
	KNC_SCOPE("early");

	if (n > 1)
		return 1;
	return 0;
}

int main(void)
{
	int status = knc_ring3_init();
	unsigned long count[2] = { 5, 5 };
	struct knc_self self;
	int i, open, read;

	knc_regions_label(0, "first");
	for (i = 0; i < 3; i++) {
		KNC_REGION("outer") {
			if (i == 1)
				continue;
			KNC_REGION("inner")
				counted[0] = knc_diff39(knc_rdpmc(0), 0);
			KNC_REGION("line") { KNC_REGION("same line") { early(i); } }
		}
	}
	if (knc_ring3_available())
		KNC_BEGIN("pair");
	else
		KNC_BEGIN("other pair");
	counted[1] = knc_rdpmc(1);
	KNC_END("pair");
	counted[1] += knc_diff31(knc_rdpmc_fixed(0), 0);
	counted[2] = knc_rdtsc();
	knc_spflt_on();
	knc_delay(3);
	knc_spflt_off();
	/* an unmatched KNC_END() must do no harm */
	KNC_END("pair");
	/* there is no session */
	open = knc_self_open(&self, -1);
	read = knc_read(&self, count);
	read |= knc_read1(&self, 1, count);
	read |= knc_read_times(&self, &count[0], &count[1]);
	knc_self_close(&self);
	printf("self %d %d %lu %lu\n", open, read, count[0], count[1]);
	knc_regions_report(stdout, KNC_REPORT_CSV);
	printf("status %d %d rdpmc %lu %lu\n", status, knc_ring3_status(),
	       counted[0], counted[1]);
	return 0;
}
