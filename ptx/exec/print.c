/* vprintf: the text of each lane, formatted as in C from the lane's buffer of arguments. */
#include "ptx/exec/private.h"

#include <stdio.h>
#include <string.h>

#define MOST_TEXT 1024u /* bytes per lane; longer text is truncated */
#define MOST_WIDTH 512

/* The state of one lane. */
struct print {
	const struct issue *is;
	unsigned lane, pointer; /* bytes of an address */
	uint64_t format, args;  /* generic addresses: of the next character, of the arguments */
	uint64_t used;          /* bytes of arguments */
	uint32_t count;         /* arguments */
	char *text;
	size_t n;
	enum exec_result result;
};

/* A conversion: "%", flags, width, precision for the host's printf. */
struct spec {
	char text[48];
	size_t n;
	unsigned bytes; /* of an integer */
};

/* ---- memory of one lane */

static bool read_global(struct print *p, uint64_t address, unsigned bytes, unsigned char *out)
{
	struct access a = {.space = SPACE_GLOBAL,
		.action = ACT_LOAD,
		.bytes = (uint8_t)bytes,
		.mem_type = T_B8,
		.vec = (uint8_t)bytes,
		.mask = 1u << p->lane};
	unsigned char data[WARP_LANES * 8];
	int result;

	a.addr[p->lane] = address;
	result = p->is->memory->load(p->is->memory->ctx, &a, data);
	if (result == EXEC_RETRY)
		p->result = EXEC_AGAIN;
	memcpy(out, data + (size_t)p->lane * bytes, bytes);
	return result == 0;
}

static bool read_local(const struct print *p, uint64_t offset, unsigned bytes, unsigned char *out)
{
	const struct warp *w = p->is->warp;

	if (offset + bytes > w->program->local_bytes)
		return false;
	for (unsigned k = 0; k < bytes; k++, offset++)
		out[k] = w->local[offset / 4 * 4 * WARP_LANES + 4 * p->lane + offset % 4];
	return true;
}

static bool read_shared(const struct print *p, uint64_t offset, unsigned bytes, unsigned char *out)
{
	const struct cta *cta = p->is->warp->cta;

	if (offset + bytes > cta->shared_bytes)
		return false;
	memcpy(out, cta->shared + offset, bytes);
	return true;
}

/* Up to eight bytes as a number; 0 when they cannot be read, with the reason in p->result. */
static uint64_t read_number(struct print *p, uint64_t address, unsigned bytes)
{
	unsigned char raw[8] = {0};
	uint64_t v = 0;
	bool good;

	if (p->result != EXEC_OK)
		return 0;
	if (address - GENERIC_SHARED_BASE < GENERIC_LOCAL_BASE - GENERIC_SHARED_BASE)
		good = read_shared(p, address - GENERIC_SHARED_BASE, bytes, raw);
	else if (address - GENERIC_LOCAL_BASE < GENERIC_LOCAL_BASE)
		good = read_local(p, address - GENERIC_LOCAL_BASE, bytes, raw);
	else
		good = read_global(p, address, bytes, raw);
	if (!good && p->result == EXEC_OK) {
		p->is->access->space = SPACE_GLOBAL;
		p->is->access->bytes = (uint8_t)bytes;
		p->result = exec_fault(p->is, FAULT_OUT_OF_BOUNDS, p->lane, address);
	}
	for (unsigned k = 0; good && k < bytes; k++)
		v |= (uint64_t)raw[k] << 8 * k;
	return v;
}

static char next_char(struct print *p)
{
	return (char)read_number(p, p->format++, 1);
}

/* The next argument; each is aligned to its size. */
static uint64_t argument(struct print *p, unsigned bytes)
{
	uint64_t v;

	p->used = div_up(p->used, bytes) * bytes;
	v = read_number(p, p->args + p->used, bytes);
	p->used += bytes;
	p->count++;
	return v;
}

/* ---- text */

static void put(struct print *p, const char *text, size_t n)
{
	n = n < MOST_TEXT - p->n ? n : MOST_TEXT - p->n;
	memcpy(p->text + p->n, text, n);
	p->n += n;
}

static void spec_add(struct spec *s, char c)
{
	if (s->n + 1 < sizeof(s->text))
		s->text[s->n++] = c;
	s->text[s->n] = 0;
}

/* Digits, or * and an argument; returns the character after it. */
static char read_width(struct print *p, struct spec *s, char c)
{
	char digits[16];
	int value = 0;

	if (c == '*') {
		value = (int32_t)argument(p, 4);
		c = next_char(p);
	} else {
		for (; c >= '0' && c <= '9'; c = next_char(p))
			value = value > MOST_WIDTH ? value : value * 10 + (c - '0');
	}
	value = value > MOST_WIDTH ? MOST_WIDTH : value < -MOST_WIDTH ? -MOST_WIDTH : value;
	if (value) {
		snprintf(digits, sizeof(digits), "%d", value);
		for (unsigned k = 0; digits[k]; k++)
			spec_add(s, digits[k]);
	}
	return c;
}

/* Parses everything before the conversion letter, which is returned. */
static char read_spec(struct print *p, struct spec *s)
{
	char c = next_char(p), length = 0;

	*s = (struct spec){.bytes = 4};
	spec_add(s, '%');
	for (; c && strchr("-+ #0", c); c = next_char(p))
		if (!strchr(s->text, c))
			spec_add(s, c);
	c = read_width(p, s, c);
	if (c == '.') {
		spec_add(s, '.');
		c = read_width(p, s, next_char(p));
	}
	for (; c && strchr("hljztqL", c); c = next_char(p)) {
		s->bytes = c != 'h' ? 8 : length == 'h' ? 1 : 2;
		length = c;
	}
	return c;
}

static void print_integer(struct print *p, struct spec *s, char letter)
{
	bool is_signed = letter == 'd' || letter == 'i';
	uint64_t v = argument(p, s->bytes == 8 ? 8 : 4);
	unsigned shift = 64 - 8 * s->bytes;
	char out[MOST_TEXT];
	int n;

	spec_add(s, 'l');
	spec_add(s, 'l');
	spec_add(s, letter);
	if (is_signed)
		n = snprintf(
			out, sizeof(out), s->text, (long long)((int64_t)(v << shift) >> shift));
	else
		n = snprintf(out, sizeof(out), s->text, (unsigned long long)(v << shift >> shift));
	put(p, out, (size_t)n);
}

static void print_double(struct print *p, struct spec *s, char letter)
{
	uint64_t bits = argument(p, 8);
	char out[MOST_TEXT];
	double v;
	int n;

	memcpy(&v, &bits, sizeof(v));
	spec_add(s, letter);
	n = snprintf(out, sizeof(out), s->text, v != v ? __builtin_nan("") : v);
	put(p, out, (size_t)n);
}

static void print_string(struct print *p, struct spec *s)
{
	uint64_t address = argument(p, p->pointer);
	char string[MOST_TEXT], out[MOST_TEXT];
	size_t n = 0;
	int k;

	if (!address) {
		memcpy(string, "(null)", 7);
	} else {
		do
			string[n] = (char)read_number(p, address++, 1);
		while (string[n] && ++n < sizeof(string) - 1);
		string[n] = 0;
	}
	spec_add(s, 's');
	k = snprintf(out, sizeof(out), s->text, string);
	put(p, out, (size_t)k);
}

static void print_other(struct print *p, struct spec *s, char letter)
{
	char out[MOST_TEXT];
	int n;

	if (letter == 'p') {
		n = snprintf(
			out, sizeof(out), "0x%llx", (unsigned long long)argument(p, p->pointer));
		put(p, out, (size_t)n);
	} else if (letter == 'c') {
		spec_add(s, 'c');
		n = snprintf(out, sizeof(out), s->text, (int)argument(p, 4));
		put(p, out, (size_t)n);
	} else if (letter == '%') {
		put(p, "%", 1);
	} else if (letter) { /* no conversion: copied */
		spec_add(s, letter);
		put(p, s->text, s->n);
	}
}

static void print_conversion(struct print *p)
{
	struct spec s;
	char letter = read_spec(p, &s);

	if (letter == 0) { /* incomplete at the end: copied */
		put(p, s.text, s.n);
		p->format--;
	} else if (strchr("diuoxX", letter)) {
		print_integer(p, &s, letter);
	} else if (strchr("eEfFgGaA", letter)) {
		print_double(p, &s, letter);
	} else if (letter == 's') {
		print_string(p, &s);
	} else {
		print_other(p, &s, letter);
	}
}

static void print_lane(struct print *p)
{
	char c;

	while (p->result == EXEC_OK && (c = next_char(p)) != 0 && p->result == EXEC_OK) {
		if (c == '%')
			print_conversion(p);
		else
			put(p, &c, 1);
	}
}

static uint64_t lane_value(const struct issue *is, unsigned source, unsigned lane)
{
	struct operand o = is->instr->src[source];
	const uint32_t *plane = exec_source(is->warp, o);

	return plane[lane] | (o.words > 1 ? (uint64_t)plane[WARP_LANES + lane] << 32 : 0);
}

/* All lanes are formatted before any text is output, because memory may request a retry. */
enum exec_result exec_print(struct issue *is)
{
	const struct exec_output *output = is->memory->output;
	char text[WARP_LANES * MOST_TEXT];
	uint32_t sink[2 * WARP_LANES], counts[WARP_LANES] = {0}, *to, left;
	size_t n = 0;

	for (left = is->mask; left; left &= left - 1) {
		unsigned lane = low_bit(left);
		struct print p = {.is = is,
			.lane = lane,
			.pointer = is->instr->src[0].words * 4u,
			.format = lane_value(is, 0, lane),
			.args = lane_value(is, 1, lane),
			.text = text + n};

		print_lane(&p);
		if (p.result != EXEC_OK)
			return p.result;
		n += p.n;
		counts[lane] = p.count;
	}
	if (output && n && !output->write(output->ctx, text, n))
		return EXEC_AGAIN;
	to = exec_destination(is->warp, is->instr->dst[0], sink);
	for (left = is->mask; left; left &= left - 1)
		to[low_bit(left)] = counts[low_bit(left)];
	return EXEC_OK;
}

/* ---- assertions */

/* The string at a generic address, truncated to `n` bytes. */
static void read_string(struct print *p, uint64_t address, char *out, size_t n)
{
	size_t k = 0;

	while (address && k + 1 < n && (out[k] = (char)read_number(p, address + k, 1)) != 0)
		k++;
	out[k] = '\0';
}

/* A free() that cannot be: it was called where the warp's last call was. */
static enum exec_result exec_wrong_free(const struct issue *is, unsigned lane)
{
	const struct warp *w = is->warp;
	enum exec_result result = exec_fault(is, FAULT_FREE, lane, lane_value(is, 0, lane));

	for (uint32_t d = w->depth; d-- > 0;)
		if (w->stack[d].ret != NO_RECONV) {
			is->fault->instr = w->stack[d].ret - 1;
			break;
		}
	snprintf(is->fault->text, sizeof(is->fault->text), "free() of 0x%llx, which %s",
		(unsigned long long)is->fault->address,
		lane_value(is, 1, lane) ? "was freed before" : "malloc() did not return");
	return result;
}

/* The first lane is reported. */
enum exec_result exec_assert(struct issue *is)
{
	char message[160], file[160], function[128];
	unsigned lane = low_bit(is->mask);
	struct print p = {.is = is, .lane = lane};
	enum exec_result result;

	if (is->instr->src[2].kind == OPND_NONE)
		return exec_wrong_free(is, lane);
	read_string(&p, lane_value(is, 0, lane), message, sizeof(message));
	read_string(&p, lane_value(is, 1, lane), file, sizeof(file));
	read_string(&p, lane_value(is, 3, lane), function, sizeof(function));
	if (p.result != EXEC_OK)
		return p.result;
	result = exec_fault(is, FAULT_ASSERT, lane, 0);
	snprintf(is->fault->text, sizeof(is->fault->text), "assertion `%s` failed, %s:%u, %s",
		message, file, (uint32_t)lane_value(is, 2, lane), function);
	return result;
}
