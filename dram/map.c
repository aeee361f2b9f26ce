/* Address maps parsed from strings. */
#include "dram/map.h"

#include <string.h>

enum field { FIELD_ROW, FIELD_BANK, FIELD_GROUP, FIELD_COLUMN, FIELDS };

static const char *const names[FIELDS] = {"Ro", "Ba", "Bg", "Co"};

struct reader {
	const char *text, *at;
	unsigned size[FIELDS]; /* bits the device has */
	unsigned used[FIELDS];
	unsigned field[DRAM_MAP_FIELDS], bits[DRAM_MAP_FIELDS], nparts; /* most significant first */
	struct err *err;
};

static unsigned bits_of(uint32_t n)
{
	return low_bit(n);
}

static int refuse(const struct reader *r, const char *field, const char *why)
{
	return err_add(r->err, ERR_INPUT,
		"dram.map = %s: %s%s%s (Ro %u bits, Ba %u, Bg %u, Co %u; as RoBaBgCo)", r->text,
		field, *field ? ": " : "", why, r->size[FIELD_ROW], r->size[FIELD_BANK],
		r->size[FIELD_GROUP], r->size[FIELD_COLUMN]);
}

/* The number of bits in the text; -1: not a number. */
static int read_bits(struct reader *r)
{
	int n = 0;

	if (*r->at < '0' || *r->at > '9')
		return -1;
	for (; *r->at >= '0' && *r->at <= '9'; r->at++)
		n = n < 100 ? n * 10 + (*r->at - '0') : n;
	return n;
}

static int read_field(struct reader *r)
{
	unsigned f = 0;
	int bits;

	while (f < FIELDS && strncmp(r->at, names[f], 2))
		f++;
	if (f == FIELDS)
		return refuse(r, "", "unknown field");
	r->at += 2;
	bits = read_bits(r);
	if (bits < 0)
		bits = (int)r->size[f] - (int)r->used[f];
	if (bits <= 0 && r->used[f])
		return refuse(r, names[f], "doubled bits");
	r->used[f] += (unsigned)bits;
	if (r->used[f] > r->size[f])
		return refuse(r, names[f], "doubled bits");
	if (r->nparts == DRAM_MAP_FIELDS)
		return refuse(r, "", "too many fields");
	r->bits[r->nparts] = (unsigned)bits;
	r->field[r->nparts++] = f;
	return 0;
}

/* From the least significant field up: where each begins in the address and in the location. */
static void lay_out(struct reader *r, struct dram_map *m)
{
	unsigned shift = 0, to[FIELDS] = {DRAM_ROW_FROM, 0, r->size[FIELD_BANK], 0};

	for (unsigned i = r->nparts; i-- > 0;) {
		unsigned f = r->field[i];

		if (f != FIELD_COLUMN && r->bits[i])
			m->parts[m->nparts++] = (struct dram_map_part){.shift = (uint8_t)shift,
				.to = (uint8_t)to[f],
				.mask = (UINT64_C(1) << r->bits[i]) - 1};
		shift += r->bits[i];
		to[f] += r->bits[i];
	}
}

int dram_map_init(struct dram_map *m, const char *fields, const struct policy *hash,
	const struct dram_device *d, struct err *err)
{
	struct reader r = {.text = fields,
		.at = fields,
		.size = {bits_of(d->rows), bits_of(d->banks / d->groups), bits_of(d->groups),
			bits_of(d->row_bytes / d->burst_bytes)},
		.err = err};

	*m = (struct dram_map){0};
	while (*r.at)
		if (read_field(&r))
			return -1;
	for (unsigned f = 0; f < FIELDS; f++)
		if (r.used[f] < r.size[f])
			return refuse(&r, names[f], "missing bits");
	lay_out(&r, m);
	if (!hash || !hash->ops)
		return 0;
	m->hash = hash->ops;
	m->mix = hash->self;
	if (m->hash->init)
		m->hash->init(hash->self, d->banks);
	return 0;
}
