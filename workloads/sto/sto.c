/* sto: MD5 of sliding windows over a long text, as content-addressed stores need them. */
#include "workloads/workload.h"

#include <math.h>

/* As in sto.cu. */
#define THREADS 128u
#define EACH 31u
#define WINDOW 29u
#define STRETCH (THREADS * EACH)

#define BLOCKS 2u /* of 16 words: the window, its end mark and length */
#define HASH_WORDS 4u

#define PARAMS(P, T) \
	P(T, UINT, ctas, 0, 0, 16384, "CTAs", \
		"CTAs, each with a stretch of 15872 bytes of text; 0 = by size: 32 at small, " \
		"384 (the suite's) at full.") \
	P(T, UINT, step, 0, 0, 31, "words", \
		"Words of four bytes from window to window within a thread's 31; 0 = by " \
		"size: 8 at small, 1 at full.")

struct sto {
	struct {
		PARAMS(PARAM_FIELD, sto)
	} p;
	uint32_t ctas, step;
	uint32_t *text;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, sto)};

/* The last window reaches beyond the last stretch. */
static size_t text_words(const struct sto *w)
{
	return (size_t)w->ctas * STRETCH + WINDOW - 1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct sto *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	module_t module = workload_module(run, "sto", err);
	buffer_t text;
	int32_t step;

	w->ctas = workload_by_size(run, w->p.ctas, 32, 384);
	w->step = workload_by_size(run, w->p.step, 8, 1);
	w->text = arena_alloc(run->arena, text_words(w), sizeof(*w->text));
	for (size_t i = 0; i < text_words(w); i++)
		w->text[i] = (uint32_t)(rng_u64(&rng) >> 32);
	text = workload_buffer(run, "text", w->text, text_words(w) * sizeof(*w->text), err);
	workload_result(run, "hashes", NULL,
		(uint64_t)w->ctas * STRETCH * HASH_WORDS * sizeof(uint32_t), err);
	if (!module || !text || !run->result)
		return -1;
	step = (int32_t)w->step;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "sto",
			.grid = {w->ctas, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(text), ARG_BUF(run->result),
				ARG_VAL(step)},
			.nargs = 3,
		},
		err);
}

/* The constants of MD5's 64 steps, as RFC 1321 defines them. */
static void make_sines(uint32_t sines[64])
{
	for (unsigned i = 0; i < 64; i++)
		sines[i] = (uint32_t)floor(fabs(sin((double)(i + 1))) * 0x1p32);
}

/* What step i makes of the state's last three words, and which word of the block it takes. */
static uint32_t mix(unsigned i, const uint32_t s[HASH_WORDS], unsigned *word)
{
	switch (i / 16) {
	case 0:
		*word = i;
		return (s[1] & s[2]) | (~s[1] & s[3]);
	case 1:
		*word = (5 * i + 1) % 16;
		return (s[1] & s[3]) | (s[2] & ~s[3]);
	case 2:
		*word = (3 * i + 5) % 16;
		return s[1] ^ s[2] ^ s[3];
	default:
		*word = 7 * i % 16;
		return s[2] ^ (s[1] | ~s[3]);
	}
}

/* One more block, whose words are in the order of the host, into `hash`. */
static void reference_block(
	const uint32_t block[16], const uint32_t sines[64], uint32_t hash[HASH_WORDS])
{
	static const uint8_t turns[4][4] = {
		{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t s[HASH_WORDS] = {hash[0], hash[1], hash[2], hash[3]};

	for (unsigned i = 0; i < 64; i++) {
		unsigned word, turn = turns[i / 16][i % 4];
		uint32_t sum = s[0] + mix(i, s, &word) + sines[i];

		sum += block[word];
		s[0] = s[3];
		s[3] = s[2];
		s[2] = s[1];
		s[1] += sum << turn | sum >> (32 - turn);
	}
	for (unsigned k = 0; k < HASH_WORDS; k++)
		hash[k] += s[k];
}

/* MD5 of a window. */
static void reference(const uint32_t *window, const uint32_t sines[64], uint32_t hash[HASH_WORDS])
{
	uint32_t message[BLOCKS * 16] = {[WINDOW] = 0x80, [BLOCKS * 16 - 2] = WINDOW * 32};

	for (unsigned k = 0; k < WINDOW; k++)
		message[k] = window[k];
	hash[0] = 0x67452301;
	hash[1] = 0xefcdab89;
	hash[2] = 0x98badcfe;
	hash[3] = 0x10325476;
	for (unsigned block = 0; block < BLOCKS; block++)
		reference_block(message + block * 16, sines, hash);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct sto *w = run->state;
	size_t windows = (size_t)w->ctas * STRETCH;
	uint32_t *expected = arena_alloc(run->arena, windows * HASH_WORDS, sizeof(*expected));
	uint32_t sines[64];

	make_sines(sines);
	for (size_t i = 0; i < windows; i++) {
		if (i % EACH % w->step)
			continue;
		reference(w->text + i, sines, expected + i * HASH_WORDS);
	}
	return workload_check_i32(run, (const int32_t *)expected, windows * HASH_WORDS, err);
}

static const char *const variants[] = {"sto.ctas=2 sto.step=15", NULL};

static const struct workload_ops ops = {
	.computes = "MD5 of sliding windows over a text.",
	.source = "Bakhoda et al., ISPASS 2009, STO (Al-Kiswany et al., HPDC 2008)",
	.fitted = "stretches of 31 words a thread in shared memory, by MICRO 2012's table 1 (127 "
		  "bytes per thread); StoreGPU's thread has one window of 13 words",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin sto_workload = {
	.kind = "workload",
	.name = "sto",
	.text = "Hashing: integer arithmetic on much shared memory.",
	.path = "sto",
	.size = sizeof(struct sto),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
