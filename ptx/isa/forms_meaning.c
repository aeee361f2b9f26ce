/* The meaning of the words of a matched opcode, and the operands of its row. */
#include "ptx/isa/forms_private.h"

#include <string.h>

struct meaning {
	const char *word;
	uint8_t value;
};

static const struct meaning spaces[] = {
	{".global", SPACE_GLOBAL},
	{".shared", SPACE_SHARED},
	{".shared::cta", SPACE_SHARED},
	{".local", SPACE_LOCAL},
	{".const", SPACE_CONST},
	{".param", SPACE_PARAM},
	{".param::entry", SPACE_PARAM},
	{".param::func", SPACE_PARAM},
};

static const struct meaning caches[] = {
	{".ca", CACHE_ALL},
	{".cg", CACHE_GLOBAL},
	{".cs", CACHE_STREAM},
	{".lu", CACHE_STREAM},
	{".cv", CACHE_VOLATILE},
	{".volatile", CACHE_VOLATILE},
	{".relaxed", CACHE_VOLATILE},
	{".acquire", CACHE_VOLATILE},
	{".release", CACHE_VOLATILE},
	{".nc", CACHE_NC},
	{".wt", CACHE_WT},
};

static const struct meaning atoms[] = {
	{".add", ATOM_ADD},
	{".min", ATOM_MIN},
	{".max", ATOM_MAX},
	{".and", ATOM_AND},
	{".or", ATOM_OR},
	{".xor", ATOM_XOR},
	{".exch", ATOM_EXCH},
	{".cas", ATOM_CAS},
	{".inc", ATOM_INC},
	{".dec", ATOM_DEC},
	{".arrive", ATOM_ARRIVE},
	{".arrive_drop", ATOM_ARRIVE_DROP},
};

static uint8_t meaning_of(const struct meaning *table, size_t n, struct word w, uint8_t otherwise)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strncmp(table[i].word, w.s, w.len) == 0 && table[i].word[w.len] == 0)
			return table[i].value;
	return otherwise;
}

static enum ptx_type word_type(struct word w)
{
	char name[16];

	if (w.len < 2 || w.len > sizeof(name))
		return T_NONE;
	memcpy(name, w.s + 1, w.len - 1);
	name[w.len - 1] = 0;
	return ptx_type_parse(name);
}

/* The type of the same class whose width is scaled by `numerator / denominator`. */
static enum ptx_type type_scaled(enum ptx_type type, unsigned numerator, unsigned denominator)
{
	unsigned bytes = ptx_type_bytes(type) * numerator / denominator;
	unsigned i;

	for (i = T_NONE + 1; i < T_COUNT; i++)
		if (ptx_type_class((enum ptx_type)i) == ptx_type_class(type) &&
			ptx_type_bytes((enum ptx_type)i) == bytes)
			return (enum ptx_type)i;
	BUG_ON(true);
	return T_NONE;
}

struct meanings {
	enum ptx_type type[2];
	unsigned ntypes, index;
};

static void apply_slot(const struct trial *t, unsigned i, struct word w, struct form_match *m,
	struct meanings *all)
{
	const char *flag;

	for (flag = t->slot[i].flags; flag < t->slot[i].alternatives; flag++) {
		switch (*flag) {
		case '#':
			all->index *= (unsigned)slot_size(&t->slot[i]);
			all->index += (unsigned)t->ordinal[i];
			break;
		case 't':
			BUG_ON(all->ntypes == ARRAY_LEN(all->type));
			all->type[all->ntypes++] = word_type(w);
			break;
		case 's':
			m->space = meaning_of(spaces, ARRAY_LEN(spaces), w, SPACE_GENERIC);
			break;
		case 'c':
			m->cache_op = meaning_of(caches, ARRAY_LEN(caches), w, m->cache_op);
			break;
		case 'a':
			m->atom_op = meaning_of(atoms, ARRAY_LEN(atoms), w, 0);
			break;
		case 'v':
			m->vec = w.len ? (uint8_t)(w.s[2] - '0') : 1;
			break;
		case 'u':
			m->uniform = w.len != 0;
			break;
		default:
			BUG_ON(true);
		}
	}
}

/* ---- operands */

static enum ptx_type operand_type(const char *suffix, size_t len, const struct meanings *all)
{
	enum ptx_type last = all->ntypes ? all->type[all->ntypes - 1] : T_NONE;
	char name[8] = {0};

	if (len == 0)
		return last;
	if (len > 1) {
		BUG_ON(len >= sizeof(name));
		memcpy(name, suffix, len);
		return ptx_type_parse(name);
	}
	switch (*suffix) {
	case 'w':
		return type_scaled(last, 2, 1);
	case 'h':
		return type_scaled(last, 1, 2);
	case 'q':
		return type_scaled(last, 1, 4);
	default:
		return all->type[*suffix - '0'];
	}
}

static const struct {
	const char *token;
	uint8_t role;
	bool is_dst;
} tokens[] = {
	{"d", ROLE_VALUE, true},
	{"a", ROLE_VALUE, false},
	{"b", ROLE_VALUE, false},
	{"c", ROLE_VALUE, false},
	{"e", ROLE_VALUE, false},
	{"p", ROLE_PRED, true},
	{"!p", ROLE_PRED, false},
	{"p|q", ROLE_PRED_PAIR, true},
	{"d|p", ROLE_VALUE_PAIR, true},
	{"[a]", ROLE_ADDRESS, false},
	{"{d}", ROLE_VECTOR, true},
	{"{a}", ROLE_VECTOR, false},
	{"label", ROLE_LABEL, false},
	{">cf", ROLE_CARRY, true},
	{"<cf", ROLE_CARRY, false},
	{"targets", ROLE_TARGETS, false},
	{"call", ROLE_CALL, false},
	{"[t]", ROLE_TEXTURE, false},
	{"[s]", ROLE_SURFACE, false},
	{"[q]", ROLE_OBJECT, false},
	{"-a", ROLE_LEVEL, false},
};

static struct form_operand operand_read(const char *s, size_t len, const struct meanings *all)
{
	struct form_operand operand = {0};
	size_t name, i, end = len;

	for (; end && (s[end - 1] == '+' || s[end - 1] == '?'); end--) {
		operand.wider |= s[end - 1] == '+';
		operand.optional |= s[end - 1] == '?';
	}
	if (end > 2 && s[end - 2] == '*') {
		operand.n = (uint8_t)(s[end - 1] - '0');
		end -= 2;
	}
	for (name = 0; name < end && s[name] != ':';)
		name++;
	for (i = 0; i < ARRAY_LEN(tokens); i++) {
		if (strncmp(tokens[i].token, s, name) != 0 || tokens[i].token[name] != 0)
			continue;
		operand.role = tokens[i].role;
		operand.is_dst = tokens[i].is_dst;
	}
	BUG_ON(operand.role == ROLE_NONE);
	if (operand.role == ROLE_PRED || operand.role == ROLE_PRED_PAIR ||
		operand.role == ROLE_CARRY)
		operand.type = T_PRED;
	else if (operand.role != ROLE_LABEL && operand.role != ROLE_CALL &&
		 operand.role != ROLE_TARGETS)
		operand.type =
			(uint8_t)(name < end ? operand_type(s + name + 1, end - name - 1, all)
					     : operand_type(s, 0, all));
	if (operand.role == ROLE_VALUE && operand.type == T_PRED)
		operand.role = ROLE_PRED;
	return operand;
}

static void operands_read(const char *s, struct form_match *m, const struct meanings *all)
{
	while (*s) {
		size_t len = strcspn(s, " ");

		BUG_ON(m->noperands == FORM_OPERANDS);
		m->operand[m->noperands++] = operand_read(s, len, all);
		s += len + (s[len] == ' ');
	}
}

void form_fill(const struct form_row *row, const struct trial *t, const struct spelling *sp,
	struct form_match *m)
{
	struct meanings all = {{T_NONE, T_NONE}, 0, 0};
	unsigned i;

	*m = (struct form_match){.action = row->action, .unit = row->unit, .vec = 1};
	for (i = 0; i < t->nslots; i++)
		apply_slot(t, i, t->word[i] < 0 ? (struct word){"", 0} : sp->word[t->word[i]], m,
			&all);
	if (row->action == ACT_BARRIER)
		m->barrier = (uint8_t)(row->base + all.index);
	else if (row->action == ACT_LOAD && row->base) /* it has its cache operator in its name */
		m->cache_op = (uint8_t)row->base;
	else
		m->op = (uint16_t)(row->base + all.index);
	if (all.ntypes)
		m->mem_type = (uint8_t)all.type[all.ntypes - 1];
	m->op_class = op_class_of_unit(row->unit, op_class_of(sp));
	operands_read(row->operands, m, &all);
}
