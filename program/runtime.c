/* How a program is linked with CUDA's runtime, and with libraries that are machine code alone. */
#include "program/runtime.h"

#include "core/base.h"
#include "program/inside.h"

#include <string.h>

/* Where the text begins among the bytes; NULL: nowhere. */
static const unsigned char *find(const struct extent *in, const char *text)
{
	const unsigned char *at = in->at, *end = at ? at + in->bytes : NULL;
	size_t n = strlen(text);

	while (at && (size_t)(end - at) >= n) {
		if (!memcmp(at, text, n))
			return at;
		at = memchr(at + 1, text[0], (size_t)(end - at) - 1);
	}
	return NULL;
}

int code_runtime(const struct code_file *f, struct code_runtime *out, struct err *err)
{
	/* of NVIDIA's libraries that have kernels, and those that use its driver */
	static const char *const closed[] = {
		"libcufft", "libcusparse", "libcusolver", "libcudnn", "libnccl", "libnpp"};
	struct extent file = {f->path, f->data, f->bytes, 0}, names = {0};

	*out = (struct code_runtime){.kind = RUNTIME_NONE};
	if (elf_section(&file, ".dynstr", &names, err))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(closed) && !out->closed; i++)
		out->closed = find(&names, closed[i]) ? closed[i] : NULL;
	out->driver = find(&names, "libcuda.so.");
	out->cubins = find(&names, "nvrtcGetCUBIN");
	if (find(&names, "libcudart.so."))
		out->kind = RUNTIME_SHARED;
	else if (find(&file, "WARPBEAM_CUDA"))
		out->kind = RUNTIME_OURS;
	else if (find(&file, "cudaErrorCudartUnloading"))
		out->kind = RUNTIME_STATIC;
	else if (out->driver)
		out->kind = RUNTIME_DRIVER;
	if (out->kind == RUNTIME_OURS && !out->closed && out->driver)
		out->closed = "libcuda.so.1 beside warpbeam's static library";
	return 0;
}
