/* The state of the warps of an unfinished run. */
#include "ptx/exec/positions.h"

#include "core/base.h"

#define ROWS_SHOWN 12 /* rows, at most */

static bool is_same(const struct positions_row *a, const struct positions_row *b)
{
	return a->program == b->program && a->instr == b->instr && a->why == b->why &&
	       a->load == b->load;
}

void positions_add(struct positions *s, const struct program *program, uint32_t instr,
	const char *why, const struct spin *spin)
{
	struct positions_row row = {program, instr, why, SPIN_NO_LOAD, 1};
	unsigned i = 0;

	if (spin && spin->spins)
		row = (struct positions_row){program, spin->branch, NULL, spin->load, 1};
	while (i < s->n && !is_same(&s->row[i], &row))
		i++;
	if (i < s->n)
		s->row[i].warps++;
	else if (i < POSITIONS_ROWS)
		s->row[s->n++] = row;
	else
		s->others++;
}

/* Spinning warps first, then by the number of warps; ties in order of arrival. */
static bool comes_before(const struct positions_row *a, const struct positions_row *b)
{
	if (!a->why != !b->why)
		return !a->why;
	return a->warps > b->warps;
}

static void sort(struct positions *s)
{
	for (unsigned i = 1; i < s->n; i++) {
		struct positions_row row = s->row[i];
		unsigned at = i;

		for (; at && comes_before(&row, &s->row[at - 1]); at--)
			s->row[at] = s->row[at - 1];
		s->row[at] = row;
	}
}

void positions_location(const struct program *p, uint32_t instr, struct text *out)
{
	const struct src_line *line = NULL;
	const char *cuda;

	if (instr < p->ninstr && p->code[instr].line < p->nlines)
		line = &p->lines[p->code[instr].line];
	if (!line) {
		text_add(out, "instruction %u of %s", instr, p->name);
		return;
	}
	text_add(out, "%s:%u:%u", line->ptx_file ? line->ptx_file : p->name, line->ptx_line,
		line->ptx_col);
	cuda = program_cuda_file(p, line);
	if (line->opcode || cuda)
		text_add(out, " (%s%s", line->opcode ? line->opcode : "",
			line->opcode && cuda ? ", " : "");
	if (cuda)
		text_add(out, "%s:%u", cuda, line->cuda_line);
	if (line->opcode || cuda)
		text_add(out, ")");
}

static void report_row(const struct positions_row *r, const char *which, struct text *out)
{
	bool one = r->warps == 1;

	text_add(out, "  %s%llu warp%s ", which, (unsigned long long)r->warps, one ? "" : "s");
	if (r->why) {
		text_add(out, "before ");
		positions_location(r->program, r->instr, out);
		text_add(out, ": %s\n", r->why);
		return;
	}
	text_add(out, "%s: ", one ? "spins" : "spin");
	positions_location(r->program, r->instr, out);
	text_add(out, " repeats");
	if (r->load != SPIN_NO_LOAD) {
		text_add(out, " until the value read by ");
		positions_location(r->program, r->load, out);
		text_add(out, " changes");
	} else {
		text_add(out, " forever: nothing that its condition depends on can change");
	}
	text_add(out, "\n");
}

void positions_report(struct positions *s, const char *which, struct text *out)
{
	uint64_t rest = s->others;

	sort(s);
	for (unsigned i = 0; i < s->n; i++) {
		if (i < ROWS_SHOWN)
			report_row(&s->row[i], which, out);
		else
			rest += s->row[i].warps;
	}
	if (rest)
		text_add(out, "  %s%llu more warp%s at other instructions\n", which,
			(unsigned long long)rest, text_s(rest));
}
