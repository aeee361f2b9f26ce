/* Reads a VCD file: words between blanks, as in the standard. */
#include "tests/rig/vcd_reader.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/mem.h"

struct reader {
	struct vcd_file *f;
	char *at;
	char scope[64]; /* innermost */
	unsigned depth;
	bool defined, timed, dumping, dumped;
	uint64_t now;
};

/* strspn() under a sanitizer looks at all of the file for each word. */
static bool is_space(char c)
{
	return c == ' ' || c == '\n';
}

static char *word(struct reader *r)
{
	char *w;

	while (is_space(*r->at))
		r->at++;
	w = r->at;
	while (*r->at && !is_space(*r->at))
		r->at++;
	if (*r->at)
		*r->at++ = '\0';
	return w;
}

static void expect_end(struct reader *r)
{
	assert_string_equal(word(r), "$end");
}

static void *grown(void *array, unsigned n, size_t size)
{
	if (n % 1024)
		return array;
	array = array ? mem_grow(array, n, n + 1024, size) : mem_alloc(1024, size);
	assert_non_null(array);
	return array;
}

static void read_var(struct reader *r)
{
	struct vcd_var v = {0};
	const char *type = word(r);

	assert_true(r->depth == 2 && !r->defined);
	assert_string_equal(type, "wire");
	v.bits = (unsigned)atoi(word(r));
	assert_in_range(v.bits, 1, 64);
	snprintf(v.id, sizeof(v.id), "%s", word(r));
	snprintf(v.name, sizeof(v.name), "%s.%s", r->scope, word(r));
	expect_end(r);
	assert_int_equal(vcd_var_named(r->f, v.name), UINT_MAX);
	for (unsigned i = 0; i < r->f->nvars; i++)
		assert_string_not_equal(r->f->vars[i].id, v.id);
	r->f->vars = grown(r->f->vars, r->f->nvars, sizeof(v));
	r->f->vars[r->f->nvars++] = v;
}

static void read_comment(struct reader *r)
{
	const char *w;

	do {
		w = word(r);
		r->f->full |= !strcmp(w, "limit");
	} while (strcmp(w, "$end"));
}

static void read_command(struct reader *r, const char *w)
{
	if (!strcmp(w, "$comment")) {
		read_comment(r);
	} else if (!strcmp(w, "$timescale")) {
		assert_string_equal(word(r), "1");
		r->f->unit_ps = strcmp(word(r), "ns") ? 1 : 1000;
		expect_end(r);
	} else if (!strcmp(w, "$scope")) {
		assert_string_equal(word(r), "module");
		snprintf(r->scope, sizeof(r->scope), "%s", word(r));
		r->depth++;
		expect_end(r);
	} else if (!strcmp(w, "$upscope")) {
		assert_true(r->depth-- > 0);
		expect_end(r);
	} else if (!strcmp(w, "$var")) {
		read_var(r);
	} else if (!strcmp(w, "$enddefinitions")) {
		assert_int_equal(r->depth, 0);
		r->defined = true;
		expect_end(r);
	} else if (!strcmp(w, "$dumpvars")) {
		assert_true(r->timed && !r->dumped);
		r->dumping = true;
	} else {
		assert_string_equal(w, "$end");
		assert_true(r->dumping);
		r->dumping = false;
		r->dumped = true;
	}
}

static void read_time(struct reader *r, const char *w)
{
	uint64_t at = strtoull(w + 1, NULL, 10);

	assert_true(r->defined && !r->dumping);
	if (r->timed)
		assert_true(at >= r->now);
	else
		r->f->start = at;
	r->timed = true;
	r->now = r->f->end = at;
}

static unsigned find_id(const struct vcd_file *f, const char *id)
{
	for (unsigned i = 0; i < f->nvars; i++)
		if (!strcmp(f->vars[i].id, id))
			return i;
	fail_msg("no variable %s", id);
	return 0;
}

static void read_change(struct reader *r, char *w)
{
	bool vector = *w == 'b';
	char bit[2] = {*w, '\0'};
	const char *digits = vector ? w + 1 : bit;
	unsigned i = find_id(r->f, vector ? word(r) : w + 1);
	struct vcd_var *v = &r->f->vars[i];
	struct vcd_change c = {.at = r->now, .value = strtoull(digits, NULL, 2), .var = i};

	assert_true(r->timed && r->dumping != r->dumped);
	assert_int_equal(vector, v->bits > 1);
	assert_true(strlen(digits) <= v->bits);
	assert_int_equal(strspn(digits, "01"), strlen(digits));
	assert_int_equal(r->dumping, !v->known);
	assert_false(v->known && v->value == c.value);
	v->known = true;
	v->value = c.value;
	r->f->changes = grown(r->f->changes, r->f->nchanges, sizeof(c));
	r->f->changes[r->f->nchanges++] = c;
}

struct vcd_file read_vcd(const char *path)
{
	struct vcd_file f = {0};
	struct err err = {0};
	char *data = file_read(NULL, path, &f.bytes, ERR_INPUT, &err), *w;
	struct reader r = {.f = &f, .at = data};

	assert_string_equal(err_text(&err), "");
	while (*(w = word(&r))) {
		if (*w == '$')
			read_command(&r, w);
		else if (*w == '#')
			read_time(&r, w);
		else
			read_change(&r, w);
	}
	assert_true(r.defined && !r.dumping);
	for (unsigned i = 0; i < f.nvars && r.dumped; i++)
		assert_true(f.vars[i].known);
	mem_free(data);
	return f;
}

void read_vcd_free(struct vcd_file *f)
{
	mem_free(f->vars);
	mem_free(f->changes);
	*f = (struct vcd_file){0};
}

unsigned vcd_var_named(const struct vcd_file *f, const char *name)
{
	for (unsigned i = 0; i < f->nvars; i++)
		if (!strcmp(f->vars[i].name, name))
			return i;
	return UINT_MAX;
}

uint64_t vcd_integral(const struct vcd_file *f, unsigned var)
{
	uint64_t sum = 0, value = 0, since = f->start;

	for (unsigned i = 0; i < f->nchanges; i++) {
		if (f->changes[i].var != var)
			continue;
		sum += value * (f->changes[i].at - since);
		since = f->changes[i].at;
		value = f->changes[i].value;
	}
	return sum + value * (f->end - since);
}
