/* Runs workloads without timing, to list what they launch. */
#include "cli/catalogue.h"

#include "runs/work.h"

#include <string.h>

struct look {
	struct config *config;
	struct gpu *gpu;
	struct arena arena; /* of the run */
	struct catalogue_entry *entry;
	struct arena *out;
	int bad;
};

static int run_all(struct look *k, struct workload_run *run, struct err *err)
{
	struct untimed_counts counts = {0};
	int more = run->ops->setup(run, err) ? -1 : 1;

	while (more == 1) {
		if (gpu_run_untimed(k->gpu, &counts, err))
			return -1;
		more = run->ops->advance ? run->ops->advance(run, err) : 0;
	}
	k->entry->warp_instructions = counts.warp_instructions;
	return more;
}

static struct catalogue_kernel *find_kernel(struct catalogue_entry *e, const char *name)
{
	for (unsigned i = 0; i < e->nkernels; i++)
		if (!strcmp(e->kernels[i].first.kernel, name))
			return &e->kernels[i];
	return NULL;
}

static void add_launch(struct look *k, const struct launch_report *l)
{
	struct catalogue_entry *e = k->entry;
	struct catalogue_kernel *kernel = find_kernel(e, l->kernel);

	if (!kernel) {
		kernel = &e->kernels[e->nkernels++];
		*kernel = (struct catalogue_kernel){.first = *l, .same_grid = true};
		kernel->first.kernel = arena_strdup(k->out, l->kernel);
		kernel->first.file = arena_strdup(k->out, l->file);
	}
	kernel->launches++;
	kernel->same_grid &= !memcmp(kernel->first.grid, l->grid, sizeof(l->grid));
}

static int look(struct look *k, unsigned address_bits, struct err *err)
{
	struct catalogue_entry *e = k->entry;
	const char *name = e->workload->name;
	struct workload_run *run = workload_open(name, k->gpu, k->config, &k->arena, err);

	if (!run)
		return -1;
	run->address_bits = address_bits;
	run->data_dir = work_data_dir(&k->arena, name);
	if (run_all(k, run, err))
		return -1;
	e->launches = chip_launches(k->gpu);
	e->kernels = arena_alloc(k->out, e->launches, sizeof(*e->kernels));
	for (unsigned i = 0; i < e->launches; i++) {
		struct launch_report l;

		chip_launch_report(k->gpu, i, &l);
		add_launch(k, &l);
	}
	return 0;
}

int catalogue_look(const struct plugin *workload, unsigned address_bits, struct arena *arena,
	struct catalogue_entry *entry, struct err *err)
{
	struct look k = {.entry = entry, .out = arena, .bad = -1};
	jmp_buf escape;

	*entry = (struct catalogue_entry){.workload = workload};
	k.arena.escape = &escape;
	k.config = config_new();
	k.gpu = k.config ? gpu_new(k.config, NULL, err) : NULL;
	if (setjmp(escape))
		err_add(err, ERR_RESOURCE, "%s: no host memory", workload->name);
	else if (k.gpu)
		k.bad = look(&k, address_bits, err);
	gpu_free(k.gpu);
	arena_free(&k.arena);
	config_free(k.config);
	return k.bad;
}
