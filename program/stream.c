/* Streams packed with Zstandard: frames of RFC 8878 with their content's checksum. */
#include "program/stream.h"

#include "core/base.h"
#include "core/mem.h"

#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>

#define LEVEL 1           /* most of it is zeros, or does not repeat */
#define PIECE_BYTES 65536 /* collected before packing, and after unpacking */

struct stream_out {
	ZSTD_CStream *packer;
	struct file_out *file;
	size_t used;
	bool failed;
	char piece[PIECE_BYTES], packed[PIECE_BYTES];
};

struct stream_in {
	ZSTD_DStream *unpacker;
	ZSTD_inBuffer from;
	size_t at, n;
	bool failed, ended;
	char piece[PIECE_BYTES];
};

bool stream_possible(void)
{
	return true;
}

struct stream_out *stream_begin(struct file_out *file, struct err *err)
{
	struct stream_out *s = mem_alloc(1, sizeof(*s));

	if (s)
		s->packer = ZSTD_createCStream();
	if (!s || !s->packer ||
		ZSTD_isError(ZSTD_CCtx_setParameter(s->packer, ZSTD_c_compressionLevel, LEVEL)) ||
		ZSTD_isError(ZSTD_CCtx_setParameter(s->packer, ZSTD_c_checksumFlag, 1))) {
		if (s)
			ZSTD_freeCStream(s->packer);
		mem_free(s);
		err_add(err, ERR_RESOURCE, "no host memory to pack a file");
		return NULL;
	}
	s->file = file;
	return s;
}

static void pack(struct stream_out *s, ZSTD_EndDirective mode)
{
	ZSTD_inBuffer in = {s->piece, s->used, 0};
	size_t left = 1;

	while (!s->failed && (in.pos < in.size || (mode == ZSTD_e_end && left))) {
		ZSTD_outBuffer out = {s->packed, sizeof(s->packed), 0};

		left = ZSTD_compressStream2(s->packer, &out, &in, mode);
		s->failed = ZSTD_isError(left);
		if (!s->failed)
			file_add(s->file, s->packed, out.pos);
	}
	s->used = 0;
}

void stream_put(struct stream_out *s, const void *bytes, size_t n)
{
	const char *from = bytes;

	while (n) {
		size_t some = n < PIECE_BYTES - s->used ? n : PIECE_BYTES - s->used;

		memcpy(s->piece + s->used, from, some);
		s->used += some;
		from += some;
		n -= some;
		if (s->used == PIECE_BYTES)
			pack(s, ZSTD_e_continue);
	}
}

int stream_end(struct stream_out *s, struct err *err)
{
	bool failed;

	pack(s, ZSTD_e_end);
	failed = s->failed;
	ZSTD_freeCStream(s->packer);
	mem_free(s);
	return failed ? err_add(err, ERR_RESOURCE, "no host memory to pack a file") : 0;
}

struct stream_in *stream_open(const void *bytes, size_t n, struct err *err)
{
	struct stream_in *s = mem_alloc(1, sizeof(*s));

	if (s)
		s->unpacker = ZSTD_createDStream();
	if (!s || !s->unpacker) {
		mem_free(s);
		err_add(err, ERR_RESOURCE, "no host memory to unpack a file");
		return NULL;
	}
	s->from = (ZSTD_inBuffer){bytes, n, 0};
	return s;
}

/* The next piece. False: there is none. */
static bool unpack_piece(struct stream_in *s)
{
	ZSTD_outBuffer out = {s->piece, sizeof(s->piece), 0};

	s->at = s->n = 0;
	while (!s->failed && !s->ended && !out.pos) {
		size_t before = s->from.pos;
		size_t left = ZSTD_decompressStream(s->unpacker, &out, &s->from);

		s->ended = !left;
		s->failed = ZSTD_isError(left) || (!s->ended && !out.pos && s->from.pos == before);
	}
	s->n = s->failed ? 0 : out.pos;
	return s->n;
}

bool stream_get(struct stream_in *s, void *bytes, size_t n)
{
	char *to = bytes;

	while (n) {
		size_t some = n < s->n - s->at ? n : s->n - s->at;

		memcpy(to, s->piece + s->at, some);
		s->at += some;
		to += some;
		n -= some;
		if (n && s->at == s->n && !unpack_piece(s))
			return false;
	}
	return true;
}

bool stream_whole(struct stream_in *s)
{
	while (unpack_piece(s))
		;
	return s->ended && !s->failed && s->from.pos == s->from.size;
}

void stream_close(struct stream_in *s)
{
	if (!s)
		return;
	ZSTD_freeDStream(s->unpacker);
	mem_free(s);
}

#else

bool stream_possible(void)
{
	return false;
}

struct stream_out *stream_begin(struct file_out *file, struct err *err)
{
	(void)file;
	err_add(err, ERR_USAGE, "this build has no Zstandard");
	return NULL;
}

void stream_put(struct stream_out *s, const void *bytes, size_t n)
{
	(void)s;
	(void)bytes;
	(void)n;
}

int stream_end(struct stream_out *s, struct err *err)
{
	(void)s;
	(void)err;
	return -1;
}

struct stream_in *stream_open(const void *bytes, size_t n, struct err *err)
{
	(void)bytes;
	(void)n;
	err_add(err, ERR_USAGE, "this build has no Zstandard");
	return NULL;
}

bool stream_get(struct stream_in *s, void *bytes, size_t n)
{
	(void)s;
	(void)bytes;
	(void)n;
	return false;
}

bool stream_whole(struct stream_in *s)
{
	(void)s;
	return false;
}

void stream_close(struct stream_in *s)
{
	(void)s;
}

#endif
