/* What schedulers' cycles were spent on: by line, what waited and what it waited for. */
#include "cli/traffic/traffic.h"

#include "core/base.h"
#include "draw/number.h"
#include "runs/json.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 26

/* ---- columns */
struct column {
	const char *name, *unit, *text;
	size_t at; /* in struct stall_row */
};

#define EVENT(id, name, unit, text) \
	{#name, unit, text, offsetof(struct stall_row, event[STALL_##id])},
#define STALLED(S, T, id, name, text) \
	{"stalled_" #name, "cycles", "Was next, or last: " text, \
		offsetof(struct stall_row, stalled[REASON_##id])},
#define CAUSED(S, T, id, name, text) \
	{"caused_" #name, "cycles", "Was waited for: " text, \
		offsetof(struct stall_row, caused[REASON_##id])},
#define REASON(S, T, id, name, text) #name,

static const struct column columns[] = {
	STALL_EVENTS(EVENT) SM_REASONS(STALLED, 0, 0) SM_REASONS(CAUSED, 0, 0)};
static const char *const reasons[] = {SM_REASONS(REASON, 0, 0)};

/* A cycle in which an instruction was issued, or none was there, is no stall. */
static bool is_stall(enum sm_reason r)
{
	return r != REASON_SELECTED && r != REASON_IDLE;
}

static bool is_counted(const struct column *c)
{
	return c->at != offsetof(struct stall_row, stalled[REASON_IDLE]) &&
	       c->at != offsetof(struct stall_row, caused[REASON_IDLE]) &&
	       c->at != offsetof(struct stall_row, caused[REASON_SELECTED]);
}

static uint64_t sum(const uint64_t *cycles)
{
	uint64_t all = 0;

	for (unsigned r = 0; r < REASON_COUNT; r++)
		all += is_stall((enum sm_reason)r) ? cycles[r] : 0;
	return all;
}

uint64_t traffic_stalled(const struct stall_row *r)
{
	return sum(r->stalled);
}

uint64_t traffic_caused(const struct stall_row *r)
{
	return sum(r->caused);
}

uint64_t traffic_stalls_of(enum traffic_view_id id, const struct traffic_item *i)
{
	return id == VIEW_BUFFERS ? traffic_stalls(&i->counts) : traffic_caused(&i->stalls);
}

/* The reason of most of these cycles; "" of none. */
static const char *most(const uint64_t *cycles)
{
	unsigned at = REASON_SELECTED;

	for (unsigned r = 0; r < REASON_COUNT; r++)
		if (is_stall((enum sm_reason)r) &&
			cycles[r] > (at == REASON_SELECTED ? 0 : cycles[at]))
			at = r;
	return at == REASON_SELECTED ? "" : reasons[at];
}

/* ---- for programs */
static uint64_t value(const struct stall_row *row, const struct column *c)
{
	return *(const uint64_t *)(const void *)((const char *)row + c->at);
}

void traffic_stalls_add(json_t *j, const struct stall_row *row)
{
	for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
		if (is_counted(&columns[i]))
			json_add(j, columns[i].name,
				row ? json_whole(value(row, &columns[i])) : json_null());
}

void traffic_stalls_names(json_t *list)
{
	for (unsigned i = 0; i < ARRAY_LEN(columns); i++) {
		json_t *j;

		if (!is_counted(&columns[i]))
			continue;
		j = json_object();
		json_add(j, "name", json_string(columns[i].name));
		json_add(j, "unit", json_string(columns[i].unit));
		json_add(j, "text", json_string(columns[i].text));
		json_append(list, j);
	}
}

/* ---- for people */
static int by_cause(const void *a, const void *b)
{
	const struct traffic_item *const *x = a, *const *y = b;
	uint64_t p = traffic_caused(&(*x)->stalls), q = traffic_caused(&(*y)->stalls);

	if (p != q)
		return p < q ? 1 : -1;
	p = traffic_stalled(&(*x)->stalls);
	q = traffic_stalled(&(*y)->stalls);
	if (p != q)
		return p < q ? 1 : -1;
	return (*x)->order < (*y)->order ? -1 : 1;
}

static void cycles(const struct traffic *t, const uint64_t *n, int width, struct text *out)
{
	char a[32];

	text_add(out, "\t%15s\t%5.1f%%", number_grouped(sum(n), a),
		t->scheduler_cycles ? 100 * (double)sum(n) / (double)t->scheduler_cycles : 0.0);
	if (sum(n))
		text_add(out, "\t%-*s", width, most(n));
	else
		text_add(out, width ? "\t%*s" : "%*s", width, "");
}

static void row(const struct traffic *t, enum traffic_view_id id, const struct traffic_item *i,
	struct text *out)
{
	char a[32];

	text_add(out, "%-*s\t%13s", NAME_WIDTH, traffic_name(t, id, i),
		number_grouped(i->stalls.event[STALL_EXECUTED], a));
	cycles(t, i->stalls.caused, 18, out);
	cycles(t, i->stalls.stalled, 0, out);
	text_add(out, "\n");
}

/* The rows that were stalled most, at most `top` of them. */
static void table(const struct traffic *t, enum traffic_view_id id, struct text *out)
{
	const struct traffic_view *v = &t->view[id];
	const struct traffic_item **order =
		arena_alloc(t->arena, v->n + 1, sizeof(const struct traffic_item *));
	char title[40];
	unsigned n = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (traffic_caused(&v->item[i].stalls) || traffic_stalled(&v->item[i].stalls))
			order[n++] = &v->item[i];
	qsort(order, n, sizeof(*order), by_cause);
	snprintf(title, sizeof(title), "stalls %s", v->title);
	text_add(out, "\n\v%-*s\t%13s\t%15s\t%6s\t%-18s\t%15s\t%6s\tmostly\n", NAME_WIDTH, title,
		"executed", "caused", "", "mostly", "stalled", "");
	for (unsigned i = 0; i < n && i < t->top; i++) {
		row(t, id, order[i], out);
		if (id == VIEW_LINES)
			traffic_source(order[i], out);
	}
	if (n > t->top)
		text_add(out, "  %u more (--top %u shows all)\n", n - t->top, n);
}

void traffic_stalls_text(const struct traffic *t, struct text *out)
{
	if (t->view[VIEW_KERNELS].n > 1)
		table(t, VIEW_KERNELS, out);
	table(t, VIEW_LINES, out);
}
