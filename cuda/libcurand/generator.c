/* cuRAND's functions: generators, and the numbers that they write to device or host memory. */
#include "cuda/libcuda/copies.h"
#include "cuda/libcurand/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define VERSION_MAJOR 10
#define VERSION_MINOR 4

/* curandStatus_t, as programs know it. */
enum status {
	STATUS_SUCCESS = 0,
	STATUS_NOT_INITIALIZED = 101,
	STATUS_ALLOCATION_FAILED = 102,
	STATUS_TYPE_ERROR = 103,
	STATUS_OUT_OF_RANGE = 104,
	STATUS_LENGTH_NOT_MULTIPLE = 105,
	STATUS_LAUNCH_FAILURE = 201,
	STATUS_INITIALIZATION_FAILED = 203
};

/* curandRngType_t */
enum { PSEUDO = 100, MTGP32 = 141, MT19937 = 142, QUASI = 200, QUASI_LAST = 204 };

#define MARK UINT64_C(0x77626372616e64)
struct generator {
	uint64_t mark; /* of one that lives */
	int type;
	bool on_host;
	void *stream;
	uint64_t seed, at;
};

static enum status lacks(const char *what, bool *told)
{
	if (!*told)
		fprintf(stderr,
			"warpbeam: %s not supported; CURAND_STATUS_TYPE_ERROR is returned\n", what);
	*told = true;
	return STATUS_TYPE_ERROR;
}

static bool lives(const struct generator *g)
{
	return g && g->mark == MARK;
}

static enum status create(struct generator **out, int type, bool on_host)
{
	static const int pseudo[] = {PSEUDO, 101, 121, MTGP32, MT19937, 161};
	static bool told;
	bool known = false;

	if (!out)
		return STATUS_OUT_OF_RANGE;
	*out = NULL;
	for (size_t i = 0; i < sizeof(pseudo) / sizeof(pseudo[0]); i++)
		known |= type == pseudo[i];
	if (type >= QUASI && type <= QUASI_LAST)
		return lacks("quasirandom generators are", &told);
	if (!known)
		return STATUS_TYPE_ERROR;
	if (!on_host && !device_connect())
		return STATUS_INITIALIZATION_FAILED;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return STATUS_ALLOCATION_FAILED;
	**out = (struct generator){.mark = MARK, .type = type, .on_host = on_host};
	return STATUS_SUCCESS;
}

API enum status curandCreateGenerator(struct generator **, int);
API enum status curandCreateGenerator(struct generator **out, int type)
{
	return create(out, type, false);
}

API enum status curandCreateGeneratorHost(struct generator **, int);
API enum status curandCreateGeneratorHost(struct generator **out, int type)
{
	return create(out, type, true);
}

API enum status curandDestroyGenerator(struct generator *);
API enum status curandDestroyGenerator(struct generator *g)
{
	if (!lives(g))
		return STATUS_NOT_INITIALIZED;
	g->mark = 0;
	free(g);
	return STATUS_SUCCESS;
}

API enum status curandSetStream(struct generator *, void *);
API enum status curandSetStream(struct generator *g, void *stream)
{
	if (!lives(g))
		return STATUS_NOT_INITIALIZED;
	g->stream = stream;
	return STATUS_SUCCESS;
}

API enum status curandSetPseudoRandomGeneratorSeed(struct generator *, unsigned long long);
API enum status curandSetPseudoRandomGeneratorSeed(struct generator *g, unsigned long long seed)
{
	if (!lives(g))
		return STATUS_NOT_INITIALIZED;
	g->seed = seed;
	g->at = 0;
	return STATUS_SUCCESS;
}

API enum status curandSetGeneratorOffset(struct generator *, unsigned long long);
API enum status curandSetGeneratorOffset(struct generator *g, unsigned long long offset)
{
	if (!lives(g))
		return STATUS_NOT_INITIALIZED;
	if (g->type == MTGP32 || g->type == MT19937)
		return STATUS_TYPE_ERROR;
	g->at = offset;
	return STATUS_SUCCESS;
}

API enum status curandSetGeneratorOrdering(struct generator *, int);
API enum status curandSetGeneratorOrdering(struct generator *g, int ordering)
{
	if (!lives(g))
		return STATUS_NOT_INITIALIZED;
	return ordering >= 100 && ordering <= 104 ? STATUS_SUCCESS : STATUS_OUT_OF_RANGE;
}

API enum status curandSetQuasiRandomGeneratorDimensions(struct generator *, unsigned);
API enum status curandSetQuasiRandomGeneratorDimensions(struct generator *g, unsigned n)
{
	(void)n;
	return lives(g) ? STATUS_TYPE_ERROR : STATUS_NOT_INITIALIZED;
}

API enum status curandGenerateSeeds(struct generator *);
API enum status curandGenerateSeeds(struct generator *g)
{
	return lives(g) ? STATUS_SUCCESS : STATUS_NOT_INITIALIZED;
}

API enum status curandGetVersion(int *);
API enum status curandGetVersion(int *version)
{
	if (!version)
		return STATUS_OUT_OF_RANGE;
	*version = VERSION_MAJOR * 1000 + VERSION_MINOR * 100;
	return STATUS_SUCCESS;
}

API enum status curandGetProperty(int, int *);
API enum status curandGetProperty(int which, int *value)
{
	static const int values[] = {VERSION_MAJOR, VERSION_MINOR, 0};

	if (!value || which < 0 || which > 2)
		return STATUS_OUT_OF_RANGE;
	*value = values[which];
	return STATUS_SUCCESS;
}

/* ---- numbers */
/* What a function writes. */
struct numbers {
	size_t bytes; /* of one */
	void (*fill)(const struct numbers *, const struct generator *, void *to, size_t n);
	double mean, deviation;
	bool pairs, exponent;
};

#define PART ((size_t)1 << 16) /* numbers that are copied at once */

static void say_once(void)
{
	static bool told;

	if (!told)
		fprintf(stderr, "warpbeam: cuRAND is computed on the host: its calls take no "
				"simulated time, and its numbers are not NVIDIA's\n");
	told = true;
}

/* part: where they are made, for the device; NULL: `to` is the host's. */
static enum status generate_part(
	const struct generator *g, const struct numbers *k, void *part, char *to, size_t n)
{
	size_t bytes = n * k->bytes;

	k->fill(k, g, part ? part : to, n);
	if (!part)
		return STATUS_SUCCESS;
	return rows_copy((struct rows){to, bytes}, (struct rows){part, bytes}, bytes, 1,
		       &(struct transfer){TO_DEVICE, g->stream, true})
		       ? STATUS_LAUNCH_FAILURE
		       : STATUS_SUCCESS;
}

static enum status generate(struct generator *g, const struct numbers *k, void *to, size_t n)
{
	enum status status = STATUS_SUCCESS;
	void *part = NULL;

	if (!lives(g))
		return STATUS_NOT_INITIALIZED;
	if (k->pairs && n % 2)
		return STATUS_LENGTH_NOT_MULTIPLE;
	if (!to)
		return n ? STATUS_LAUNCH_FAILURE : STATUS_SUCCESS;
	say_once();
	if (!g->on_host)
		part = malloc(PART * k->bytes);
	if (!g->on_host && !part)
		return STATUS_ALLOCATION_FAILED;
	for (size_t done = 0; done < n && !status; done += PART) {
		size_t some = n - done < PART ? n - done : PART;

		status = generate_part(g, k, part, (char *)to + done * k->bytes, some);
		g->at += some;
	}
	free(part);
	return status;
}

#define FILL(name, type, number) \
	static void name(const struct numbers *k, const struct generator *g, void *to, size_t n) \
	{ \
		(void)k; \
		for (size_t i = 0; i < n; i++) \
			((type *)to)[i] = number(g->seed, g->at + i); \
	}
FILL(fill_words, uint32_t, random_word)
FILL(fill_floats, float, random_float)
FILL(fill_doubles, double, random_double)

static void fill_normal(const struct numbers *k, const struct generator *g, void *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double x = k->mean + k->deviation * random_normal(g->seed, g->at + i);

		x = k->exponent ? exp(x) : x;
		if (k->bytes == sizeof(float))
			((float *)to)[i] = (float)x;
		else
			((double *)to)[i] = x;
	}
}

static void fill_poisson(const struct numbers *k, const struct generator *g, void *to, size_t n)
{
	uint32_t *out = to;

	for (size_t i = 0; i < n; i++)
		out[i] = random_poisson(g->seed, g->at + i, k->mean);
}

API enum status curandGenerate(struct generator *, unsigned *, size_t);
API enum status curandGenerate(struct generator *g, unsigned *to, size_t n)
{
	return generate(g, &(struct numbers){.bytes = 4, .fill = fill_words}, to, n);
}

API enum status curandGenerateUniform(struct generator *, float *, size_t);
API enum status curandGenerateUniform(struct generator *g, float *to, size_t n)
{
	return generate(g, &(struct numbers){.bytes = 4, .fill = fill_floats}, to, n);
}

API enum status curandGenerateUniformDouble(struct generator *, double *, size_t);
API enum status curandGenerateUniformDouble(struct generator *g, double *to, size_t n)
{
	return generate(g, &(struct numbers){.bytes = 8, .fill = fill_doubles}, to, n);
}

#define NORMAL(name, type, is_log) \
	API enum status name(struct generator *, type *, size_t, type, type); \
	API enum status name(struct generator *g, type *to, size_t n, type mean, type deviation) \
	{ \
		return generate(g, \
			&(struct numbers){sizeof(type), fill_normal, (double)mean, \
				(double)deviation, true, is_log}, \
			to, n); \
	}
NORMAL(curandGenerateNormal, float, false)
NORMAL(curandGenerateNormalDouble, double, false)
NORMAL(curandGenerateLogNormal, float, true)
NORMAL(curandGenerateLogNormalDouble, double, true)

API enum status curandGeneratePoisson(struct generator *, unsigned *, size_t, double);
API enum status curandGeneratePoisson(struct generator *g, unsigned *to, size_t n, double mean)
{
	if (lives(g) && (!(mean > 0) || mean > 400000))
		return STATUS_OUT_OF_RANGE;
	return generate(
		g, &(struct numbers){.bytes = 4, .fill = fill_poisson, .mean = mean}, to, n);
}

/* ---- of quasirandom generators, and of Poisson's distribution in device code */
#define LACKING(name) \
	API enum status name(void); \
	API enum status name(void) \
	{ \
		static bool told; \
		return lacks(#name " is", &told); \
	}
LACKING(curandCreatePoissonDistribution)
LACKING(curandDestroyDistribution)
LACKING(curandGenerateLongLong)
LACKING(curandGeneratePoissonMethod)
LACKING(curandGetDirectionVectors32)
LACKING(curandGetDirectionVectors64)
LACKING(curandGetScrambleConstants32)
LACKING(curandGetScrambleConstants64)
