/* Compressed images: raw blocks of LZ4 and frames of Zstandard, by their libraries. */
#include "program/frame.h"
#include "program/inside.h"

#include "core/mem.h"

#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include <limits.h>

#if defined(HAVE_LZ4) || defined(HAVE_ZSTD)
static int damaged(const struct extent *p, const char *format, size_t bytes, struct err *err)
{
	return err_add(err, ERR_INPUT,
		"%s: the %zu bytes at %zu do not unpack (%s) to the %zu that their header "
		"announces; the file is damaged",
		p->path, p->bytes, p->from, format, bytes);
}
#endif

#if !defined(HAVE_LZ4) || !defined(HAVE_ZSTD)
static int left_out(const struct extent *p, const char *format, struct err *err)
{
	return err_add(err, ERR_UNSUPPORTED,
		"%s: its PTX is packed with %s, without which warpbeam was built; build it with "
		"the library, or the program with NVCC_APPEND_FLAGS=-compress-mode=none",
		p->path, format);
}
#endif

static int unpack_lz4(const struct extent *p, char *out, size_t bytes, struct err *err)
{
#ifdef HAVE_LZ4
	if (p->bytes > INT_MAX || bytes > INT_MAX ||
		LZ4_decompress_safe((const char *)p->at, out, (int)p->bytes, (int)bytes) !=
			(int)bytes)
		return damaged(p, "LZ4", bytes, err);
	return 0;
#else
	(void)out;
	(void)bytes;
	return left_out(p, "LZ4", err);
#endif
}

static int unpack_zstd(const struct extent *p, char *out, size_t bytes, struct err *err)
{
#ifdef HAVE_ZSTD
	if (ZSTD_decompress(out, bytes, p->at, p->bytes) != bytes)
		return damaged(p, "Zstandard", bytes, err);
	return 0;
#else
	(void)out;
	(void)bytes;
	return left_out(p, "Zstandard", err);
#endif
}

int unpack(const struct extent *p, enum packing packing, char *out, size_t bytes, struct err *err)
{
	return packing == PACKED_LZ4 ? unpack_lz4(p, out, bytes, err)
				     : unpack_zstd(p, out, bytes, err);
}

/* ---- frames of our own */
#ifdef HAVE_ZSTD

char *frame_pack(const void *data, size_t bytes, size_t *packed)
{
	size_t room = ZSTD_compressBound(bytes), n;
	char *out = mem_alloc(room, 1), *cut;

	if (!out)
		return NULL;
	n = ZSTD_compress(out, room, data, bytes, 3);
	if (ZSTD_isError(n) || n >= bytes) {
		mem_free(out);
		return NULL;
	}
	*packed = n;
	cut = mem_grow(out, room, n, 1);
	return cut ? cut : out;
}

int frame_unpack(const void *data, size_t packed, char *out, size_t bytes)
{
	return ZSTD_decompress(out, bytes, data, packed) == bytes ? 0 : -1;
}

#else

char *frame_pack(const void *data, size_t bytes, size_t *packed)
{
	(void)data;
	(void)bytes;
	(void)packed;
	return NULL;
}

int frame_unpack(const void *data, size_t packed, char *out, size_t bytes)
{
	(void)data;
	(void)packed;
	(void)out;
	(void)bytes;
	return -1;
}

#endif
