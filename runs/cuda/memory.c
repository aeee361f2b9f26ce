/* Device memory as the program's host side sees it. */
#include "runs/cuda/inside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first block whose address is above `a`. */
static size_t above(const struct cuda_server *v, uint64_t a)
{
	size_t low = 0, high = v->nblocks;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (v->blocks[middle].address > a)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct cuda_block *cuda_block_at(const struct cuda_server *v, uint64_t a, uint64_t n)
{
	size_t i = above(v, a);
	struct cuda_block *b = i ? &v->blocks[i - 1] : NULL;

	return b && a - b->address < b->bytes && n <= b->bytes - (a - b->address) ? b : NULL;
}

void cuda_changed(struct cuda_server *v, const struct cuda_change *c)
{
	if (v->run.watch)
		v->run.watch->change(v->run.watch->ctx, c);
}

int cuda_add_block(struct cuda_server *v, const struct cuda_block *b)
{
	size_t i = above(v, b->address);

	if (i && v->blocks[i - 1].address == b->address)
		return 0; /* a variable that was asked for before */
	if (v->nblocks == v->block_room) {
		size_t room = 2 * v->block_room + 64;
		struct cuda_block *grown = mem_grow(v->blocks, v->block_room, room, sizeof(*grown));

		if (!grown)
			return -1;
		v->blocks = grown;
		v->block_room = room;
	}
	memmove(&v->blocks[i + 1], &v->blocks[i], (v->nblocks - i) * sizeof(*b));
	v->blocks[i] = *b;
	v->nblocks++;
	cuda_changed(v, &(struct cuda_change){
				.kind = CUDA_CHANGE_NEW, .to = b->address, .bytes = b->bytes});
	return 0;
}

/* A block that the program does not get; fd: of its pages, or 0. */
static void give_up(const struct cuda_server *v, const struct cuda_block *b, int fd)
{
	if (b->buffer)
		gpu_buffer_free(v->gpu, b->buffer);
	if (b->pages)
		cuda_unshare(b->pages, b->bytes);
	if (fd > 0)
		close(fd);
}

/* With the rest of its last page, which only kernels may access. */
static uint64_t in_pages(const struct cuda_server *v, uint64_t bytes)
{
	uint64_t page = gpu_page_bytes(v->gpu), rest = bytes % page;

	return rest && bytes < UINT64_MAX - page ? bytes + page - rest : bytes;
}

uint32_t cuda_alloc(struct cuda_server *v, struct wire_message *m)
{
	struct cuda_block b = {.bytes = m->a[0], .open = m->a[1] == 2};
	struct err wrong = {0};
	char name[40];
	int fd = 0;

	snprintf(name, sizeof(name), "allocation %llu", (unsigned long long)v->names + 1);
	if (m->a[1] && (!b.bytes || cuda_share(b.bytes, &fd, &b.pages)))
		return CUDA_NO_MEMORY;
	b.buffer = b.pages ? gpu_buffer_at(v->gpu, name, b.pages, b.bytes, &wrong)
			   : gpu_buffer_high(v->gpu, name, in_pages(v, b.bytes), &wrong);
	err_clear(&wrong);
	b.address = b.buffer ? gpu_buffer_address(v->gpu, b.buffer) : 0;
	if (!b.buffer || cuda_add_block(v, &b)) {
		give_up(v, &b, fd);
		return CUDA_NO_MEMORY;
	}
	v->names++;
	v->pass = fd;
	m->a[0] = b.address;
	return CUDA_OK;
}

static void forget(struct cuda_server *v, struct cuda_block *b)
{
	size_t i = (size_t)(b - v->blocks);

	cuda_changed(v, &(struct cuda_change){
				.kind = CUDA_CHANGE_FREE, .to = b->address, .bytes = b->bytes});
	gpu_buffer_free(v->gpu, b->buffer);
	if (b->pages)
		cuda_unshare(b->pages, b->bytes);
	memmove(b, b + 1, (v->nblocks - i - 1) * sizeof(*b));
	v->nblocks--;
}

uint32_t cuda_free(struct cuda_server *v, struct wire_message *m)
{
	uint32_t status = cuda_run_all(v);
	struct cuda_block *b = m->a[0] ? cuda_block_at(v, m->a[0], 1) : NULL;

	if (status || !m->a[0])
		return status;
	if (!b || b->address != m->a[0] || b->variable)
		return CUDA_INVALID_VALUE;
	forget(v, b);
	return CUDA_OK;
}

/* Of all modules; a watch learns of those, too, that the program has never named. */
static uint32_t reset_variables(struct cuda_server *v)
{
	gpu_reset(v->gpu);
	if (v->run.watch && cuda_name_variables(v))
		return CUDA_NO_MEMORY;
	for (size_t i = 0; i < v->nblocks; i++)
		if (v->blocks[i].variable)
			cuda_changed(v, &(struct cuda_change){.kind = CUDA_CHANGE_WRITE,
						.to = v->blocks[i].address,
						.bytes = v->blocks[i].bytes});
	return gpu_heap(v->gpu, v->heap_bytes) ? CUDA_NO_MEMORY : CUDA_OK;
}

uint32_t cuda_reset(struct cuda_server *v, struct wire_message *m)
{
	uint32_t status = cuda_run_all(v);

	(void)m;
	if (status)
		return status;
	cuda_textures_end(v);
	for (size_t i = v->nblocks; i-- > 0;)
		if (!v->blocks[i].variable)
			forget(v, &v->blocks[i]);
	v->has_reset = true;
	return reset_variables(v);
}

uint32_t cuda_find(struct cuda_server *v, struct wire_message *m)
{
	const struct cuda_block *b = cuda_block_at(v, m->a[0], 1);

	m->a[0] = b ? b->address : 0;
	m->a[1] = b ? b->bytes : 0;
	return CUDA_OK;
}

uint32_t cuda_memory(struct cuda_server *v, struct wire_message *m)
{
	uint64_t used = 0;

	for (size_t i = 0; i < v->nblocks; i++)
		used += v->blocks[i].bytes;
	m->a[1] = cuda_device_bytes(v);
	m->a[0] = used < m->a[1] ? m->a[1] - used : 0;
	return CUDA_OK;
}

uint32_t cuda_heap(struct cuda_server *v, struct wire_message *m)
{
	if (m->a[0] > GPU_HEAP_MOST)
		return CUDA_NO_MEMORY;
	if (m->a[0] && gpu_heap(v->gpu, max_u64(m->a[0], GPU_HEAP_LEAST)))
		return CUDA_INVALID_VALUE;
	m->a[0] = gpu_heap_bytes(v->gpu);
	return CUDA_OK;
}

/* ---- copies: after what their stream waits for */
/* The block of a message's a[1] bytes from a[0] on, which their stream a[2] may use now. NULL:
 * *status. */
static struct cuda_block *ready(
	struct cuda_server *v, const struct wire_message *m, uint64_t most, uint32_t *status)
{
	*status = cuda_block_at(v, m->a[0], m->a[1]) && m->a[1] <= most
			  ? cuda_run_stream(v, m->a[2])
			  : CUDA_INVALID_VALUE;
	return *status ? NULL : cuda_block_at(v, m->a[0], m->a[1]);
}

uint32_t cuda_write(struct cuda_server *v, struct wire_message *m)
{
	uint32_t status;
	const struct cuda_block *b = ready(v, m, WIRE_WINDOW_BYTES, &status);

	if (!b)
		return status;
	gpu_write(v->gpu, b->buffer, m->a[0] - b->address, v->window, m->a[1]);
	cuda_changed(v,
		&(struct cuda_change){.kind = CUDA_CHANGE_WRITE, .to = m->a[0], .bytes = m->a[1]});
	return status;
}

uint32_t cuda_read(struct cuda_server *v, struct wire_message *m)
{
	uint32_t status;
	const struct cuda_block *b = ready(v, m, WIRE_WINDOW_BYTES, &status);

	if (b)
		gpu_read(v->gpu, b->buffer, m->a[0] - b->address, v->window, m->a[1]);
	return status;
}

uint32_t cuda_copy(struct cuda_server *v, struct wire_message *m)
{
	uint64_t bytes = m->a[2];
	const struct cuda_block *to = cuda_block_at(v, m->a[0], bytes),
				*from = cuda_block_at(v, m->a[1], bytes);
	uint32_t status;
	void *data;

	if (!to || !from)
		return CUDA_INVALID_VALUE;
	status = cuda_run_stream(v, m->a[3]);
	if (status)
		return status;
	data = mem_alloc(bytes, 1);
	if (!data)
		return CUDA_NO_MEMORY;
	gpu_read(v->gpu, from->buffer, m->a[1] - from->address, data, bytes);
	gpu_write(v->gpu, to->buffer, m->a[0] - to->address, data, bytes);
	cuda_changed(v,
		&(struct cuda_change){
			.kind = CUDA_CHANGE_COPY, .to = m->a[0], .from = m->a[1], .bytes = bytes});
	mem_free(data);
	return CUDA_OK;
}

uint32_t cuda_fill(struct cuda_server *v, struct wire_message *m)
{
	unsigned char data[4096];
	uint32_t status;
	const struct cuda_block *b = ready(v, m, UINT64_MAX, &status);

	memset(data, (int)(m->a[3] & 0xff), sizeof(data));
	for (uint64_t at = 0; b && at < m->a[1]; at += sizeof(data))
		gpu_write(v->gpu, b->buffer, m->a[0] - b->address + at, data,
			min_u64(sizeof(data), m->a[1] - at));
	if (b)
		cuda_changed(v, &(struct cuda_change){.kind = CUDA_CHANGE_FILL,
					.to = m->a[0],
					.bytes = m->a[1],
					.value = data[0]});
	return status;
}
