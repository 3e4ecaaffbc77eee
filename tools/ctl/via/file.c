// SPDX-License-Identifier: GPL-2.0
/*
 * The file of -o on the user's machine. Written as the command would write it, with contents from
 * the card
 */
#include <errno.h>
#include <string.h>

#include "via/file.h"
#include "via/frame.h"

int copy_open(struct far_copy *file)
{
	int status = 0;

	if (file->path)
		status = file->recording ? writer_open(&file->writer, file->path) :
			 output_open(&file->output, file->path, file->append);
	file->open = file->path && !status;
	return status;
}

void copy_put(struct far_copy *file, const void *data, size_t size)
{
	if (!file->open)
		return;
	if (file->recording) {
		writer_append(&file->writer, data, size);
		return;
	}
	fwrite(data, 1, size, file->output.file);
	/* with -I users read the counts while the command runs */
	output_flush(&file->output);
}

void copy_keep(struct far_copy *file)
{
	if (!file->open || file->kept)
		return;
	file->kept = 1;
	if (!file->recording)
		output_begin(&file->output);
	else if (writer_keep(&file->writer))
		file->kept = -1;
}

static int close_recording(struct far_copy *file, int status)
{
	struct data_writer *writer = &file->writer;

	if (!file->kept) {
		writer_discard(writer);
		return status;
	}
	if (writer_close(writer))
		return complain("can't write to '%s': %s; the recording ends here: %llu bytes are "
				"in the file; free space, or choose another file with -o",
				writer->path, strerror(writer->error), writer->size);
	return !status && file->kept < 0 ? CTL_FAILED : status;
}

int copy_close(struct far_copy *file, int status)
{
	if (!file->open)
		return status;
	file->open = 0;
	return file->recording ? close_recording(file, status) :
	       output_close(&file->output, status);
}
