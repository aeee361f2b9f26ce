/* Launches of a mirror between readings of the SMs' clocks. */
#include "runs/hardware/clocked.h"
#include "runs/hardware/mirror_inside.h"

void mirror_clocks(struct mirror *m)
{
	m->clocked = true;
}

int mirror_clocked_text(const char *path, char **text, struct err *err)
{
	struct text out = {0};
	char *copy = NULL;

	if (!clocked_text(path, *text, &out, err)) {
		copy = mem_strdup(text_str(&out));
		if (!copy)
			err_add(err, ERR_RESOURCE, "no host memory for a module");
	}
	text_clear(&out);
	mem_free(*text);
	*text = copy;
	return copy ? 0 : -1;
}

int mirror_find_clocks(struct mirror *m, struct mirrored_module *to, struct err *err)
{
	size_t bytes = 0;

	return DRIVER_CALL(m->d, CLOCKED_VARIABLE, err, module_global, &to->clocks, &bytes,
		to->module, CLOCKED_VARIABLE);
}

int mirror_launch_clocked(struct mirror *m, unsigned i, struct err *err)
{
	struct mirror_launch *l = &m->launches.at[i];
	cuda_address at = m->modules.at[l->queued->module - 1].clocks;
	uint64_t words[CLOCKED_WORDS];

	clocked_reset(words);
	if (DRIVER_CALL(m->d, CLOCKED_VARIABLE, err, memory_write, at, words, sizeof(words)) ||
		mirror_wait(m, NULL, err) || mirror_launch_now(m, i, err) ||
		mirror_wait(m, l->queued->kernel, err) ||
		DRIVER_CALL(m->d, CLOCKED_VARIABLE, err, memory_read, words, at, sizeof(words)))
		return -1;
	l->cycles = clocked_cycles(words);
	return 0;
}

uint64_t mirror_cycles(const struct mirror *m)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < m->launches.n; i++) {
		if (!m->launches.at[i].cycles)
			return 0;
		sum += m->launches.at[i].cycles;
	}
	return sum;
}

bool mirror_overlaps(const struct mirror *m)
{
	return m->streams.n > 1;
}
