// SPDX-License-Identifier: GPL-2.0
/* The hardware threads of this machine */
#include <linux/percpu.h>

#include "count/hwthread.h"

DEFINE_PER_CPU(struct knc_hwthread, knc_hwthreads);
