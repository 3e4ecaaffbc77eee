// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * The functions of knc/ring3.h that the module knc_ring3 (knc_ring3.f90) calls. Compile this file
 * with the program:
 *
 *	gcc -O2 -c knc_ring3.c
 *	gfortran -O2 program.f90 knc_ring3.f90 knc_ring3.o -lpthread
 */
#include <fcntl.h>
#include <knc/ring3.h>

int knc_f_init(void);
void knc_f_begin(const char *name, size_t length);
void knc_f_end(const char *name, size_t length);
int knc_f_count(struct knc_self *self, const int *codes, int nr);
int knc_f_read(struct knc_self *self, unsigned long *count);
void knc_f_close(struct knc_self *self);
/* In knc_ring3.f90: enters nested regions as a program does, to measure their cost */
void knc_f_nested(void);

static void nested(struct knc_r3_node *o, struct knc_r3_node *n)
{
	(void)o;
	(void)n;
	knc_f_nested();
}

#define KNC_R3_NESTED	nested
#include <knc/ring3-named.h>

int knc_f_init(void)
{
	return knc_ring3_init();
}

void knc_f_begin(const char *name, size_t length)
{
	knc_region_begin_text(name, length);
}

void knc_f_end(const char *name, size_t length)
{
	knc_region_end_text(name, length);
}

static int configure(int fd, const int *codes, int nr)
{
	struct knc_pmu_event events[KNC_NR_COUNTERS];
	struct knc_pmu_config config;
	int i;

	memset(events, 0, sizeof(events));
	memset(&config, 0, sizeof(config));
	for (i = 0; i < nr; i++) {
		events[i].event = (unsigned int)codes[i];
		events[i].flags = KNC_PMU_EVENT_USR;
	}
	config.flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_RDPMC;
	config.events = (unsigned long)events;
	config.nr_events = (unsigned int)nr;
	config.event_size = sizeof(events[0]);
	if (ioctl(fd, KNC_PMU_IOC_CONFIG, &config) || ioctl(fd, KNC_PMU_IOC_START, 0))
		return -errno;
	return 0;
}

/* Count events of the calling thread in user mode. Returns 0 or a negative errno */
int knc_f_count(struct knc_self *self, const int *codes, int nr)
{
	int fd, error;

	/* until the real session is open, reads must fail: -1 is no file */
	knc_self_open(self, -1);
	if (nr < 1 || nr > KNC_NR_COUNTERS)
		return -EINVAL;
	fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = configure(fd, codes, nr);
	if (error)
		close(fd);
	else
		knc_self_open(self, fd);
	return error;
}

int knc_f_read(struct knc_self *self, unsigned long *count)
{
	/* no page: knc_count_self() was not called, or has failed */
	return self->page ? knc_read(self, count) : -EBADF;
}

void knc_f_close(struct knc_self *self)
{
	int fd = self->fd;

	if (self->page)
		knc_self_close(self);
	if (fd >= 0)
		close(fd);
}
