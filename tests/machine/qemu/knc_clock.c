// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of the emulated Knights Corner, and the port that says that Linux has booted
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/main-loop.h"
#include "qemu/seqlock.h"
#include "hw/qdev-core.h"
#include "exec/address-spaces.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/cpus.h"
#include "sysemu/runstate.h"
#include "cpu.h"

#define KNC_PERMILLE_MAX	100000

/* The CPU model's option tsc-instructions: with icount, a tick is an executed instruction */
static bool knc_tsc_instructions;

/* With icount: do the cycles of the cycle model make the time go on, not instructions? */
bool knc_clock_in_cycles(void)
{
	return icount_enabled() && !knc_tsc_instructions;
}

/*
 * Ticks of the clock that QEMU's timers follow.  Linux measures the TSC by such a timer, and gets
 * the right rate whatever the host's own TSC does.
 */
static uint64_t knc_ticks(void)
{
	if (icount_enabled() && knc_tsc_instructions)
		return cpus_get_elapsed_ticks();
	return muldiv64(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), KNC_CORE_KHZ, 1000000);
}

/*
 * The TSC counts core clocks and follows their frequency (327357 1.3.1).  It was @tsc at @ticks;
 * from then on it has @permille thousandths of its first rate.
 */
static struct {
	QemuSeqLock lock;
	uint64_t ticks;
	uint64_t tsc;
	uint32_t permille;
} knc_clock = { .permille = 1000 };

static uint64_t knc_tsc_at(uint64_t ticks)
{
	return knc_clock.tsc +
	       muldiv64(ticks - knc_clock.ticks, knc_clock.permille, 1000);
}

uint64_t knc_tsc(void)
{
	unsigned int start;
	uint64_t tsc;

	do {
		start = seqlock_read_begin(&knc_clock.lock);
		tsc = knc_tsc_at(knc_ticks());
	} while (seqlock_read_retry(&knc_clock.lock, start));
	return tsc;
}

static void knc_get_permille(Object *obj, Visitor *v, const char *name,
			     void *opaque, Error **errp)
{
	visit_type_uint32(v, name, &knc_clock.permille, errp);
}

/* The caller holds QEMU's global lock: there is one writer at a time. */
void knc_tsc_set_permille(uint32_t permille)
{
	uint64_t ticks;

	seqlock_write_begin(&knc_clock.lock);
	ticks = knc_ticks();
	knc_clock.tsc = knc_tsc_at(ticks);
	knc_clock.ticks = ticks;
	knc_clock.permille = permille;
	seqlock_write_end(&knc_clock.lock);
}

static void knc_set_permille(Object *obj, Visitor *v, const char *name,
			     void *opaque, Error **errp)
{
	uint32_t value;

	if (!visit_type_uint32(v, name, &value, errp))
		return;
	if (!value || value > KNC_PERMILLE_MAX) {
		error_setg(errp, "%s can be 1 to %d", name, KNC_PERMILLE_MAX);
		return;
	}
	knc_tsc_set_permille(value);
}

/*
 * A thread that spins with PAUSE for KNC_SPIN_NS, with KNC_PAUSES of them within KNC_SHORT_NS each,
 * waits for a thread that the host does not execute.  Each PAUSE then leaves the host's CPU to that
 * one.  Only every KNC_PAUSES-th looks at the time, which takes longer than a PAUSE.
 */
#define KNC_SPIN_NS	1000000
#define KNC_PAUSES	16
#define KNC_SHORT_NS	(KNC_PAUSES * 20000)
#define KNC_PAUSE_US	20

static void knc_wait_for_others(void)
{
	static __thread int64_t since, last;
	static __thread unsigned int pauses;
	int64_t now;

	knc_units_give_up();
	if (++pauses < KNC_PAUSES)
		return;
	pauses = 0;
	now = get_clock();
	if (now - last > KNC_SHORT_NS) {
		since = now;
	} else if (now - since > KNC_SPIN_NS) {
		g_usleep(KNC_PAUSE_US);
		now = get_clock();
		pauses = KNC_PAUSES - 1;
	} else {
		g_thread_yield();
	}
	last = now;
}

/* PAUSE: with icount a thread that waits for another one gives up the rest of its turn */
void knc_pause(void)
{
	if (icount_enabled())
		icount_end_turn();
	else if (qemu_tcg_mttcg_enabled())
		knc_wait_for_others();
}

/*
 * Linux's first process writes to this port when Linux has booted.  With the option stop-booted
 * the machine then stops, and can be saved.  A machine that is resumed from there begins a round of
 * turns; therefore every machine begins one here, and all give the same figures.
 */
#define KNC_BOOTED_PORT	0x4b4e

static bool knc_stop_booted;

static uint64_t knc_booted_read(void *opaque, hwaddr addr, unsigned int size)
{
	return 0xff;
}

static void knc_booted_write(void *opaque, hwaddr addr, uint64_t value, unsigned int size)
{
	knc_silicon_booted();
	if (icount_enabled())
		icount_end_round();
	if (knc_stop_booted)
		vm_stop(RUN_STATE_PAUSED);
}

static const MemoryRegionOps knc_booted_ops = {
	.read = knc_booted_read,
	.write = knc_booted_write,
	.impl = { .min_access_size = 1, .max_access_size = 1 },
};

/* The reset of the first CPU adds what QEMU's monitor can set: qom-set /machine tsc-permille 500 */
void knc_clock_init(X86CPU *cpu)
{
	static MemoryRegion booted;
	Object *machine = qdev_get_machine();

	if (object_property_find(machine, "tsc-permille"))
		return;
	object_property_add(machine, "tsc-permille", "uint32",
			    knc_get_permille, knc_set_permille, NULL, NULL);
	knc_power_init();
	knc_fault_init();
	knc_tsc_instructions = cpu->knc_tsc_instructions;
	knc_stop_booted = cpu->knc_stop_booted;
	memory_region_init_io(&booted, machine, &knc_booted_ops, NULL, "knc-booted", 1);
	memory_region_add_subregion(get_system_io(), KNC_BOOTED_PORT, &booted);
}
