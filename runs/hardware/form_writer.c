/* Writes kernels that execute opcodes of the semantics table. */
#include "runs/hardware/form_writer.h"

#include "core/base.h"
#include "ptx/isa/lanes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CELL 32u /* bytes of a thread per slot */

/* Writes text with '#' replaced by the bits of an address. */
__attribute__((format(printf, 2, 3))) static void put(
	struct form_writer *w, const char *format, ...)
{
	char line[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	BUG_ON(n < 0 || (size_t)n >= sizeof(line));
	for (const char *c = line; *c; c++) {
		if (*c == '#')
			text_add(w->text, "%u", w->bits);
		else
			text_raw(w->text, "%c", *c);
	}
}

static bool says(const char *spelling, const char *word)
{
	const char *at = strstr(spelling, word);

	return at && !strchr("abcdefghijklmnopqrstuvwxyz0123456789:",
			     at[strlen(word)] ? at[strlen(word)] : '.');
}

static unsigned bits_of(unsigned type)
{
	return 8 * ptx_type_bytes((enum ptx_type)type);
}

void form_writer_head(struct form_writer *w)
{
	put(w,
		".version %s\n.target %s\n.address_size #\n"
		".const .align 32 .b8 co[64] = {1, 2, 3, 4, 5, 6, 7, 8, 0x91, 0x3f, 11, 12, 13};\n"
		".func (.param .align 32 .b8 z[32]) same(.param .align 32 .b8 x[32])\n{\n"
		".reg .b64 %%d<4>;\n",
		w->version, w->target);
	for (unsigned k = 0; k < CELL; k += 8)
		put(w, "ld.param.b64 %%d%u, [x+%u];\nst.param.b64 [z+%u], %%d%u;\n", k / 8, k, k,
			k / 8);
	put(w, "ret;\n}\n");
}

void form_kernel_begin(struct form_writer *w, const char *name)
{
	w->slots = 0;
	put(w,
		".visible .entry %s(.param .u# in, .param .u# out, .param .u64 texture,\n"
		".param .u64 texel, .param .u64 surface, .param .align 32 .b8 given[32])\n{\n"
		".shared .align 32 .b8 sh[%u];\n.local .align 32 .b8 lo[64];\n"
		".reg .b# %%in, %%out, %%sh, %%lo, %%co, %%to;\n.reg .b32 %%me;\n"
		".reg .b64 %%t, %%u, %%s;\n.reg .pred %%odd;\n",
		name, CELL * FORM_THREADS);
	put(w,
		"{\n.reg .b32 %%n;\n.reg .b64 %%w;\n.reg .b# %%a;\nld.param.u# %%in, [in];\nld.param.u# %%out, "
		"[out];\n"
		"ld.param.u64 %%t, [texture];\nld.param.u64 %%u, [texel];\n"
		"ld.param.u64 %%s, [surface];\nmov.u32 %%me, %%tid.x;\n"
		"mov.u32 %%n, %%ctaid.x;\nmad.lo.u32 %%n, %%n, %u, %%me;\n"
		"mul.wide.u32 %%w, %%n, 256;\ncvt.u#.u64 %%a, %%w;\nadd.u# %%in, %%in, %%a;\n"
		"mul.wide.u32 %%w, %%n, 32;\ncvt.u#.u64 %%a, %%w;\nadd.u# %%out, %%out, %%a;\n"
		"mul.lo.u32 %%n, %%me, 32;\ncvt.u#.u32 %%a, %%n;\n"
		"mov.u# %%sh, sh;\nadd.u# %%sh, %%sh, %%a;\nmov.u# %%lo, lo;\n"
		"and.b32 %%n, %%me, 1;\nsetp.ne.u32 %%odd, %%n, 0;\nmul.lo.u32 %%n, %%n, 32;\n"
		"cvt.u#.u32 %%a, %%n;\nadd.u# %%lo, %%lo, %%a;\nmov.u# %%co, co;\n"
		"add.u# %%co, %%co, %%a;\n}\n",
		FORM_THREADS);
}

void form_kernel_end(struct form_writer *w)
{
	put(w, "ret;\n}\n");
}

/* ---- operands: operand i is o<i>, of a vector o<i>_<k>. */

static void declare(struct form_writer *w, unsigned type, const char *name)
{
	if (type == T_PRED)
		put(w, ".reg .pred %s;\n", name);
	else
		put(w, ".reg .b%u %s;\n", bits_of(type) ? bits_of(type) : 32, name);
}

/* The thread's bytes from `at` on, in a register. */
static void load_value(struct form_writer *w, unsigned type, const char *name, unsigned at)
{
	if (type == T_PRED)
		put(w,
			"{\n.reg .b32 %%n;\nld.global.b32 %%n, [%%in+%u];\nand.b32 %%n, %%n, 1;\n"
			"setp.ne.u32 %s, %%n, 0;\n}\n",
			at, name);
	else
		put(w, "ld.global.b%u %s, [%%in+%u];\n", bits_of(type), name, at);
}

/* The next slot of the results: its offset in those of a CTA. */
static unsigned take_slot(struct form_writer *w, unsigned type, unsigned count)
{
	if (w->slots < FORM_SLOTS)
		w->slot[w->slots] = (struct form_slot){(uint8_t)type, (uint8_t)count};
	return w->slots++ * FORM_SLOT_BYTES * w->ctas;
}

/* A whole cell, of elements of the type. */
static unsigned take_cell(struct form_writer *w, unsigned type)
{
	unsigned bytes = ptx_type_bytes((enum ptx_type)type);

	return take_slot(w, bytes ? type : T_B32, CELL / (bytes ? bytes : 4));
}

/* Stores the register in a slot of the results. */
static void keep_value(struct form_writer *w, unsigned type, const char *name)
{
	unsigned at = take_slot(w, type == T_PRED ? T_U32 : type, 1);

	if (type == T_PRED)
		put(w,
			"{\n.reg .b32 %%n;\nselp.u32 %%n, 1, 2, %s;\nst.global.b32 [%%out+%u], "
			"%%n;\n}\n",
			name, at);
	else
		put(w, "st.global.b%u [%%out+%u], %s;\n", bits_of(type), at, name);
}

typedef void value_fn(struct form_writer *, unsigned type, const char *name, unsigned at);

static void declare_and_load(struct form_writer *w, unsigned type, const char *name, unsigned at)
{
	declare(w, type, name);
	load_value(w, type, name, at);
}

static void keep_at(struct form_writer *w, unsigned type, const char *name, unsigned at)
{
	(void)at;
	keep_value(w, type, name);
}

/* Comparisons of single halves have no second predicate. */
static bool has_second(const struct form_match *m, unsigned i)
{
	unsigned role = m->operand[i].role;

	return role == ROLE_VALUE_PAIR || (role == ROLE_PRED_PAIR && m->operand[1].type != T_F16 &&
						  m->operand[1].type != T_BF16);
}

/* All registers of an operand, one by one. */
static void each_value(struct form_writer *w, const struct form_match *m, unsigned i, value_fn *fn)
{
	const struct form_operand *o = &m->operand[i];
	bool short_address = w->bits == 32 && m->op >= LANE_isspacep_global_u64 &&
			     m->op <= LANE_isspacep_param_u64 && m->action == ACT_LANES;
	enum ptx_type type = short_address && o->type == T_U64 ? T_U32 : (enum ptx_type)o->type;
	unsigned n = form_values(m, i), bytes = ptx_type_bytes(type);
	char name[16];

	for (unsigned k = 0; k < n; k++) {
		snprintf(name, sizeof(name), "o%u_%u", i, k);
		fn(w, type, name, 32 * i + k * (bytes ? bytes : 4));
	}
	if (has_second(m, i)) {
		snprintf(name, sizeof(name), "o%u_q", i);
		fn(w, T_PRED, name, 32 * i + 16);
	}
}

static bool has_registers(const struct form_operand *o)
{
	return o->role == ROLE_VALUE || o->role == ROLE_PRED || o->role == ROLE_PRED_PAIR ||
	       o->role == ROLE_VALUE_PAIR || o->role == ROLE_VECTOR;
}

/* ---- addresses. */

static enum ptx_space space_of(const char *spelling, const struct form_match *m, unsigned where)
{
	static const enum ptx_space meant[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL};

	if (m->action == ACT_NOP)
		return says(spelling, ".local") ? SPACE_LOCAL : SPACE_GLOBAL;
	return m->space == SPACE_GENERIC ? meant[where] : (enum ptx_space)m->space;
}

static const char *cell_of(enum ptx_space space)
{
	return space == SPACE_SHARED  ? "%sh"
	       : space == SPACE_LOCAL ? "%lo"
	       : space == SPACE_CONST ? "%co"
				      : "%out";
}

/* A thread's cell: in a space, `offset` bytes from an address. */
struct cell {
	const char *space, *at;
	unsigned offset;
};

/* Copies the thread's cell between spaces. */
static void copy_cell(struct form_writer *w, struct cell from, struct cell to)
{
	put(w, "{\n.reg .b64 %%x;\n");
	for (unsigned k = 0; k < CELL; k += 8)
		put(w, "ld.%s.b64 %%x, [%s+%u];\nst.%s.b64 [%s+%u], %%x;\n", from.space, from.at,
			from.offset + k, to.space, to.at, to.offset + k);
	put(w, "}\n");
}

/* The cell holds operands; `to` is its address, generic if the opcode's is. */
static void aim(
	struct form_writer *w, const struct form_match *m, enum ptx_space space, unsigned slot)
{
	unsigned at = space == SPACE_GLOBAL ? slot : 0;
	const char *name = ptx_space_name(space), *cell = cell_of(space);

	if (space != SPACE_CONST)
		copy_cell(w, (struct cell){"global", "%in", 128}, (struct cell){name, cell, at});
	put(w, "add.u# %%to, %s, %u;\n", cell, at);
	if (m->space == SPACE_GENERIC && space != SPACE_GLOBAL)
		put(w, "cvta.%s.u# %%to, %%to;\n", name);
}

/* ---- operands as text. */

static void write_vector(struct form_writer *w, const struct form_match *m, unsigned i)
{
	put(w, "%s", form_values(m, i) > 1 ? "{" : "");
	for (unsigned k = 0; k < form_values(m, i); k++)
		put(w, "%so%u_%u", k ? ", " : "", i, k);
	put(w, "%s", form_values(m, i) > 1 ? "}" : "");
}

/* Member masks, a barrier, sizes, times: operands that may not be arbitrary numbers. */
static const char *fixed_value(const char *spelling, const struct form_match *m, unsigned i)
{
	bool last = i + 1 == m->noperands;

	if (m->barrier == BARRIER_WARP ||
		(m->action == ACT_WARP && last && says(spelling, ".sync")))
		return "0xffffffff";
	if (m->action == ACT_BARRIER)
		return m->operand[i].optional ? "64" : "1";
	if (m->action == ACT_NOP)
		return strncmp(spelling, "pmevent", 7) != 0 ? "128" : "7";
	if (!strncmp(spelling, "lop3", 4) && i == 4)
		return "0x96";
	return NULL;
}

/* As many coordinates as the geometry has; those of layers and of the third axis are small. */
static void write_coordinates(struct form_writer *w, const char *spelling, const char *x)
{
	const char *rest = says(spelling, ".1d") || says(spelling, ".a1d") ? "" : ", c_y";

	if (says(spelling, ".a1d") || says(spelling, ".a2d") || says(spelling, ".acube"))
		put(w, "{c_l, %s%s%s}", x, rest, *rest ? ", c_y" : "");
	else
		put(w, "{%s%s%s}", x, rest,
			says(spelling, ".3d") || says(spelling, ".cube") ? ", c_y, c_y" : "");
}

/* A level, or the gradients. */
static void write_dropped(struct form_writer *w, const char *spelling)
{
	if (says(spelling, ".level"))
		put(w, "g_x");
	else if (says(spelling, ".1d") || says(spelling, ".a1d"))
		put(w, "{g_x}");
	else
		put(w, "{g_x, g_x%s}", says(spelling, ".3d") ? ", g_x, g_x" : "");
}

static void write_operand(
	struct form_writer *w, const char *spelling, const struct form_match *m, unsigned i)
{
	const struct form_operand *o = &m->operand[i];
	const char *fixed = o->is_dst ? NULL : fixed_value(spelling, m, i);

	switch (o->role) {
	case ROLE_ADDRESS:
		put(w, "[%s]",
			says(spelling, ".param::func") || m->action == ACT_STORE
				? (m->space == SPACE_PARAM ? "pp" : "%to")
				: (m->space == SPACE_PARAM ? "given" : "%to"));
		break;
	case ROLE_VECTOR:
		write_vector(w, m, i);
		break;
	case ROLE_PRED_PAIR:
	case ROLE_VALUE_PAIR:
		put(w, has_second(m, i) ? "o%u_0|o%u_q" : "o%u_0", i, i);
		break;
	case ROLE_TEXTURE:
		put(w, "[%%t, ");
		write_coordinates(w, spelling, "c_x");
		put(w, "]");
		break;
	case ROLE_SURFACE:
		put(w, "[%s, ", says(spelling, ".p") ? "%u" : "%s");
		write_coordinates(w, spelling, says(spelling, ".p") ? "%me" : "c_x");
		put(w, "]");
		break;
	case ROLE_OBJECT:
		put(w, "[%s]",
			says(spelling, ".b32") && !strncmp(spelling, "suq", 3) ? "%s" : "%t");
		break;
	case ROLE_LEVEL:
		write_dropped(w, spelling);
		break;
	default:
		if (fixed)
			put(w, "%s", fixed);
		else
			put(w, "o%u_0", i);
	}
}

/* The statement itself. */
static void write_statement(struct form_writer *w, const char *spelling, const struct form_match *m)
{
	bool first = true;

	put(w, "%s ", spelling);
	for (unsigned i = 0; i < m->noperands; i++) {
		if (m->operand[i].role == ROLE_CARRY)
			continue;
		put(w, "%s", first ? "" : ", ");
		write_operand(w, spelling, m, i);
		first = false;
	}
	put(w, ";\n");
}

/* ---- kinds of instructions. */

static void declare_coordinates(struct form_writer *w, const struct form_match *m)
{
	for (unsigned i = 0; i < m->noperands; i++) {
		const struct form_operand *o = &m->operand[i];

		if (o->role != ROLE_TEXTURE && o->role != ROLE_SURFACE)
			continue;
		put(w, ".reg .b32 c_x, c_y, c_l, g_x;\nand.b32 c_y, %%me, 3;\nshr.u32 c_l, %%me, "
		       "4;\n"
		       "mov.b32 g_x, 0f3F800000;\nmov.u32 c_x, %%me;\n");
		if (o->role == ROLE_SURFACE)
			put(w, "shl.b32 c_x, c_x, 4;\n");
		else if (ptx_type_class((enum ptx_type)o->type) == 'f')
			put(w, "cvt.rn.f32.u32 c_x, c_x;\ncvt.rn.f32.u32 c_y, c_y;\n");
	}
}

/* Memory that the opcode accesses is checked afterwards. */
static void write_memory(
	struct form_writer *w, const char *spelling, const struct form_match *m, unsigned where)
{
	enum ptx_space space = space_of(spelling, m, where);
	unsigned slot = take_cell(w, m->mem_type);

	aim(w, m, space, slot);
	write_statement(w, spelling, m);
	if (space == SPACE_SHARED || space == SPACE_LOCAL)
		copy_cell(w, (struct cell){ptx_space_name(space), cell_of(space), 0},
			(struct cell){"global", "%out", slot});
}

/* Parameters of a function that returns its arguments. */
static void write_function_parameter(
	struct form_writer *w, const char *spelling, const struct form_match *m)
{
	unsigned slot = take_cell(w, m->mem_type);
	bool load = m->action == ACT_LOAD;

	put(w, ".param .align 32 .b8 %s[32];\n.param .align 32 .b8 %s[32];\n", load ? "qq" : "pp",
		load ? "pp" : "qq");
	copy_cell(w, (struct cell){"global", "%in", 128},
		(struct cell){"param", load ? "qq" : "pp", 0});
	if (!load)
		write_statement(w, spelling, m);
	put(w, "call (%s), same, (%s);\n", load ? "pp" : "qq", load ? "qq" : "pp");
	if (load)
		write_statement(w, spelling, m);
	else
		copy_cell(
			w, (struct cell){"param", "qq", 0}, (struct cell){"global", "%out", slot});
}

static bool carries(const struct form_match *m, bool out)
{
	for (unsigned i = 0; i < m->noperands; i++)
		if (m->operand[i].role == ROLE_CARRY && m->operand[i].is_dst == out)
			return true;
	return false;
}

static void write_lanes(struct form_writer *w, const char *spelling, const struct form_match *m)
{
	if (carries(m, false))
		put(w, "{\n.reg .b32 %%n;\nadd.cc.u32 %%n, %%me, -32;\n}\n");
	write_statement(w, spelling, m);
	if (!carries(m, true))
		return;
	put(w, "{\n.reg .b32 %%n;\naddc.u32 %%n, 0, 0;\n");
	keep_value(w, T_U32, "%n");
	put(w, "}\n");
}

/* Half of the threads diverge and store a value that shows it. */
static void write_branch(struct form_writer *w, const char *spelling)
{
	unsigned at = take_slot(w, T_U32, 1);

	put(w, ".reg .b32 %%n;\nmov.u32 %%n, 5;\n");
	if (!strncmp(spelling, "brx", 3))
		put(w,
			"{\n.reg .b32 %%i;\n%s T%u: .branchtargets A%u, B%u;\n%s %%i, T%u;\n}\n"
			"A%u: add.u32 %%n, %%n, 7;\nB%u: add.u32 %%n, %%n, 9;\n",
			says(spelling, ".uni") ? "mov.u32 %i, 1;" : "and.b32 %i, %me, 1;", at, at,
			at, spelling, at, at, at);
	else
		put(w, "%s%s B%u;\nadd.u32 %%n, %%n, 7;\nB%u: add.u32 %%n, %%n, 9;\n",
			says(spelling, ".uni") ? "" : "@%odd ", spelling, at, at);
	put(w, "st.global.u32 [%%out+%u], %%n;\n", at);
}

static void write_call(struct form_writer *w, const char *spelling)
{
	unsigned slot = take_cell(w, T_B64);

	put(w, ".param .align 32 .b8 pp[32];\n.param .align 32 .b8 qq[32];\n");
	copy_cell(w, (struct cell){"global", "%in", 128}, (struct cell){"param", "pp", 0});
	put(w, "%s (qq), same, (pp);\n", spelling);
	copy_cell(w, (struct cell){"param", "qq", 0}, (struct cell){"global", "%out", slot});
}

/* One warp arrives, the other waits. */
static void write_arrive(struct form_writer *w, const char *spelling)
{
	put(w,
		".reg .pred %%first;\nsetp.lt.u32 %%first, %%me, 32;\n@%%first %s 2, 64;\n"
		"@!%%first bar.sync 2, 64;\nbar.sync 0;\n",
		spelling);
}

static void write_kind(
	struct form_writer *w, const char *spelling, const struct form_match *m, unsigned where)
{
	bool address = false;

	for (unsigned i = 0; i < m->noperands; i++)
		address |= m->operand[i].role == ROLE_ADDRESS;
	if (m->action == ACT_BRANCH)
		write_branch(w, spelling);
	else if (m->action == ACT_CALL)
		write_call(w, spelling);
	else if (m->action == ACT_EXIT || m->action == ACT_RET)
		put(w, "%s%s;\n", says(spelling, ".uni") ? "" : "@%odd ", spelling);
	else if (m->action == ACT_BARRIER && m->barrier == BARRIER_ARRIVE)
		write_arrive(w, spelling);
	else if (m->space == SPACE_PARAM && address &&
		 (m->action == ACT_STORE || says(spelling, ".param::func")))
		write_function_parameter(w, spelling, m);
	else if (address && m->space != SPACE_PARAM)
		write_memory(w, spelling, m, where);
	else
		write_lanes(w, spelling, m);
}

void form_write(
	struct form_writer *w, const char *spelling, const struct form_match *m, unsigned where)
{
	put(w, "{\n");
	for (unsigned i = 0; i < m->noperands; i++)
		if (has_registers(&m->operand[i]))
			each_value(w, m, i, declare_and_load);
	declare_coordinates(w, m);
	write_kind(w, spelling, m, where);
	for (unsigned i = 0; i < m->noperands; i++)
		if (has_registers(&m->operand[i]) && m->operand[i].is_dst)
			each_value(w, m, i, keep_at);
	put(w, "}\n");
}
