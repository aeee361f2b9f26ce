/* The storage of a machine's SMs, and what it leaves to the threads of a level. */
#include "runs/levels/levels.h"

#include "draw/number.h"

#include <string.h>

#define LEAST_REGS 16u

static void note_fact(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct sm_storage *m = ctx;

	(void)def;
	(void)given;
	if (!strcmp(path, "sm.warps"))
		number_whole(value, &m->warp_slots);
	else if (!strcmp(path, "sm.ctas"))
		number_whole(value, &m->cta_slots);
	else if (!strcmp(path, "chip.sms"))
		number_whole(value, &m->sms);
	else if (!strcmp(path, "chip.storage"))
		m->name = value;
	else if (!strcmp(path, "chip.partition"))
		m->once = !strcmp(value, "application");
}

int sm_storage_read(
	struct sm_storage *m, struct config *config, struct arena *arena, struct err *err)
{
	void *design;

	*m = (struct sm_storage){.name = ""};
	config_echo(config, note_fact, m);
	m->name = arena_strdup(arena, m->name);
	m->plugin = plugin_find("storage", m->name, "chip.storage", err);
	if (!m->plugin)
		return -1;
	design = arena_alloc(arena, 1, m->plugin->size + 1);
	m->design = design;
	return config_load(config, m->plugin->path, m->plugin->params, m->plugin->nparams, design,
		       err) || storage_rules_load(&m->rules, config, err)
		       ? -1
		       : 0;
}

int sm_storage_holds(const struct sm_storage *m, const char *target, const struct launch_report *l,
	struct err *err)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	struct storage_need need = {.regs_per_thread = l->regs,
		.warps_per_cta = (uint32_t)div_up(threads, WARP_LANES),
		.shared_per_cta = l->shared_bytes,
		.warp_slots = storage_rules_warps(&m->rules, (uint32_t)m->warp_slots),
		.cta_slots = (uint32_t)m->cta_slots,
		.rules = &m->rules};
	const struct storage_ops *ops = m->plugin->ops;
	char slots[CHIP_SLOT_WORDS];
	struct storage_split split;
	struct err wrong = {0};

	if (!storage_slots(&need))
		return err_add(err, ERR_RESOURCE,
			"%s: kernel '%s': a CTA can never fit: it needs %u warp%s; an SM has %u "
			"warp slot%s",
			target, l->kernel, need.warps_per_cta, text_s(need.warps_per_cta),
			need.warp_slots, text_s(need.warp_slots));
	if (!ops->split(m->design, &need, 1, &split, &wrong))
		return 0;
	err_add(err, ERR_RESOURCE, "%s: kernel '%s': a CTA can never fit: %.*s%s", target,
		l->kernel, (int)strcspn(err_text(&wrong), "\n"), err_text(&wrong),
		chip_slot_words(l, slots));
	err_clear(&wrong);
	return -1;
}

bool levels_room(const struct sm_storage *m, const struct storage_need *need, uint32_t ctas,
	struct thread_level *l)
{
	const struct storage_ops *ops = m->plugin->ops;
	struct storage_need n = *need;
	uint64_t own = div_up(n.shared_per_cta, SLOT_ROW) * SLOT_ROW, left;
	struct storage_allowance a = ops->allow(m->design, &n, ctas);

	if (a.regs_per_thread == STORAGE_NONE || a.regs_per_thread < LEAST_REGS)
		return false;
	n.regs_per_thread = l->limit = a.regs_per_thread < need->regs_per_thread
					       ? a.regs_per_thread
					       : need->regs_per_thread;
	left = ops->allow(m->design, &n, ctas).shared_per_cta;
	left = left == STORAGE_NONE || left < own ? 0 : left - own;
	l->budget = (uint32_t)min_u64(left / SLOT_ROW / n.warps_per_cta, SPILL_SLOTS_MAX);
	l->ctas = ctas;
	l->threads = ctas * n.warps_per_cta * WARP_LANES;
	return true;
}
