/* aes: a picture encrypted with a key of 128 or of 256 bits (FIPS 197). */
#include "workloads/workload.h"

/* As in aes.cu: a CTA of 256 threads encrypts 1 KB. */
#define THREADS 256u
#define MAX_ROUNDS 14u
#define MAX_KEYS (4 * (MAX_ROUNDS + 1))

#define PARAMS(P, T) \
	P(T, UINT, kilobytes, 0, 0, 65536, "KB", \
		"Data to encrypt; 0 = by size: 64 at small, 256 (the suite's picture) at " \
		"full.") \
	P(T, UINT, key_bits, 128, 128, 256, "bits", "Length of the key, 128 (the suite's) or 256.")

/* What the key's length changes; the key's words. */
struct cipher {
	const char *kernel, *keys_name;
	uint32_t nkey, rounds;
};
static const struct cipher ciphers[2] = {
	{"aes_encrypt_128", "keys128", 4, 10},
	{"aes_encrypt_256", "keys256", 8, 14},
};

struct aes {
	struct {
		PARAMS(PARAM_FIELD, aes)
	} p;
	uint32_t kilobytes;
	const struct cipher *cipher;
	uint8_t key[32];
	uint32_t *plain;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, aes)};

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

/* Substitution of bytes by powers of the field's generator 3: the inverse of 3^i is 3^(255 - i). */
static void make_sbox(uint8_t sbox[256])
{
	uint8_t power[256], x = 1;

	for (unsigned i = 0; i < 256; i++) {
		power[i] = x;
		x = (uint8_t)(x ^ x << 1 ^ (x & 0x80 ? 0x11b : 0));
	}
	sbox[0] = 0x63;
	for (unsigned i = 0; i < 255; i++) {
		uint32_t inverse = power[(255 - i) % 255] * 0x01010101u;

		sbox[power[i]] = (uint8_t)(0x63 ^ inverse ^ inverse >> 4 ^ inverse >> 5 ^
					   inverse >> 6 ^ inverse >> 7);
	}
}

static uint32_t substitute(const uint8_t sbox[256], uint32_t x)
{
	return (uint32_t)sbox[x & 255] | (uint32_t)sbox[x >> 8 & 255] << 8 |
	       (uint32_t)sbox[x >> 16 & 255] << 16 | (uint32_t)sbox[x >> 24] << 24;
}

/* FIPS 197, section 5.2, in words. */
static void expand_key(
	const struct aes *w, const struct cipher *c, const uint8_t sbox[256], uint32_t *keys)
{
	uint32_t constant = 1;

	for (uint32_t i = 0; i < c->nkey; i++)
		keys[i] = (uint32_t)w->key[4 * i] | (uint32_t)w->key[4 * i + 1] << 8 |
			  (uint32_t)w->key[4 * i + 2] << 16 | (uint32_t)w->key[4 * i + 3] << 24;
	for (uint32_t i = c->nkey; i < 4 * (c->rounds + 1); i++) {
		uint32_t word = keys[i - 1];

		if (i % c->nkey == 0) {
			word = substitute(sbox, rotate(word, 24)) ^ constant;
			constant = (constant << 1 ^ (constant & 0x80 ? 0x11b : 0)) & 0xff;
		} else if (c->nkey > 6 && i % c->nkey == 4) {
			word = substitute(sbox, word);
		}
		keys[i] = keys[i - c->nkey] ^ word;
	}
}

static void draw_inputs(struct workload_run *run)
{
	struct aes *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	for (unsigned i = 0; i < sizeof(w->key); i++)
		w->key[i] = (uint8_t)rng_below(&rng, 256);
	w->plain = arena_alloc(run->arena, (size_t)w->kilobytes * THREADS, sizeof(*w->plain));
	for (size_t i = 0; i < (size_t)w->kilobytes * THREADS; i++)
		w->plain[i] = (uint32_t)rng_u64(&rng);
}

/* The words of a round key follow each other in them. */
static int bind_keys(struct workload_run *run, const struct cipher *c, module_t module,
	const uint8_t sbox[256], struct err *err)
{
	struct texture_desc d = {.type = TEXEL_U32, .channels = 1, .width = 4 * (c->rounds + 1)};
	uint32_t keys[MAX_KEYS] = {0};
	texture_t t;

	expand_key(run->state, c, sbox, keys);
	d.buffer = workload_buffer(run, c->keys_name, keys, sizeof(keys), err);
	if (!d.buffer)
		return -1;
	t = gpu_texture(run->gpu, c->keys_name, &d, err);
	return t ? workload_bind(run, module, c->keys_name, t, err) : -1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct aes *w = run->state;
	module_t module = workload_module(run, "aes", err);
	buffer_t plain;
	uint8_t sbox[256];
	uint64_t bytes;

	if (w->p.key_bits != 128 && w->p.key_bits != 256)
		return err_add(err, ERR_INPUT, "aes.key_bits = %u: must be 128 or 256",
			(unsigned)w->p.key_bits);
	w->cipher = &ciphers[w->p.key_bits == 256];
	w->kilobytes = workload_by_size(run, w->p.kilobytes, 64, 256);
	bytes = (uint64_t)w->kilobytes * 1024;
	draw_inputs(run);
	plain = workload_buffer(run, "plain", w->plain, bytes, err);
	if (!workload_result(run, "cipher", NULL, bytes, err) || !module || !plain)
		return -1;
	make_sbox(sbox);
	if (bind_keys(run, w->cipher, module, sbox, err))
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = w->cipher->kernel,
			.grid = {w->kilobytes, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(plain), ARG_BUF(run->result)},
			.nargs = 2,
		},
		err);
}

/* The reference: FIPS 197 byte by byte, multiplication in the field bit by bit. */
static uint8_t multiply(uint8_t a, uint8_t b)
{
	uint8_t product = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			product ^= a;
		a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
	}
	return product;
}

/* The inverse is the 254th power. */
static uint8_t substitute_byte(uint8_t x)
{
	uint8_t power = 1, y = 0;
	uint32_t inverse;

	for (unsigned i = 0; i < 254; i++)
		power = multiply(power, x);
	inverse = power;
	for (unsigned i = 0; i < 8; i++) {
		uint32_t bit = inverse >> i ^ inverse >> (i + 4) % 8 ^ inverse >> (i + 5) % 8 ^
			       inverse >> (i + 6) % 8 ^ inverse >> (i + 7) % 8 ^ 0x63u >> i;

		y = (uint8_t)(y | (bit & 1) << i);
	}
	return y;
}

static void expand_bytes(
	const struct aes *w, const struct cipher *c, const uint8_t sbox[256], uint8_t *key)
{
	uint32_t length = 4 * c->nkey, total = 16 * (c->rounds + 1);
	uint8_t constant = 1, last[4];

	for (uint32_t i = 0; i < length; i++)
		key[i] = w->key[i];
	for (uint32_t i = length; i < total; i += 4) {
		bool turned = i % length == 0, whole = length == 32 && i % length == 16;

		for (unsigned k = 0; k < 4; k++) {
			last[k] = key[i - 4 + (turned ? (k + 1) % 4 : k)];
			if (turned || whole)
				last[k] = sbox[last[k]];
		}
		if (turned) {
			last[0] ^= constant;
			constant = multiply(constant, 2);
		}
		for (unsigned k = 0; k < 4; k++)
			key[i + k] = key[i + k - length] ^ last[k];
	}
}

/* One round without its key: bytes substituted, rows shifted, columns mixed (not in the last). */
static void make_round(const uint8_t sbox[256], bool mixed, uint8_t s[16])
{
	uint8_t shifted[16];

	for (unsigned i = 0; i < 16; i++)
		shifted[i] = sbox[s[(i + 4 * (i % 4)) % 16]];
	for (unsigned i = 0; i < 16; i++) {
		const uint8_t *column = shifted + i / 4 * 4;

		s[i] = mixed ? multiply(column[i % 4], 2) ^ multiply(column[(i + 1) % 4], 3) ^
				       column[(i + 2) % 4] ^ column[(i + 3) % 4]
			     : shifted[i];
	}
}

static void reference(
	const struct aes *w, const struct cipher *c, const uint8_t sbox[256], uint8_t *out)
{
	size_t bytes = (size_t)w->kilobytes * 1024;
	uint8_t key[4 * MAX_KEYS];

	expand_bytes(w, c, sbox, key);
	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(w->plain[i / 4] >> i % 4 * 8) ^ key[i % 16];
	for (size_t block = 0; block < bytes; block += 16) {
		for (uint32_t r = 1; r <= c->rounds; r++) {
			make_round(sbox, r < c->rounds, out + block);
			for (unsigned i = 0; i < 16; i++)
				out[block + i] ^= key[16 * r + i];
		}
	}
}

static int check(struct workload_run *run, struct err *err)
{
	const struct aes *w = run->state;
	size_t words = (size_t)w->kilobytes * THREADS;
	int32_t *expected = arena_alloc(run->arena, words, sizeof(*expected));
	uint8_t sbox[256];

	for (unsigned i = 0; i < 256; i++)
		sbox[i] = substitute_byte((uint8_t)i);
	reference(w, w->cipher, sbox, (uint8_t *)expected);
	return workload_check_i32(run, expected, words, err);
}

static const char *const variants[] = {"aes.kilobytes=8 aes.key_bits=256", NULL};

static const struct workload_ops ops = {
	.computes = "AES of a picture, by four tables of a round's work.",
	.source = "Bakhoda et al., ISPASS 2009, AES (Manavski, ICSPC 2007; FIPS 197)",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin aes_workload = {
	.kind = "workload",
	.name = "aes",
	.text = "Encryption: look-ups in shared memory, a barrier each round.",
	.path = "aes",
	.size = sizeof(struct aes),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
