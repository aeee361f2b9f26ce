/* JSON values as all outputs spell them. */
#include "runs/json.h"

#include "core/base.h"
#include "core/mem.h"
#include "runs/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

json_t *json_whole(uint64_t v)
{
	char digits[24];

	if (v <= UINT64_C(1) << 53)
		return json_integer((json_int_t)v);
	snprintf(digits, sizeof(digits), "%" PRIu64, v);
	return json_string(digits);
}

json_t *json_number(double v)
{
	json_t *j = json_real(v);

	return j ? j : json_null();
}

json_t *json_hash(uint64_t v)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%016" PRIx64, v);
	return json_string(digits);
}

json_t *json_words(const char *s, size_t n)
{
	json_t *j = json_stringn(s, n);
	struct text plain = {0};

	if (j)
		return j;
	text_plain(&plain, s, n);
	if (plain.failed)
		mem_lose();
	j = json_string(text_str(&plain));
	text_clear(&plain);
	return j;
}

json_t *json_name(const char *s)
{
	return s ? json_words(s, strlen(s)) : json_null();
}

json_t *json_dims(const uint32_t d[3])
{
	json_t *j = json_array();

	for (unsigned i = 0; i < 3; i++)
		json_append(j, json_whole(d[i]));
	return j;
}

void json_add(json_t *object, const char *key, json_t *value)
{
	/* The text is always UTF-8: a member can only be lost when memory is short. */
	BUG_ON(json_object_set_new(object, key, value) && !mem_lost());
}

void json_share(json_t *to, const json_t *from, const char *key)
{
	json_t *value = json_object_get(from, key);

	if (value)
		json_add(to, key, json_incref(value));
}

void json_append(json_t *list, json_t *value)
{
	BUG_ON(json_array_append_new(list, value) && !mem_lost());
}

bool json_is_whole(void)
{
	bool whole = !mem_lost();

	mem_forget_loss();
	return whole;
}

json_t *json_program(void)
{
	json_t *j = json_object();

	json_add(j, "name", json_string("warpbeam"));
	json_add(j, "version", json_string(program_version()));
	json_add(j, "build", json_string(program_build()));
	return j;
}

static int append(const char *bytes, size_t n, void *ctx)
{
	text_bytes(ctx, bytes, n);
	return ((struct text *)ctx)->failed ? -1 : 0;
}

int json_print(json_t *j, struct text *out)
{
	int bad = json_dump_callback(j, append, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	text_add(out, "\n");
	json_decref(j);
	return !json_is_whole() || bad || out->failed ? -1 : 0;
}
