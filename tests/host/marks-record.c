// SPDX-License-Identifier: GPL-2.0
/*
 * The part of record that marks regions, without samples
 *
 *	marks-record OUT COMMAND...
 *
 * OUT gets a data file; "visits regions lost impossible" go to standard output.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/clock.h"
#include "json/value.h"
#include "record/marks.h"

static json_t *info(void)
{
	json_t *event = json_object(), *events = json_array(), *what = json_object();

	json_object_set_new(event, "event", json_string("INSTRUCTIONS_EXECUTED:u"));
	json_object_set_new(event, "period", json_integer(1000));
	json_array_append_new(events, event);
	json_object_set_new(what, "schema", json_string("knc-pmuctl-data/1"));
	json_object_set_new(what, "pmu", json_string("knc"));
	json_object_set_new(what, "events", events);
	return what;
}

int main(int argc, char **argv)
{
	struct marks marks = { .fd = -1 };
	struct data_writer file = { .fd = -1 };
	int status = 0;
	pid_t pid;

	if (argc < 3 || writer_create(&file, argv[1]) || writer_put_json(&file, DATA_INFO, info()))
		return 2;
	marks_open(&marks, &file);
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	marks_hide(&marks);
	if (getenv(KNC_MARKS_ENV))
		return 2;
	while (!waitpid(pid, &status, WNOHANG)) {
		marks_drain(&marks);
		usleep(1000 * marks_wait(&marks, 2));
	}
	marks_end(&marks, 1);
	writer_put_json(&file, DATA_END, json_object());
	writer_keep(&file);
	writer_close(&file);
	printf("%llu %u %llu %llu\n", marks.nr_visits, marks.nr_regions,
	       marks.lost + marks.beyond, marks.impossible);
	marks_free(&marks);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
