// SPDX-License-Identifier: GPL-2.0
/* The properties of a recording: the objects of DATA_INFO and DATA_END */
#include <string.h>
#include <kernel-file.h>

#include "cli/json.h"
#include "profile/data-file.h"
#include "profile/properties.h"

unsigned long long data_member(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	return value > 0 ? value : 0;
}

const char *data_text(const struct data_file *f, const char *key)
{
	const char *text = json_string_value(json_object_get(f->info, key));

	return text ? intern_text(text) : "unknown";
}

unsigned long long data_number(const struct data_file *f, const char *key)
{
	return data_member(f->info, key);
}

unsigned long long data_ended(const struct data_file *f)
{
	return data_member(f->end, "ended_ns");
}

int data_same_boot(const struct data_file *f)
{
	char line[64];

	return !kncpmu_kernel_line(BOOT_ID, line, sizeof(line)) && *line &&
	       !strcmp(line, data_text(f, "boot_id"));
}

const char *data_command(const struct data_file *f)
{
	const json_t *command = json_object_get(f->info, "command");
	const char *line = NULL, *arg;
	size_t i;

	for (i = 0; i < json_array_size(command); i++) {
		arg = json_string_value(json_array_get(command, i)) ? : "?";
		line = line ? intern_format("%s %s", line, arg) : intern_text(arg);
	}
	return line;
}
