/* Partitioned SM storage: registers, shared memory and cache of fixed sizes, the baseline of
 * Gebhart et al., MICRO 2012, section 2. */
#include "core/table.h"
#include "mem/storage/storage.h"

#define BANKS 32u

#define PARAMS(P, T) \
	P(T, UINT, register_bytes, 262144, 128, 1 << 30, "bytes", "Register file of one SM.") \
	P(T, UINT, shared_bytes, 65536, 0, 1 << 30, "bytes", "Shared memory of one SM.") \
	P(T, UINT, cache_bytes, 65536, 0, 1 << 30, "bytes", "L1 data cache of one SM; 0: none.")

struct partitioned {
	struct {
		PARAMS(PARAM_FIELD, partitioned)
	} p;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, partitioned)};

static int most(const void *self, struct storage_split *out, struct err *err)
{
	const struct partitioned *s = self;

	int bad = storage_banked("storage.partitioned.register_bytes", s->p.register_bytes,
		STORAGE_REGISTER_ROW, err);

	bad |= storage_banked(
		"storage.partitioned.shared_bytes", s->p.shared_bytes, STORAGE_WORD_ROW, err);
	bad |= storage_banked(
		"storage.partitioned.cache_bytes", s->p.cache_bytes, STORAGE_WORD_ROW, err);
	*out = (struct storage_split){.register_bytes = s->p.register_bytes,
		.shared_bytes = s->p.shared_bytes,
		.cache_bytes = s->p.cache_bytes};
	return bad;
}

static int check(const struct partitioned *s, const struct storage_need *need,
	const struct storage_split *have, struct err *err)
{
	if (storage_ctas(have, need) || !storage_slots(need))
		return 0;
	if (storage_admit(need, err) ||
		storage_lacks_registers("", need, have, "storage.partitioned.register_bytes", err))
		return -1;
	return err_add(err, ERR_RESOURCE,
		"a CTA needs %llu bytes of shared memory; storage.partitioned.shared_bytes is %llu",
		(unsigned long long)storage_cta_shared(need),
		(unsigned long long)s->p.shared_bytes);
}

static int split(const void *self, const struct storage_need *needs, unsigned n,
	struct storage_split *out, struct err *err)
{
	most(self, out, err);
	for (unsigned i = 0; i < n; i++)
		if (check(self, &needs[i], out, err))
			return -1;
	return 0;
}

static struct storage_allowance allow(
	const void *self, const struct storage_need *need, uint32_t ctas)
{
	struct storage_split only;

	most(self, &only, NULL);
	return storage_allow(&only, need, ctas);
}

static struct bank_layout banks(const void *self)
{
	const struct partitioned *s = self;

	return (struct bank_layout){.banks = BANKS,
		.bank_bytes = 4,
		.register_capacity = s->p.register_bytes / BANKS,
		.shared_capacity = s->p.shared_bytes / BANKS,
		.cache_capacity = s->p.cache_bytes / BANKS,
		.bytes = s->p.register_bytes + s->p.shared_bytes + s->p.cache_bytes,
		.tag_bits = 18};
}

static const struct storage_ops ops = {
	.split = split, .allow = allow, .most = most, .banks = banks};

const struct plugin storage_partitioned = {
	.kind = "storage",
	.name = "partitioned",
	.text = "Registers, shared memory and L1 cache of fixed sizes.",
	.path = "storage.partitioned",
	.size = sizeof(struct partitioned),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
