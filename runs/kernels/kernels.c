/* Launches by kernel, and what limits them. */
#include "runs/kernels/kernels.h"

#include "core/plain.h"
#include "ptx/isa/source_name.h"

#include <stdio.h>
#include <string.h>

#define STALLS "sched__cycles_"

static void add_launch(struct kernel_sum *k, const struct launch_report *l, unsigned number)
{
	if (!k->launches++) {
		k->first = *l;
		k->number = number;
		k->same_grid = k->same_block = k->complete = true;
	}
	k->same_grid &= !memcmp(k->first.grid, l->grid, sizeof(l->grid));
	k->same_block &= !memcmp(k->first.block, l->block, sizeof(l->block));
	k->complete &= l->complete;
	k->ctas += l->ctas;
	k->timed += l->timed_ctas;
	k->untimed += l->untimed;
	k->started += l->started_ctas;
	k->finished += l->finished_ctas;
	k->cycles += l->end_cycle > l->start_cycle ? l->end_cycle - l->start_cycle : 0;
	k->instructions += l->warp_instructions;
}

/* Overloaded functions have one name in the source. */
static bool is_another(const struct kernels *kernels, unsigned k)
{
	for (unsigned i = 0; i < kernels->n; i++)
		if (!strcmp(kernels->at[i].name, kernels->at[k].name) &&
			strcmp(kernels->at[i].first.kernel, kernels->at[k].first.kernel) != 0)
			return true;
	return false;
}

static void name_kernels(struct kernels *kernels, struct arena *arena)
{
	bool *another = arena_alloc(arena, kernels->n + 1, sizeof(*another));

	for (unsigned k = 0; k < kernels->n; k++)
		kernels->at[k].name = source_name_kept(kernels->at[k].first.kernel, arena);
	for (unsigned k = 0; k < kernels->n; k++)
		another[k] = is_another(kernels, k);
	for (unsigned k = 0; k < kernels->n; k++)
		if (another[k])
			kernels->at[k].name = kernels->at[k].first.kernel;
}

void kernels_of(const struct gpu *g, struct arena *arena, struct kernels *kernels)
{
	*kernels = (struct kernels){
		.at = arena_alloc(arena, chip_launches(g) + 1, sizeof(*kernels->at))};
	for (unsigned i = 0; i < chip_launches(g); i++) {
		struct launch_report l;
		unsigned k = 0;

		chip_launch_report(g, i, &l);
		while (k < kernels->n && (strcmp(kernels->at[k].first.kernel, l.kernel) != 0 ||
						 strcmp(kernels->at[k].first.file, l.file) != 0))
			k++;
		add_launch(&kernels->at[k], &l, i);
		kernels->n += k == kernels->n;
	}
	for (unsigned k = 0; k < kernels->n; k++)
		kernels->cycles += kernels->at[k].cycles;
	name_kernels(kernels, arena);
}

struct run_part kernels_slowest(const struct gpu *g, const struct kernels *kernels)
{
	struct run_part slowest = {.what = PART_OVERLAP};
	uint64_t most = 0;

	for (unsigned k = 0; k < kernels->n; k++) {
		struct run_part part = {.what = PART_KERNEL,
			.kernel = kernels->at[k].first.kernel,
			.file = kernels->at[k].first.file};

		if (kernels->at[k].cycles <= most || !run_part_exists(g, &part))
			continue;
		slowest = part;
		most = kernels->at[k].cycles;
	}
	return slowest;
}

bool kernels_is(const struct kernel_sum *k, const struct run_part *p)
{
	return !strcmp(k->first.kernel, p->kernel) && (!p->file || !strcmp(k->first.file, p->file));
}

const char *kernels_name(const struct kernels *kernels, const char *kernel)
{
	for (unsigned k = 0; k < kernels->n; k++)
		if (!strcmp(kernels->at[k].first.kernel, kernel))
			return kernels->at[k].name;
	return kernel;
}

/* ---- choosing */
static int choose_launch(
	const struct gpu *g, uint64_t launch, struct run_part *part, struct err *err)
{
	struct epoch_report e;

	if (launch >= chip_launches(g))
		return err_add(err, ERR_USAGE,
			"--launch %llu: the run has %u launch%s, counted from 0",
			(unsigned long long)launch, chip_launches(g),
			chip_launches(g) == 1 ? "" : "es");
	part->what = PART_EPOCH;
	part->epoch = chip_launch_epoch(g, (unsigned)launch);
	if (part->epoch == EPOCHS_NONE)
		return err_add(err, ERR_USAGE,
			"--launch %llu: it did not run in time, and has no figures",
			(unsigned long long)launch);
	chip_epoch(g, part->epoch, &e);
	if (e.common)
		return err_add(err, ERR_USAGE,
			"--launch %llu: only the first %u launches have figures of their own; "
			"--kernel has those of all later ones, too",
			(unsigned long long)launch, EPOCHS_OWN);
	return 0;
}

/* The kernel that is called so, in PTX or in the source; NULL and a message: none or several. */
static const char *find_kernel(const struct kernels *kernels, const char *kernel, struct err *err)
{
	const char **names = mem_alloc(kernels->n + 1, sizeof(*names)), *one = NULL;
	struct text found = {0};
	bool many = false;

	for (unsigned k = 0; names && k < kernels->n; k++)
		names[k] = kernels->at[k].first.kernel;
	if (names)
		one = source_name_find(names, kernels->n, kernel, &many, &found);
	if (many) {
		err_add(err, ERR_USAGE, "--kernel %s: several are called so: %s", kernel,
			text_str(&found));
	} else if (!one) {
		for (unsigned k = 0; k < kernels->n; k++)
			text_add(&found, "%s%s", k ? ", " : "", kernels->at[k].name);
		err_add(err, ERR_USAGE, "--kernel %s: none of that name was launched; there is %s",
			kernel, found.failed || !kernels->n ? "none" : text_str(&found));
	}
	text_clear(&found);
	mem_free(names);
	return one;
}

static int choose_kernel(const struct gpu *g, const struct kernels *kernels, const char *kernel,
	struct run_part *part, struct err *err)
{
	const char *name = find_kernel(kernels, kernel, err);

	if (!name)
		return -1;
	*part = (struct run_part){.what = PART_KERNEL, .kernel = name};
	if (run_part_exists(g, part))
		return 0;
	return err_add(err, ERR_USAGE,
		"--kernel %s: its launches overlap with other kernels', or ran without time: it "
		"has no figures of its own",
		kernel);
}

int kernels_choose(const struct gpu *g, const struct kernels *kernels, const char *kernel,
	uint64_t launch, struct run_part *part, struct err *err)
{
	*part = (struct run_part){0};
	if (launch != NO_LAUNCH_GIVEN ? !choose_launch(g, launch, part, err)
				      : !kernel || !choose_kernel(g, kernels, kernel, part, err))
		return 0;
	*part = (struct run_part){0};
	return -1;
}

/* ---- what limits it */
uint32_t kernels_limit(const struct gpu *g, unsigned launch, char out[KERNELS_LIMIT])
{
	struct launch_room r;
	size_t n = 0;

	chip_launch_room(g, launch, &r);

	const struct {
		const char *name;
		uint32_t ctas;
	} by[] = {{"warp slots", r.warp_slots}, {"CTA slots", r.cta_slots},
		{"registers", r.registers}, {"shared memory", r.shared}, {"the grid", r.grid}};
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < ARRAY_LEN(by); i++)
		least = by[i].ctas < least ? by[i].ctas : least;
	*out = '\0';
	for (unsigned i = 0; i < ARRAY_LEN(by) && n < KERNELS_LIMIT; i++)
		if (by[i].ctas == least)
			n += (size_t)snprintf(
				out + n, KERNELS_LIMIT - n, "%s%s", n ? " and " : "", by[i].name);
	return least;
}

/* "long_scoreboard.sum" */
static bool is_stall(const char *reason)
{
	return strncmp(reason, "selected.", 9) != 0 && strncmp(reason, "idle.", 5) != 0;
}

char *kernels_stall(const struct metric_set *s, char out[KERNELS_STALL])
{
	const struct metric *most = NULL;
	uint64_t all = 0;

	for (unsigned i = 0; i < s->n; i++) {
		const struct metric *m = &s->at[i];
		const char *reason = m->name + strlen(STALLS);

		if (strncmp(m->name, STALLS, strlen(STALLS)) != 0 || !strncmp(reason, "idle.", 5))
			continue;
		all += m->count;
		if (is_stall(reason) && (!most || m->count > most->count))
			most = m;
	}
	if (!most || !most->count)
		return strcpy(out, "-");
	snprintf(out, KERNELS_STALL, "%.*s %.0f %%", (int)strcspn(most->name + strlen(STALLS), "."),
		most->name + strlen(STALLS), 100 * (double)most->count / (double)all);
	return out;
}
