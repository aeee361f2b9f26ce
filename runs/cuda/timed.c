/* Which launches of a program run in time: those of --timed, or all until a budget is used up. */
#include "runs/cuda/inside.h"

#include "chip/chip.h"
#include "draw/number.h"
#include "runs/source_name.h"

#include <string.h>

/* Warp instructions in time, without --timed: minutes on one core. */
#define BUDGET UINT64_C(100000000)

static bool names(const struct cuda_timed *t, const char *kernel)
{
	return !strcmp(t->kernel, "*") || source_name_is(kernel, t->kernel);
}

bool cuda_is_timed(struct cuda_server *v, const char *kernel, uint64_t number)
{
	const struct cuda_choice *r = &v->run.choice;
	bool timed = false;

	if (r->untimed)
		return false;
	for (unsigned i = 0; i < r->ntimed; i++) {
		struct cuda_timed *t = &r->timed[i];

		if (!names(t, kernel))
			continue;
		t->met = true;
		timed |= number >= t->first && number <= t->last;
	}
	if (r->ntimed || v->run.no_chip)
		return timed || v->run.no_chip;
	timed = chip_progress(v->gpu).warp_instructions < BUDGET;
	if (!timed && !v->budget_told)
		output_note("from launch %llu on kernels are executed only, without time: %llu "
			    "million warp instructions were simulated; --timed chooses",
			(unsigned long long)v->launches + 1, (unsigned long long)BUDGET / 1000000);
	v->budget_told |= !timed;
	return timed;
}

void cuda_check_timed(const struct cuda_server *v)
{
	struct text seen = {0};

	for (unsigned i = 0; i < v->nkernels; i++)
		text_add(&seen, "%s%s", i ? ", " : "", v->kernels[i].program->name);
	for (unsigned i = 0; i < v->run.choice.ntimed; i++)
		if (!v->run.choice.timed[i].met)
			err_add(v->err, ERR_INPUT,
				"--timed: the program launched no kernel '%s'; its kernels: %s",
				v->run.choice.timed[i].kernel, text_str(&seen));
	text_clear(&seen);
}

/* "3", "3-" or "3-7". */
static int read_range(const char *text, struct cuda_timed *t, struct err *err)
{
	const char *dash = strchr(text, '-');
	char first[24] = "", last[24] = "";
	size_t n = dash ? (size_t)(dash - text) : strlen(text);
	bool fits = n < sizeof(first) && (!dash || strlen(dash + 1) < sizeof(last));

	if (fits) {
		memcpy(first, text, n);
		strcpy(last, !dash ? first : dash + 1);
		if (dash && !*last)
			strcpy(last, "18446744073709551615");
	}
	if (fits && number_whole(first, &t->first) && number_whole(last, &t->last) && t->first &&
		t->first <= t->last)
		return 0;
	return err_add(err, ERR_USAGE,
		"--timed: '%s' of kernel '%s': a range of launches is FIRST-LAST, FIRST- or "
		"FIRST, from 1 on",
		text, t->kernel);
}

int cuda_read_timed(const char *text, struct arena *arena, struct cuda_choice *out, struct err *err)
{
	char *copy = text ? arena_strdup(arena, text) : NULL, *word;
	unsigned most = 1;

	if (!text)
		return 0;
	for (const char *c = text; *c; c++)
		most += *c == ',';
	out->timed = arena_alloc(arena, most, sizeof(*out->timed));
	for (word = copy; word;) {
		char *next = strchr(word, ','), *colon;
		struct cuda_timed *t = &out->timed[out->ntimed++];

		if (next)
			*next++ = '\0';
		colon = strchr(word, ':');
		if (colon)
			*colon++ = '\0';
		*t = (struct cuda_timed){.kernel = word, .first = 1, .last = UINT64_MAX};
		if (!*word)
			return err_add(err, ERR_USAGE,
				"--timed '%s': a kernel's name is missing; KERNEL[:FIRST-LAST],..",
				text);
		if (colon && read_range(colon, t, err))
			return -1;
		word = next;
	}
	return 0;
}
