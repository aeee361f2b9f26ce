/* SM storage with carve-outs, as from Volta on: a register file, and a memory of which one of a few
 * capacities is shared memory and the rest is cache (CUDA C++ Programming Guide, "Shared Memory" of
 * compute capability 7.x to 9.0). */
#include "mem/storage/storage_list.h"

#include "core/base.h"
#include "core/table.h"

#define BANKS 32u
#define MOST_CAPACITIES 16u

#define PARAMS(P, T) \
	P(T, UINT, register_bytes, 262144, 128, 1 << 30, "bytes", "Register file of one SM.") \
	P(T, UINT, bytes, 131072, 128, 1 << 30, "bytes", \
		"Shared memory and cache of one SM together.") \
	P(T, NAME, capacities, "0,8,16,32,64,96", 0, 0, "", \
		"Capacities of shared memory: KB in rising order, separated by commas; the rest " \
		"is cache.") \
	P(T, REAL, percent, -1, -1, 100, "%", \
		"Preferred capacity, in percent of the largest, rounded up to a listed one; a CTA " \
		"that needs more gets the next that holds it. -1: the one with most CTAs, then " \
		"the largest cache.")

struct carveout {
	struct {
		PARAMS(PARAM_FIELD, carveout)
	} p;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, carveout)};

/* The list; its length, or 0 when it cannot be read. */
static unsigned read_list(const struct carveout *s, struct storage_split *list)
{
	const char *at = s->p.capacities;

	for (unsigned n = 0; n < MOST_CAPACITIES; at++) {
		list[n].register_bytes = s->p.register_bytes;
		if (!storage_read_kb(&at, ',', &list[n].shared_bytes) ||
			(n && list[n].shared_bytes <= list[n - 1].shared_bytes))
			return 0;
		list[n].cache_bytes = s->p.bytes - min_u64(s->p.bytes, list[n].shared_bytes);
		n++;
		if (!*at)
			return n;
	}
	return 0;
}

static int check_list(
	const struct carveout *s, const struct storage_split *list, unsigned n, struct err *err)
{
	if (!n)
		return err_add(err, ERR_INPUT,
			"storage.carveout.capacities = '%s': must be a list of at most %u "
			"capacities in rising order, such as \"0,8,16,32,64,96\": KB of shared "
			"memory",
			s->p.capacities, MOST_CAPACITIES);
	if (list[n - 1].shared_bytes > s->p.bytes)
		return err_add(err, ERR_INPUT,
			"storage.carveout.capacities = '%s': %llu KB is more than "
			"storage.carveout.bytes = %llu holds: at most %llu KB",
			s->p.capacities, (unsigned long long)list[n - 1].shared_bytes / 1024,
			(unsigned long long)s->p.bytes, (unsigned long long)s->p.bytes / 1024);
	return 0;
}

static int most(const void *self, struct storage_split *out, struct err *err)
{
	const struct carveout *s = self;
	struct storage_split list[MOST_CAPACITIES];
	unsigned n = read_list(s, list);
	int bad = check_list(s, list, n, err);

	bad |= storage_banked(
		"storage.carveout.register_bytes", s->p.register_bytes, STORAGE_REGISTER_ROW, err);
	bad |= storage_banked("storage.carveout.bytes", s->p.bytes, STORAGE_WORD_ROW, err);
	*out = (struct storage_split){.register_bytes = s->p.register_bytes,
		.shared_bytes = n ? list[n - 1].shared_bytes : 0,
		.cache_bytes = n ? list[0].cache_bytes : 0};
	return bad;
}

/* The first capacity from `i` on that holds a CTA of each kernel; the last if none does. */
static unsigned first_that_holds(const struct storage_split *list, unsigned i, unsigned n,
	const struct storage_need *needs, unsigned nneeds)
{
	uint64_t warps;

	while (i < n - 1 && !storage_holds(&list[i], needs, nneeds, &warps))
		i++;
	return i;
}

/* The preferred capacity. */
static unsigned preferred(const struct carveout *s, const struct storage_split *list, unsigned n)
{
	double bytes = s->p.percent / 100 * (double)list[n - 1].shared_bytes;
	unsigned i = 0;

	while (i < n - 1 && (double)list[i].shared_bytes < bytes)
		i++;
	return i;
}

static int split(const void *self, const struct storage_need *needs, unsigned nneeds,
	struct storage_split *out, struct err *err)
{
	const struct carveout *s = self;
	struct storage_split list[MOST_CAPACITIES];
	unsigned n = read_list(s, list);
	struct storage_need all = storage_most_needed(needs, nneeds);
	const char *who = nneeds == 1 ? "" : "one split for all kernels: ";
	uint64_t warps;

	BUG_ON(!n);
	*out = list[s->p.percent < 0
			    ? storage_best(list, n, needs, nneeds)
			    : first_that_holds(list, preferred(s, list, n), n, needs, nneeds)];
	if (storage_admit_all(needs, nneeds, err))
		return -1;
	if (storage_holds(out, needs, nneeds, &warps))
		return 0;
	if (storage_lacks_registers(who, &all, out, "storage.carveout.register_bytes", err))
		return -1;
	return err_add(err, ERR_RESOURCE,
		"%sa CTA needs %llu bytes of shared memory; an SM has %llu KB of it at most "
		"(storage.carveout.capacities = %s)",
		who, (unsigned long long)storage_cta_shared(&all),
		(unsigned long long)list[n - 1].shared_bytes / 1024, s->p.capacities);
}

/* With a preference the capacity follows from the shared memory: registers for the capacity that
 * the need gets; shared memory by the largest capacity that a CTA with that much of it gets. */
static struct storage_allowance allow(
	const void *self, const struct storage_need *need, uint32_t ctas)
{
	const struct carveout *s = self;
	struct storage_split list[MOST_CAPACITIES], given;
	unsigned n = read_list(s, list), first = preferred(s, list, n);
	struct storage_need with = *need;
	struct storage_allowance a;

	if (s->p.percent < 0)
		return storage_allow_any(list, n, need, ctas);
	with.regs_per_thread = 0;
	given = list[first_that_holds(list, first, n, &with, 1)];
	a.regs_per_thread = storage_allow(&given, need, ctas).regs_per_thread;
	with = *need;
	for (unsigned i = n; i-- > first;) {
		with.shared_per_cta = storage_allow(&list[i], need, ctas).shared_per_cta;
		if (with.shared_per_cta != STORAGE_NONE &&
			first_that_holds(list, first, n, &with, 1) == i)
			break;
		with.shared_per_cta = STORAGE_NONE;
	}
	a.shared_per_cta = with.shared_per_cta;
	return a;
}

/* Shared memory and cache are in the same banks. */
static struct bank_layout banks(const void *self)
{
	const struct carveout *s = self;

	return (struct bank_layout){.banks = BANKS,
		.bank_bytes = 4,
		.one_store = true,
		.register_capacity = s->p.register_bytes / BANKS,
		.shared_capacity = s->p.bytes / BANKS,
		.cache_capacity = s->p.bytes / BANKS,
		.bytes = s->p.register_bytes + s->p.bytes,
		.tag_bits = 18};
}

static const struct storage_ops ops = {
	.split = split, .allow = allow, .most = most, .banks = banks};

const struct plugin storage_carveout = {
	.kind = "storage",
	.name = "carveout",
	.text = "A register file, and a memory of which a listed capacity is shared memory.",
	.path = "storage.carveout",
	.size = sizeof(struct carveout),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
