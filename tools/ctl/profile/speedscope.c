// SPDX-License-Identifier: GPL-2.0
/*
 * Files for speedscope: https://www.speedscope.app/file-format-schema.json
 *
 * They are written piece by piece, because as a JSON value in memory they would be many times as
 * large as the samples.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/json.h"
#include "profile/pictures.h"

/**
 * struct stop - a sample
 * @node: its frame
 * @weight: number of events
 */
struct stop {
	const struct node *node;
	unsigned long long weight;
};

/**
 * struct track - samples of an event, or of an event of a thread
 * @key: the event and the thread
 * @comm: name of the thread
 * @stops: the samples
 * @nr: number of samples
 * @room: elements of @stops
 * @sum: sum of their weights
 * @hh: in a hash, by @key, in the order of their first samples
 */
struct track {
	struct {
		unsigned int event;
		unsigned int tid;
	} key;
	const char *comm;
	struct stop *stops;
	size_t nr;
	size_t room;
	unsigned long long sum;
	UT_hash_handle hh;
};

struct speedscope {
	const struct profile *p;
	int per_thread;
	struct track *tracks;
};

struct speedscope *speedscope_new(const struct profile *p, int per_thread)
{
	struct speedscope *s = xalloc(1, sizeof(*s));

	s->p = p;
	s->per_thread = per_thread;
	return s;
}

void speedscope_add(struct speedscope *s, const struct sample *sample,
		    struct node *node)
{
	struct track key, *track;
	struct stop *stop;

	key.key.event = sample->event;
	key.key.tid = s->per_thread ? sample->tid : 0;
	HASH_FIND(hh, s->tracks, &key.key, sizeof(key.key), track);
	if (!track) {
		track = xalloc(1, sizeof(*track));
		track->key = key.key;
		HASH_ADD(hh, s->tracks, key, sizeof(track->key), track);
	}
	track->comm = sample->comm;
	track->stops = xgrow(track->stops, track->nr, &track->room,
			     sizeof(*track->stops));
	stop = &track->stops[track->nr++];
	stop->node = node;
	stop->weight = sample->period;
	track->sum += sample->period;
}

/* A frame's index is the number of its label */
static void print_frames(const struct speedscope *s, FILE *f)
{
	unsigned int nr = symbols_nr_labels(s->p->symbols), i;
	const struct label *label;

	fputs("\"shared\":{\"frames\":[", f);
	for (i = 0; i < nr; i++) {
		label = symbols_label_at(s->p->symbols, i);
		fprintf(f, "%s\n{\"name\":", i ? "," : "");
		put_json_text(f, label->key.text);
		if (label->key.kernel)
			fputs(",\"file\":\"[kernel]\"", f);
		fputc('}', f);
	}
	fputs("]},\n", f);
}

static void print_stack(FILE *f, const struct node *node)
{
	if (node->key.parent->key.label) {
		print_stack(f, node->key.parent);
		fputc(',', f);
	}
	fprintf(f, "%u", node->key.label->id);
}

/* The rank of a thread, in a file of merge */
static const char *rank_text(const struct speedscope *s, const struct track *track)
{
	if (!s->p->file.merged)
		return "";
	return intern_format("rank %lld, ", data_task_rank(&s->p->file, track->key.tid));
}

static void print_track(const struct speedscope *s, const struct track *track,
			FILE *f)
{
	const char *event = s->p->file.events[track->key.event].name;
	size_t i;

	fputs("{\"type\":\"sampled\",\"name\":", f);
	put_json_text(f, s->per_thread ?
		      intern_format("%s, %s (%stid %u)", event, track->comm, rank_text(s, track),
				    data_task_number(&s->p->file, track->key.tid)) : event);
	fprintf(f, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%llu,\n\"samples\":[",
		track->sum);
	for (i = 0; i < track->nr; i++) {
		fputs(i ? ",[" : "[", f);
		print_stack(f, track->stops[i].node);
		fputc(']', f);
	}
	fputs("],\n\"weights\":[", f);
	for (i = 0; i < track->nr; i++)
		fprintf(f, "%s%llu", i ? "," : "", track->stops[i].weight);
	fputs("]}", f);
}

void speedscope_write(struct speedscope *s, FILE *f)
{
	struct track *track, *next;
	const char *separator = "";

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":",
	      f);
	put_json_text(f, intern_format("%s %s", PROGRAM, kncpmu_version()));
	fputs(",\n\"name\":", f);
	put_json_text(f, profile_title(s->p));
	fputs(",\n", f);
	print_frames(s, f);
	fputs("\"profiles\":[", f);
	HASH_ITER(hh, s->tracks, track, next) {
		fputs(separator, f);
		fputc('\n', f);
		print_track(s, track, f);
		separator = ",";
	}
	fputs("]}\n", f);
}

void speedscope_free(struct speedscope *s)
{
	struct track *track, *next;

	HASH_ITER(hh, s->tracks, track, next) {
		HASH_DEL(s->tracks, track);
		free(track->stops);
		free(track);
	}
	free(s);
}
