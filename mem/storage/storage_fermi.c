/* Fermi-like SM storage: a register file, and a memory that is split between shared memory and
 * cache in one of a few configurations (Gebhart et al., MICRO 2012, section 6.3; the original: 48
 * and 16 KB). */
#include "core/base.h"
#include "core/table.h"
#include "mem/storage/storage_list.h"

#define BANKS 32u
#define MOST_SPLITS 16u

#define PARAMS(P, T) \
	P(T, UINT, register_bytes, 262144, 128, 1 << 30, "bytes", "Register file of one SM.") \
	P(T, NAME, splits, "96/32,32/96", 0, 0, "", \
		"Allowed splits: KB of shared memory / KB of cache, separated by commas.") \
	P(T, UINT, split, 0, 0, 16, "", \
		"Which of them, from 1 on; 0: the one with most CTAs, then the largest cache.")

struct fermi {
	struct {
		PARAMS(PARAM_FIELD, fermi)
	} p;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, fermi)};

/* The list; its length, or 0 when it cannot be read. */
static unsigned read_splits(const struct fermi *s, struct storage_split *list)
{
	const char *at = s->p.splits;

	for (unsigned n = 0; n < MOST_SPLITS; at++) {
		list[n].register_bytes = s->p.register_bytes;
		if (!storage_read_kb(&at, '/', &list[n].shared_bytes) || *at++ != '/' ||
			!storage_read_kb(&at, ',', &list[n].cache_bytes))
			return 0;
		n++;
		if (!*at)
			return n;
	}
	return 0;
}

static int most(const void *self, struct storage_split *out, struct err *err)
{
	const struct fermi *s = self;
	struct storage_split list[MOST_SPLITS];
	unsigned n = read_splits(s, list);

	*out = (struct storage_split){.register_bytes = s->p.register_bytes};
	if (!n)
		return err_add(err, ERR_INPUT,
			"storage.fermi.splits = '%s': must be a list of at most %u splits, such as "
			"\"96/32,32/96\": KB of shared memory, KB of cache",
			s->p.splits, MOST_SPLITS);
	if (s->p.split > n)
		return err_add(err, ERR_INPUT, "storage.fermi.split = %llu: the list \"%s\" has %u",
			(unsigned long long)s->p.split, s->p.splits, n);
	if (storage_banked(
		    "storage.fermi.register_bytes", s->p.register_bytes, STORAGE_REGISTER_ROW, err))
		return -1;
	for (unsigned i = 0; i < n; i++) {
		out->shared_bytes = max_u64(out->shared_bytes, list[i].shared_bytes);
		out->cache_bytes = max_u64(out->cache_bytes, list[i].cache_bytes);
	}
	return 0;
}

/* Reports which of the two is too small. */
static int report_too_small(const struct fermi *s, const struct storage_need *needs, unsigned n,
	const struct storage_split *split, struct err *err)
{
	struct storage_need most = storage_most_needed(needs, n);
	const char *who = n == 1 ? "" : "one split for all kernels: ";

	if (storage_lacks_registers(who, &most, split, "storage.fermi.register_bytes", err))
		return -1;
	return err_add(err, ERR_RESOURCE,
		"%sa CTA needs %llu bytes of shared memory; the split has %llu KB of it "
		"(storage.fermi.splits = %s)",
		who, (unsigned long long)storage_cta_shared(&most),
		(unsigned long long)split->shared_bytes / 1024, s->p.splits);
}

/* The splits to choose from: the list, or the one that is set. */
static unsigned choices(
	const struct fermi *s, struct storage_split *list, const struct storage_split **first)
{
	unsigned n = read_splits(s, list);

	BUG_ON(s->p.split > n || !n);
	*first = s->p.split ? &list[s->p.split - 1] : list;
	return s->p.split ? 1 : n;
}

static int split(const void *self, const struct storage_need *needs, unsigned n,
	struct storage_split *out, struct err *err)
{
	const struct fermi *s = self;
	struct storage_split list[MOST_SPLITS];
	const struct storage_split *first;
	unsigned nsplits = choices(s, list, &first);
	uint64_t warps;

	*out = first[storage_best(first, nsplits, needs, n)];
	if (storage_admit_all(needs, n, err))
		return -1;
	return storage_holds(out, needs, n, &warps) ? 0 : report_too_small(s, needs, n, out, err);
}

static struct storage_allowance allow(
	const void *self, const struct storage_need *need, uint32_t ctas)
{
	struct storage_split list[MOST_SPLITS];
	const struct storage_split *first;
	unsigned n = choices(self, list, &first);

	return storage_allow_any(first, n, need, ctas);
}

/* Shared memory and cache are in the same banks. */
static struct bank_layout banks(const void *self)
{
	const struct fermi *s = self;
	struct storage_split list[MOST_SPLITS];
	unsigned n = read_splits(s, list);
	uint64_t store = 0;

	for (unsigned i = 0; i < n; i++)
		store = max_u64(store, list[i].shared_bytes + list[i].cache_bytes);
	return (struct bank_layout){.banks = BANKS,
		.bank_bytes = 4,
		.one_store = true,
		.register_capacity = s->p.register_bytes / BANKS,
		.shared_capacity = store / BANKS,
		.cache_capacity = store / BANKS,
		.bytes = s->p.register_bytes + store,
		.tag_bits = 18};
}

static const struct storage_ops ops = {
	.split = split, .allow = allow, .most = most, .banks = banks};

const struct plugin storage_fermi = {
	.kind = "storage",
	.name = "fermi",
	.text = "A register file, and a memory split between shared memory and cache.",
	.path = "storage.fermi",
	.size = sizeof(struct fermi),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
