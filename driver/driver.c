/* Opening NVIDIA's driver, and what its errors mean. */
#include "driver/driver.h"

#include "core/base.h"

#include <dlfcn.h>
#include <string.h>

static const struct {
	const char *field, *symbol;
	size_t offset;
	bool needed;
} functions[] = {
#define ROW(name, symbol, parameters) {#name, symbol, offsetof(struct cuda, name), true},
	CUDA_NEEDED(ROW)
#undef ROW
#define ROW(name, symbol, parameters) {#name, symbol, offsetof(struct cuda, name), false},
		CUDA_OPTIONAL(ROW)
#undef ROW
};

const char *driver_symbol(const char *field)
{
	for (unsigned i = 0; i < ARRAY_LEN(functions); i++)
		if (!strcmp(functions[i].field, field))
			return functions[i].symbol;
	return field;
}

static enum err_code meaning(int result)
{
#define IS(code) result == (code) ||
	if (CUDA_FAULTS(IS) false)
		return ERR_FAULT;
#undef IS
	if (result == CUDA_INVALID_PTX || result == CUDA_UNSUPPORTED_PTX)
		return ERR_INPUT;
	return result == CUDA_OUT_OF_RESOURCES || result == CUDA_OUT_OF_MEMORY ? ERR_RESOURCE
									       : ERR_HOST;
}

int driver_result(
	const struct driver *d, const char *symbol, int result, const char *what, struct err *err)
{
	const char *name = NULL, *text = NULL;

	if (result == CUDA_SUCCESS)
		return 0;
	if (result == CUDA_MISSING)
		return err_add(err, ERR_HOST, "%s%sthe driver has no function %s, which this needs",
			what ? what : "", what ? ": " : "", symbol);
	if (d->cuda.error_name && d->cuda.error_name(result, &name))
		name = NULL;
	if (d->cuda.error_text && d->cuda.error_text(result, &text))
		text = NULL;
	return err_add(err, meaning(result), "%s%s%s: error %d (%s)%s%s", what ? what : "",
		what ? ": " : "", symbol, result, name ? name : "of unknown name", text ? ": " : "",
		text ? text : "");
}

static int open_library(struct driver *d, const char *path, struct err *err)
{
	d->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!d->library)
		return err_add(err, ERR_HOST,
			"no driver of a GPU: %s cannot be opened (%s); --driver or "
			"WARPBEAM_DRIVER names another library",
			path, dlerror());
	for (unsigned i = 0; i < ARRAY_LEN(functions); i++) {
		void *at = dlsym(d->library, functions[i].symbol);

		if (!at && functions[i].needed)
			return err_add(err, ERR_HOST,
				"%s: the driver has no function %s: CUDA %d.%d or newer is needed",
				path, functions[i].symbol, DRIVER_LEAST / 1000,
				DRIVER_LEAST % 1000 / 10);
		memcpy((char *)&d->cuda + functions[i].offset, &at, sizeof(at));
	}
	d->gpu.stand_in = dlsym(d->library, DRIVER_STAND_IN) != NULL;
	return 0;
}

static int check_version(struct driver *d, struct err *err)
{
	int v;

	if (DRIVER_CALL(d, NULL, err, driver_version, &d->gpu.version))
		return -1;
	v = d->gpu.version;
	if (v >= DRIVER_LEAST)
		return 0;
	return err_add(err, ERR_HOST,
		"the driver is too old: it supports CUDA %d.%d; %d.%d or newer is needed", v / 1000,
		v % 1000 / 10, DRIVER_LEAST / 1000, DRIVER_LEAST % 1000 / 10);
}

static int find_gpu(struct driver *d, int ordinal, struct err *err)
{
	int count = 0;

	if (DRIVER_CALL(d, NULL, err, device_count, &count))
		return -1;
	if (!count)
		return err_add(err, ERR_HOST, "the driver finds no GPU");
	if (ordinal >= count)
		return err_add(err, ERR_HOST, "there is no GPU %d: the driver finds %d, from 0 on",
			ordinal, count);
	return DRIVER_CALL(d, NULL, err, device_get, &d->device, ordinal);
}

static int describe(struct driver *d, struct err *err)
{
	struct driver_gpu *g = &d->gpu;
	const struct {
		int attribute;
		int *value;
	} wanted[] = {{CUDA_CLOCK_KHZ, &g->clock_khz}, {CUDA_SMS, &g->sms},
		{CUDA_MEMORY_CLOCK_KHZ, &g->memory_clock_khz}, {CUDA_BUS_BITS, &g->bus_bits},
		{CUDA_L2_BYTES, &g->l2_bytes}, {CUDA_TEXTURE_ALIGNMENT, &g->texture_alignment},
		{CUDA_PITCH_ALIGNMENT, &g->pitch_alignment}, {CUDA_CAPABILITY_MAJOR, &g->major},
		{CUDA_CAPABILITY_MINOR, &g->minor}};
	size_t bytes = 0;

	for (unsigned i = 0; i < ARRAY_LEN(wanted); i++)
		if (DRIVER_CALL(d, NULL, err, device_attribute, wanted[i].value,
			    wanted[i].attribute, d->device))
			return -1;
	if (DRIVER_CALL(d, NULL, err, device_name, g->name, sizeof(g->name), d->device) ||
		DRIVER_CALL(d, NULL, err, device_memory, &bytes, d->device))
		return -1;
	g->name[sizeof(g->name) - 1] = '\0';
	g->memory_bytes = bytes;
	return 0;
}

static int make_context(struct driver *d, struct err *err)
{
	if (!DRIVER_CALL(d, NULL, err, context_create, &d->context, 0, d->device))
		return 0;
	d->context = NULL;
	return -1;
}

int driver_open(struct driver *d, const char *library, int ordinal, struct err *err)
{
	int result;

	*d = (struct driver){0};
	if (open_library(d, library ? library : DRIVER_LIBRARY, err) || check_version(d, err))
		return -1;
	result = d->cuda.init(0);
	if (result == CUDA_NO_GPU)
		return err_add(err, ERR_HOST, "the driver finds no GPU");
	if (driver_result(d, "cuInit", result, NULL, err) || find_gpu(d, ordinal, err) ||
		describe(d, err))
		return -1;
	return make_context(d, err);
}

int driver_renew(struct driver *d, struct err *err)
{
	if (d->context)
		d->cuda.context_destroy(d->context);
	return make_context(d, err);
}

void driver_close(struct driver *d, struct err *err)
{
	struct err wrong = {0};

	if (d->context)
		DRIVER_CALL(d, NULL, &wrong, context_destroy, d->context);
	if (d->library)
		dlclose(d->library);
	if (!err->count)
		err_move(err, &wrong);
	err_clear(&wrong);
	*d = (struct driver){0};
}
