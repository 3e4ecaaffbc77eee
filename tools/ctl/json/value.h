/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON values, read and written. The names and their meaning are those of the library jansson,
 * which a card does not have: the recorder needs the C library only.
 */
#ifndef KNC_CTL_JSON_VALUE_H
#define KNC_CTL_JSON_VALUE_H

#include <stddef.h>
#include <stdio.h>

typedef enum {
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_INTEGER,
	JSON_REAL,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
} json_type;

typedef long long json_int_t;

/**
 * struct json - a value
 * @type: its type
 * @refs: number of references; 0: a constant, which is never freed
 * @nr: elements of an array or an object, bytes of a string
 * @room: elements for which there is memory
 * @items: of an array or an object
 * @keys: of an object, one for each item
 * @text: of a string; nothing in it is 0
 * @integer: of an integer
 * @real: of a real number
 */
typedef struct json {
	json_type type;
	unsigned int refs;
	size_t nr;
	size_t room;
	struct json **items;
	char **keys;
	char *text;
	json_int_t integer;
	double real;
} json_t;

/* Where and why a text is not JSON; lines and columns count from 1 */
typedef struct {
	int line;
	int column;
	char text[64];
} json_error_t;

/* Flags for writing: blanks for each depth; no optional blanks; digits of real numbers */
#define JSON_INDENT(n)		((n) & 0x1f)
#define JSON_COMPACT		0x20
#define JSON_REAL_PRECISION(n)	(((n) & 0x1f) << 11)

/* Flags for reading: refuse a repeated key; accept any value, not only arrays and objects */
#define JSON_REJECT_DUPLICATES	0x1
#define JSON_DECODE_ANY		0x4

/* Constructors return NULL without memory, or if a text is not UTF-8. */
json_t *json_object(void);
json_t *json_array(void);
json_t *json_string(const char *text);
json_t *json_stringn(const char *text, size_t size);
json_t *json_integer(json_int_t value);
/* null for infinity and NaN, which JSON lacks */
json_t *json_real(double value);
json_t *json_boolean(int value);
json_t *json_null(void);
#define json_false()	json_boolean(0)

json_t *json_incref(json_t *value);
void json_decref(json_t *value);

/*
 * These take ownership of @value, and fail if it is NULL; they return 0 or -1. If a key is added
 * twice, the last value is valid.
 */
int json_object_set_new(json_t *object, const char *key, json_t *value);
int json_array_append_new(json_t *array, json_t *value);

/* These return NULL, 0 or false if @value is NULL or of another type */
json_t *json_object_get(const json_t *object, const char *key);
json_t *json_array_get(const json_t *array, size_t index);
size_t json_array_size(const json_t *array);
const char *json_string_value(const json_t *string);
size_t json_string_length(const json_t *string);
json_int_t json_integer_value(const json_t *integer);
double json_number_value(const json_t *number);

#define json_typeof(value)	((value)->type)

static inline int json_is(const json_t *value, json_type type)
{
	return value && value->type == type;
}

#define json_is_object(value)	json_is(value, JSON_OBJECT)
#define json_is_array(value)	json_is(value, JSON_ARRAY)
#define json_is_string(value)	json_is(value, JSON_STRING)
#define json_is_integer(value)	json_is(value, JSON_INTEGER)
#define json_is_real(value)	json_is(value, JSON_REAL)
#define json_is_true(value)	json_is(value, JSON_TRUE)

static inline int json_is_number(const json_t *value)
{
	return json_is_integer(value) || json_is_real(value);
}

static inline int json_is_boolean(const json_t *value)
{
	return json_is_true(value) || json_is(value, JSON_FALSE);
}

#define json_array_foreach(array, index, value)				\
	for ((index) = 0; ((value) = json_array_get(array, index)); (index)++)

/* The @index-th member of an object, in order of insertion */
json_t *json_object_at(const json_t *object, size_t index, const char **key);
#define json_object_foreach(object, index, key, value)			\
	for ((index) = 0; ((value) = json_object_at(object, index, &(key))); (index)++)

/*
 * Make a value from a format: {KEY VALUE...}, [VALUE...]; s: a text, s+: two texts to be joined,
 * s?: a text or NULL, i: int, I: json_int_t, f: double, b: a truth value, o: a value, whose
 * ownership passes. Keys are s. Blanks, commas and colons are ignored.
 */
json_t *json_pack(const char *format, ...);

/* The number of bytes of @text's first character; 0: not UTF-8 */
size_t json_utf8_len(const char *text, size_t size);

#endif /* KNC_CTL_JSON_VALUE_H */
