// SPDX-License-Identifier: GPL-2.0
/* FRAME_START: texts, each preceded by its kind and size, and followed by a NUL */
#include <stdlib.h>
#include <string.h>

#include "via/start.h"

#define HEAD	(1 + sizeof(__u32))

void start_put(struct queue *q, enum start_kind kind, const void *data, size_t size)
{
	const char letter = kind;
	const __u32 nr = size;

	queue_put(q, &letter, 1);
	queue_put(q, &nr, sizeof(nr));
	queue_put(q, data, size);
	queue_put(q, "", 1);
}

void start_put_text(struct queue *q, enum start_kind kind, const char *text)
{
	start_put(q, kind, text, strlen(text));
}

/* Ignore contents that follow no name, and more files than allowed */
static void take_file(struct far *far, char kind, char *text, size_t size)
{
	struct far_file *file = &far->files[far->nr_files];

	if (far->nr_files == FAR_FILES)
		return;
	if (kind == START_NAME) {
		file->name = text;
		return;
	}
	if (!file->name)
		return;
	file->data = text;
	file->size = size;
	far->nr_files++;
}

static int take_text(struct start *start, char kind, char *text, size_t size)
{
	switch (kind) {
	case START_RELAY:
		start->far.relay = text;
		return 0;
	case START_OUTPUT:
		start->far.output = text;
		return 0;
	case START_VARIABLE:
		return putenv(text);
	case START_NAME:
	case START_CONTENTS:
		take_file(&start->far, kind, text, size);
		return 0;
	case START_ARGUMENT:
		start->argv[start->argc++] = text;
		return 0;
	}
	return -1;
}

int start_take(struct start *start, char *data, size_t size)
{
	char *end = data + size;
	__u32 nr;

	memset(start, 0, sizeof(*start));
	/* enough, because each argument takes more than one byte */
	start->argv = xalloc(size / HEAD + 3, sizeof(*start->argv));
	start->argv[start->argc++] = (char *)PROGRAM;
	while (data < end) {
		if ((size_t)(end - data) <= HEAD)
			return -1;
		memcpy(&nr, data + 1, sizeof(nr));
		if (nr >= end - data - HEAD || data[HEAD + nr] ||
		    take_text(start, *data, data + HEAD, nr))
			return -1;
		data += HEAD + nr + 1;
	}
	return start->argc > 1 && start->far.relay ? 0 : -1;
}
