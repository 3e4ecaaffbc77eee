// SPDX-License-Identifier: GPL-2.0
/*
 * Write a data file as record does when it ends: of a process whose code was made at run time
 *
 *	jit-record OUT PID BEGAN MAPPING ADDRESS,TIME...
 *
 * MAPPING is the name of the mapping that the samples are in: //anon, or the path of a jitdump
 * beside it. BEGAN: when the recording began, s since 1970.
 */
#include <stdlib.h>
#include <string.h>

#include "record/jit.h"
#include "record/sideband.h"

#define FIRST	0x1000ULL
#define END	(1ULL << 47)

static void put_map(struct sideband *sb, int pid, const char *name, __u64 start, __u64 length)
{
	struct identified_mmap map = {
		.map = {
			.task.type = DATA_MMAP,
			.task.pid = pid,
			.task.tid = pid,
			.start = start,
			.length = length,
		},
	};

	jit_note(pid, name);
	buffer_put_map(sb, &map, name, 0);
}

static void put_sample(struct data_writer *file, int pid, const char *text)
{
	struct knc_pmu_sample sample = {
		.record.type = KNC_PMU_RECORD_SAMPLE,
		.record.size = sizeof(sample),
		.pid = pid,
		.tid = pid,
		.flags = KNC_PMU_SAMPLE_USER,
		.period = 1000,
	};
	struct data_records head = { .cpu = 0 };
	char *end;

	sample.ip = strtoull(text, &end, 16);
	sample.time = strtoull(end + 1, NULL, 10);
	writer_put(file, DATA_RECORDS, &head, sizeof(head), &sample, sizeof(sample));
}

int main(int argc, char **argv)
{
	struct data_writer file;
	struct sideband sb;
	int i, pid;

	if (argc < 5 || writer_create(&file, argv[1]) || sideband_init(&sb, &file))
		return 1;
	pid = atoi(argv[2]);
	writer_put_json(&file, DATA_INFO,
			json_pack("{s:s, s:[{s:s, s:I}]}", "schema", "knc-pmuctl-data/1", "events",
				  "event", "INSTRUCTIONS_EXECUTED:u", "period", (json_int_t)1000));
	put_map(&sb, pid, "//anon", FIRST, END - FIRST);
	if (strcmp(argv[4], "//anon"))
		put_map(&sb, pid, argv[4], END, FIRST);
	for (i = 5; i < argc; i++)
		put_sample(&file, pid, argv[i]);
	jit_write(&sb, atoll(argv[3]));
	writer_put_json(&file, DATA_END, json_object());
	sideband_free(&sb);
	return writer_keep(&file) || writer_close(&file);
}
