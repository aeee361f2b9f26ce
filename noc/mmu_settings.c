/* The parameters of address translation, and what they must meet. */
#include "mem/replace.h"
#include "noc/mmu.h"

static const struct param_def mmu_params[] = {MMU_PARAMS(PARAM_ROW, mmu_settings)};

/* The nearest power of two that is not larger. */
static uint64_t power_below(uint64_t n)
{
	while (n & (n - 1))
		n &= n - 1;
	return n;
}

static void check_page(const struct mmu_settings *s, struct err *err)
{
	uint64_t page = s->p.page_bytes;

	if (!page || (page >= MMU_LEAST_PAGE && !(page & (page - 1))))
		return;
	err_add(err, ERR_INPUT,
		"mmu.page_bytes = %llu: must be a power of two from %u to %u, such as %llu, or 0: "
		"no translation",
		(unsigned long long)page, MMU_LEAST_PAGE, MMU_MOST_PAGE,
		(unsigned long long)max_u64(power_below(page), MMU_LEAST_PAGE));
}

static void check_window(const struct mmu_settings *s, struct err *err)
{
	uint64_t window = s->p.window_bytes, page = max_u64(s->p.page_bytes, MMU_LEAST_PAGE);

	if (!window || (window >= page && !(window & (window - 1))))
		return;
	err_add(err, ERR_INPUT,
		"mmu.window_bytes = %llu: must be a power of two from a page of %llu bytes on, such "
		"as %llu, or 0: all pages are active",
		(unsigned long long)window, (unsigned long long)page,
		(unsigned long long)power_below(max_u64(window, page)));
}

static void check_entry(const struct mmu_settings *s, struct err *err)
{
	uint64_t entry = s->p.entry_bytes;

	if (entry & (entry - 1))
		err_add(err, ERR_INPUT,
			"mmu.entry_bytes = %llu: must be a power of two, such as %llu",
			(unsigned long long)entry, (unsigned long long)power_below(entry));
}

static void read_sets(struct mmu_settings *s, struct err *err)
{
	uint64_t sum = 0;
	bool good;

	s->sets = replace_numbers(s->p.l2_sets, s->ways, MMU_SETS);
	good = s->sets > 0;
	for (unsigned i = 0; i < s->sets; i++) {
		sum += s->ways[i];
		good &= s->ways[i] > 0;
	}
	if (!good) {
		err_add(err, ERR_INPUT,
			"mmu.l2_sets = '%s': must be at most %u numbers from 1 to 65535, separated "
			"by commas, such as 17,8,8,8,8,8,8",
			s->p.l2_sets, MMU_SETS);
		s->sets = s->ways[0] = 1;
	} else if (s->p.l2_entries && s->p.l2_entries != sum) {
		err_add(err, ERR_INPUT,
			"mmu.l2_sets = %s: the sets add up to %llu; must add up to mmu.l2_entries = "
			"%llu, or that must be %llu, or 0",
			s->p.l2_sets, (unsigned long long)sum, (unsigned long long)s->p.l2_entries,
			(unsigned long long)sum);
	}
}

int mmu_load(struct mmu_settings *s, struct config *config, struct err *err)
{
	unsigned before = err->count;

	config_load(config, "mmu", mmu_params, ARRAY_LEN(mmu_params), s, err);
	check_page(s, err);
	check_window(s, err);
	check_entry(s, err);
	read_sets(s, err);
	return err->count == before ? 0 : -1;
}
