// SPDX-License-Identifier: GPL-2.0
/*
 * Merges recordings of ranks into one file
 *
 * Each file is checked first, as report would check it. The files that pass are copied chunk by
 * chunk: memory is needed for one chunk, and for the properties of each rank.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/crc.h"
#include "cli/json.h"
#include "cli/read-at.h"
#include "merge/joined.h"
#include "profile/properties.h"
#include "profile/ranks.h"
#include "record/writer.h"

/* Clock rates of cards of one model differ by less */
#define MOST_DIFFERENT	0.01

/**
 * struct joining - the recordings that are merged
 * @m: ranks and problems
 * @all: the recordings
 * @nr: number of recordings
 * @room: elements of @all
 * @samples: sum of their samples
 * @lost: sum of their lost samples
 * @buffer: a chunk
 * @size: bytes of @buffer
 */
struct joining {
	struct merge *m;
	struct recording *all;
	size_t nr;
	size_t room;
	unsigned long long samples;
	unsigned long long lost;
	char *buffer;
	size_t size;
};

/* Report a rank of this run that is not merged, with its host */
static void leave_out(struct joining *j, const struct data_file *f, const char *why)
{
	struct merge *m = j->m;
	long long rank = merge_rank_of(f->info);

	merge_problem(m, f->path, rank, 0, "%s", why);
	if (rank != NO_RANK)
		m->problems[m->nr_problems - 1].host = xcopy(member_text(f->info, "host"));
	if (!m->ranks)
		m->ranks = data_member(f->info, "ranks");
}

/* Is the file complete? */
static int is_whole(struct joining *j, const struct data_file *f)
{
	char why[192];

	if (f->merged) {
		merge_problem(j->m, f->path, NO_RANK, 0,
			      "it is a merged recording: merge those of the ranks");
		return 0;
	}
	if (f->damaged)
		snprintf(why, sizeof(why), "it is damaged: %s at byte %llu", f->damage,
			 f->damaged_at);
	else
		snprintf(why, sizeof(why),
			 "it is cut off: its recorder was killed or had no space, or still records");
	if (f->damaged || f->cut || !f->end)
		leave_out(j, f, why);
	return !f->damaged && !f->cut && f->end;
}

/* Are both files known to belong to different runs of mpirun? */
static int is_other_job(const json_t *info, const json_t *first)
{
	const char *mine = member_text(info, "job"), *theirs = member_text(first, "job");

	return *mine && *theirs && strcmp(mine, theirs);
}

/* Can the file be merged with the first one? */
static int fits(struct joining *j, const struct data_file *f)
{
	const struct recording *first = j->all;
	char *why;

	/* merge_rank() reports that a file has no rank */
	if (!j->nr || merge_rank_of(f->info) == NO_RANK)
		return 1;
	if (is_other_job(f->info, first->info)) {
		merge_problem(j->m, f->path, merge_rank_of(f->info), 0,
			      "it is of another run than %s: job %s, not %s", first->path,
			      member_text(f->info, "job"), member_text(first->info, "job"));
		return 0;
	}
	why = joined_differ(f->info, first);
	if (!why)
		return 1;
	leave_out(j, f, why);
	free(why);
	return 0;
}

/* Report what makes the sum of both recordings doubtful */
static void check_together(struct joining *j, const struct recording *r)
{
	const struct recording *first = j->all;
	double rate = data_member(r->info, "tsc_khz"), other = data_member(first->info, "tsc_khz");
	struct merge *m = j->m;

	if (rate > other * (1 + MOST_DIFFERENT) || rate < other * (1 - MOST_DIFFERENT))
		merge_problem(m, r->path, r->rank, 1,
			      "its time stamp counter has %.0f MHz, that of rank %u (%s) %.0f MHz: seconds of cycles are those of rank %u",
			      rate / 1000, first->rank, first->path, other / 1000, first->rank);
	if (strcmp(member_text(r->info, "program"), member_text(first->info, "program")))
		merge_problem(m, r->path, r->rank, 1, "recorded by %s, rank %u (%s) by %s",
			      member_text(r->info, "program"), first->rank, first->path,
			      member_text(first->info, "program"));
	if (r->status)
		merge_problem(m, r->path, r->rank, 1, "its command ended with status %lld",
			      r->status);
	/* without a job number the times reveal different runs, if clocks are right */
	if (*member_text(r->info, "job") && *member_text(first->info, "job"))
		return;
	if (r->utc > first->utc + (first->ended - first->started) ||
	    first->utc > r->utc + (r->ended - r->started))
		merge_problem(m, r->path, r->rank, 1,
			      "it was recorded at another time than rank %u (%s): is it of another run, or a clock wrong?",
			      first->rank, first->path);
}

/* When the recording began: to the second in files that are older than utc_ns */
static unsigned long long utc_of(const json_t *info)
{
	unsigned long long utc = data_member(info, "utc_ns");
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	if (utc || !strptime(member_text(info, "started"), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return utc;
	return timegm(&tm) * 1000000000ULL;
}

static void add_recording(struct joining *j, const struct data_file *f, unsigned int rank)
{
	struct merge *m = j->m;
	struct recording *r;
	unsigned int i;
	size_t host;

	j->all = xgrow(j->all, j->nr, &j->room, sizeof(*j->all));
	r = &j->all[j->nr++];
	memset(r, 0, sizeof(*r));
	r->path = f->path;
	r->rank = rank;
	r->info = json_incref(f->info);
	r->started = f->started;
	r->ended = data_member(f->end, "ended_ns");
	r->utc = utc_of(f->info);
	r->status = json_integer_value(json_object_get(f->end, "status"));
	r->size = f->size;
	j->samples += f->sums.times;
	for (i = 0; i < f->nr_events; i++)
		j->samples += f->sums.samples[i];
	j->lost += f->sums.lost;
	if (m->nr_places == 1) {
		m->first.rank = rank;
		m->first.path = f->path;
	}
	host = merge_host(m, f->info);
	m->hosts[host].nr++;
	check_together(j, r);
	if (!strcmp(member_text(f->info, "target"), "cpus"))
		merge_check_cpus(m, f->info, &m->hosts[host], rank, f->path);
}

/* Open a file to be merged; -1 after a message */
static int open_recording(struct joining *j, const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	if (fd < 0)
		merge_problem(j->m, path, NO_RANK, 0, "it can't be opened: %s", strerror(errno));
	else
		merge_problem(j->m, path, NO_RANK, 0, "it is no file: recordings are read twice");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Check a file; returns an exit status if nothing can be merged */
static int check_recording(struct joining *j, const char *path, const struct stat *output)
{
	struct data_file f;
	unsigned int rank;
	struct stat st;
	int fd = open_recording(j, path, &st);

	if (fd < 0)
		return 0;
	if (st.st_dev == output->st_dev && st.st_ino == output->st_ino) {
		close(fd);
		return complain("can't write %s: it is one of the files to be merged; name "
				"another one (-o)", path);
	}
	if (data_open_quietly(&f, fd, path))
		merge_problem(j->m, path, NO_RANK, 0, "it is no recording that can be read");
	else if (is_whole(j, &f) && fits(j, &f) && !merge_rank(j->m, f.info, path, &rank))
		add_recording(j, &f, rank);
	data_close(&f);
	intern_free();
	return 0;
}

/* Read @size bytes at @offset; returns 0, or -1 if there are fewer */
static int read_bytes(int fd, void *to, size_t size, unsigned long long offset)
{
	return read_at(fd, to, size, offset) == (ssize_t)size ? 0 : -1;
}

static int read_chunk(struct joining *j, int fd, unsigned long long offset,
		      struct data_chunk *chunk)
{
	if (read_bytes(fd, chunk, sizeof(*chunk), offset) || chunk->size > DATA_MAX_CHUNK)
		return -1;
	if (chunk->size > j->size) {
		free(j->buffer);
		j->size = chunk->size;
		j->buffer = xalloc(1, j->size);
	}
	return read_bytes(fd, j->buffer, chunk->size, offset + sizeof(*chunk)) ||
	       add_crc(0, j->buffer, chunk->size) != chunk->crc ? -1 : 0;
}

/* Copy all chunks after the first one; returns 0, or -1 if the file has changed */
static int copy_chunks(struct joining *j, const struct recording *r, int fd,
		       struct data_writer *to)
{
	struct data_header header;
	unsigned long long at;
	struct data_chunk chunk;

	if (read_bytes(fd, &header, sizeof(header), 0) || header.header_size > r->size)
		return -1;
	for (at = header.header_size; at < r->size; at += chunk.size + sizeof(chunk)) {
		if (read_chunk(j, fd, at, &chunk) || chunk.size + sizeof(chunk) > r->size - at)
			return -1;
		if (chunk.type != DATA_INFO &&
		    writer_put(to, chunk.type, NULL, 0, j->buffer, chunk.size))
			return 0;
	}
	return 0;
}

static int copy_recording(struct joining *j, const struct recording *r, struct data_writer *to)
{
	int fd = open(r->path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return complain("can't open %s: %s", r->path, strerror(errno));
	json_object_set_new(r->info, "shift_ns", json_integer(r->shift));
	writer_put_json(to, DATA_RANK, json_incref(r->info));
	ret = copy_chunks(j, r, fd, to);
	close(fd);
	return ret ? complain("can't read %s: it has been changed since it was checked; try again",
			      r->path) : 0;
}

static int write_chunks(struct joining *j, struct data_writer *to)
{
	size_t i;
	int status = 0;

	writer_put_json(to, DATA_INFO, joined_info(j->m, j->all, j->nr));
	for (i = 0; i < j->nr && !status && !to->error; i++)
		status = copy_recording(j, &j->all[i], to);
	writer_put_json(to, DATA_END, joined_end(j->all, j->nr));
	if (!status && to->error)
		status = cant_write(to->path, to->error, "-o");
	return status;
}

static int write_merged(struct joining *j, const char *path)
{
	struct data_writer to;
	int status = writer_create_merged(&to, path);

	if (!status)
		status = write_chunks(j, &to);
	if (status) {
		writer_discard(&to);
		return status;
	}
	status = writer_keep(&to);
	return writer_close(&to) ? cant_write(path, to.error, "-o") : status;
}

static int by_rank(const void *a, const void *b)
{
	const struct recording *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void print_merged(const struct joining *j)
{
	const struct merge *m = j->m;

	printf("%zu rank%s", m->nr_places, plural_of(m->nr_places));
	if (m->ranks)
		printf(" of %u", m->ranks);
	printf(" on %zu host%s: %llu sample%s", m->nr_hosts, plural_of(m->nr_hosts), j->samples,
	       plural_of(j->samples));
	if (j->lost)
		printf(", %llu lost", j->lost);
	printf(", in %s\n", intern_text(m->o->output));
}

int merge_recordings(struct merge *m, char **paths, int nr)
{
	struct joining j = { .m = m };
	struct stat output;
	int i, status = 0;
	size_t n;

	if (stat(m->o->output, &output))
		memset(&output, 0, sizeof(output));
	for (i = 0; i < nr && !status; i++)
		status = check_recording(&j, paths[i], &output);
	if (!status) {
		merge_end(m);
		/* if no file could be merged, each has been reported */
		status = j.nr ? 0 : CTL_FAILED;
	}
	if (!status) {
		qsort(j.all, j.nr, sizeof(*j.all), by_rank);
		joined_times(j.all, j.nr);
		status = write_merged(&j, m->o->output);
	}
	if (!status)
		print_merged(&j);
	for (n = 0; n < j.nr; n++)
		json_decref(j.all[n].info);
	free(j.all);
	free(j.buffer);
	return status ? : m->nr_problems || *m->missing ? CTL_FAILED : 0;
}
