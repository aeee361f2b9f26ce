/* Forms on a real GPU as JSON. */
#include "runs/hardware/forms.h"

#include "core/base.h"
#include "runs/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const class_names[] = {
	[FORM_DEFINED] = "defined by PTX", [FORM_BOUNDED] = "within a bound", [FORM_OPEN] = "open"};
static const char *const place_names[] = {"global", "shared", "local"};

/* Bytes as a number, the highest first. */
static void hex(const unsigned char *bytes, unsigned n, struct text *out)
{
	text_raw(out, "0x");
	while (n)
		text_raw(out, "%02x", bytes[--n]);
}

static unsigned operand_bytes(const struct form_operand *o)
{
	unsigned bytes = ptx_type_bytes((enum ptx_type)o->type);

	return bytes ? bytes : 4;
}

void form_sample_text(const struct form_unit *u, struct text *out)
{
	const struct form_sample *f = &u->first;
	unsigned bytes = ptx_type_bytes((enum ptx_type)f->type);
	const char *comma = "";

	text_add(out, "result %u", f->slot);
	if (f->element)
		text_add(out, "[%u]", f->element);
	text_add(out, " of thread %u.%u is ", f->cta, f->thread);
	hex(f->ours, bytes, out);
	text_add(out, ", the GPU's ");
	hex(f->theirs, bytes, out);
	text_add(out, " of ");
	for (unsigned i = 0; i < u->m.noperands; i++) {
		const struct form_operand *o = &u->m.operand[i];

		if (o->is_dst || (o->role != ROLE_VALUE && o->role != ROLE_PRED))
			continue;
		text_add(out, "%s", comma);
		hex(f->operand[i], operand_bytes(o), out);
		comma = ", ";
	}
}

static json_t *sample_json(const struct form_unit *u)
{
	struct text words = {0};
	json_t *j;

	if (!u->sampled)
		return json_null();
	form_sample_text(u, &words);
	j = words.failed ? NULL : json_name(text_str(&words));
	text_clear(&words);
	return j;
}

static json_t *unit_json(const struct form_unit *u)
{
	json_t *j = json_object();
	bool generic = form_has_places(u);

	json_add(j, "form", json_name(u->spelling));
	json_add(j, "memory", json_name(generic ? place_names[u->place] : NULL));
	json_add(j, "class", json_string(class_names[u->rule->class]));
	json_add(j, "ptx_says", json_name(u->rule->says));
	json_add(j, "state", json_string(form_state_names[u->state]));
	json_add(j, "values", json_whole(u->values));
	json_add(j, "differ", json_whole(u->differ));
	json_add(j, "within_bound", json_whole(u->within));
	json_add(j, "open", json_whole(u->open));
	json_add(j, "nans_of_other_bits", json_whole(u->nans));
	json_add(j, "largest_error", json_number(u->worst));
	json_add(j, "first_difference", sample_json(u));
	json_add(j, "message", json_name(u->message));
	return j;
}

json_t *forms_json(const struct forms *f)
{
	json_t *j = json_array();

	for (unsigned i = 0; i < f->n; i++)
		json_append(j, unit_json(&f->unit[i]));
	return j;
}
