/* warpbeam hardware --forms: PTX forms on a real GPU. */
#include "cli/hardware/hardware.h"

#include "core/base.h"
#include "draw/number.h"
#include "runs/json.h"

#include <string.h>

static bool is_late(void *laboratory)
{
	return hardware_is_late(laboratory);
}

/* A form that differs where it must not fails the command as a check does. */
int hardware_forms(struct laboratory *l, struct arena *arena, struct err *err)
{
	struct forms *f = &l->forms;
	unsigned bad;

	f->seed = l->o->run.seed;
	forms_list(f, l->o->operands.at, l->o->all ? 0 : l->o->operands.n, arena);
	if (!f->n)
		return err_add(err, ERR_USAGE,
			"--forms: no form begins with '%s'; warpbeam forms lists them",
			l->o->operands.at[0]);
	if (forms_run(&l->driver, f, &(struct forms_stop){is_late, l}, arena, err))
		return -1;
	if (!l->o->all || !forms_count(f, FORM_NOT_RUN))
		json_object_set_new(l->file, "forms", forms_json(f));
	bad = forms_count(f, FORM_UNEQUAL);
	return bad ? err_add(err, ERR_CHECK, "%u form%s differ%s from what PTX defines", bad,
			     text_s(bad), bad == 1 ? "s" : "")
		   : 0;
}

static void unit_text(const struct form_unit *u, struct text *out)
{
	static const char *const places[] = {" (global)", " (shared)", " (local)"};

	text_add(out, "%s%s: ", u->spelling, form_has_places(u) ? places[u->place] : "");
	if (u->message) {
		text_add(out, "%s\n", u->message);
		return;
	}
	text_add(out, "%llu of %llu values", (unsigned long long)(u->differ + u->open + u->nans),
		(unsigned long long)u->values);
	if (u->nans)
		text_add(out, ", %llu NaNs of other bits", (unsigned long long)u->nans);
	if (u->within)
		text_add(out, ", %llu within the bound (%.3g)", (unsigned long long)u->within,
			u->worst);
	text_add(out, "; PTX defines %s\n", u->rule->says);
	if (!u->sampled)
		return;
	text_add(out, "  ");
	form_sample_text(u, out);
	text_add(out, "\n");
}

void hardware_text_forms(const struct forms *f, struct text *out)
{
	static const enum form_state listed[] = {
		FORM_UNEQUAL, FORM_FAILED, FORM_OPEN_ONLY, FORM_REFUSED};

	for (unsigned s = FORM_NOT_RUN; s <= FORM_FAILED; s++)
		if (forms_count(f, (enum form_state)s))
			text_add(out, "%-34s\t%6u\n", form_state_names[s],
				forms_count(f, (enum form_state)s));
	for (unsigned k = 0; k < ARRAY_LEN(listed); k++) {
		if (!forms_count(f, listed[k]))
			continue;
		text_add(out, "\n%s:\n", form_state_names[listed[k]]);
		for (unsigned i = 0; i < f->n; i++)
			if (f->unit[i].state == listed[k])
				unit_text(&f->unit[i], out);
	}
}
