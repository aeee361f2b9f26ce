/* The form of a statement's opcode, looked up once for each spelling. */
#include "ptx/ir/lower.h"

#include <stdio.h>
#include <string.h>

#define KNOWN_FORMS 256u

/* An entry of the module's table of forms; a spelling with the same hash replaces it. */
struct known_form {
	const char *opcode; /* NULL: none yet */
	struct form_match form;
};

static struct known_form *entry_of(struct ir_module *m, const char *opcode)
{
	uint32_t hash = 0;

	if (!m->forms)
		m->forms = arena_alloc(m->work, KNOWN_FORMS, sizeof(*m->forms));
	for (; *opcode; opcode++)
		hash = hash * 31 + (unsigned char)*opcode;
	return &m->forms[hash % KNOWN_FORMS];
}

/* form_match takes a fifth of the compilation of large modules without the table. */
static int find_form(struct lower *l, char *why, size_t n, bool *unsupported)
{
	const char *opcode = l->s->opcode;
	struct known_form *k = entry_of(l->m, opcode);

	if (k->opcode && strcmp(k->opcode, opcode) == 0) {
		l->form = k->form;
		return 0;
	}
	if (form_match(opcode, &l->form, why, n, unsupported))
		return -1;
	*k = (struct known_form){opcode, l->form};
	return 0;
}

/* Some opcodes select several operations: isspacep has no address type, min and max do not show
 * that they take three sources. */
int lower_form(struct lower *l, char *why, size_t n, bool *unsupported)
{
	const char *opcode = l->s->opcode;
	char other[64];

	if ((strncmp(opcode, "min.", 4) == 0 || strncmp(opcode, "max.", 4) == 0) &&
		lower_count(l->s->operands) == 4) {
		snprintf(other, sizeof(other), "%%%.3s3%s", opcode, opcode + 3);
		if (!form_match(other, &l->form, why, n, unsupported))
			return 0;
	}
	if (find_form(l, why, n, unsupported) || !lower_has_modifiers(l->f->ast, opcode, why, n))
		return -1;
	if (l->m->ast->address_bits == 64 || strncmp(opcode, "isspacep.", 9) != 0)
		return 0;
	snprintf(other, sizeof(other), "%%%s.u32", opcode);
	return form_match(other, &l->form, why, n, unsupported);
}
