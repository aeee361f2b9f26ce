/* Every form of the semantics table on a real GPU, beside the executor. */
#ifndef RUNS_FORMS_H
#define RUNS_FORMS_H

#include "core/files.h"
#include "core/mem.h"
#include "driver/driver.h"
#include "ptx/isa/forms.h"
#include "runs/hardware/form_writer.h"

#include <jansson.h>

#define FORM_CTAS 8u /* each of FORM_THREADS threads with operands of their own */

/* What PTX says of the results of an opcode. */
enum form_class {
	FORM_DEFINED, /* the bits */
	FORM_BOUNDED, /* an error that they do not exceed */
	FORM_OPEN     /* nothing, or not enough */
};

enum form_bound { FORM_NO_BOUND, FORM_ULPS, FORM_RELATIVE, FORM_ABSOLUTE };

/* A row of the classes: opcodes that begin with `begins` and have `has` (or ""). */
struct form_rule {
	const char *begins, *has;
	enum form_class class;
	enum form_bound kind;
	double bound;  /* units of the last digit, or a power of two */
	double within; /* of operands of at most this magnitude; 0: of all */
	const char *says;
};

/* The rule of an opcode, never NULL. */
const struct form_rule *form_rule_of(const char *spelling);

/* Why PTX leaves this result open for these operands; NULL: it does not. `in` are the thread's
 * bytes. */
const char *form_open_for(const char *spelling, const struct form_match *, const unsigned char *in);

enum form_outcome {
	FORM_SAME,   /* all bits */
	FORM_NAN,    /* both are NaNs of other bits */
	FORM_WITHIN, /* other bits, within the bound */
	FORM_DIFFERS
};

/* Compares an element of the type. For FORM_BOUNDED *error is what it is off, in the bound's unit.
 */
enum form_outcome form_compare(const struct form_rule *, enum ptx_type, const unsigned char *ours,
	const unsigned char *theirs, double *error);

/* Fills the operands of all threads of `ctas` CTAs: edges of each operand's type beside each other,
 * then random bits and numbers. */
void forms_operands(const struct form_match *, uint64_t seed, unsigned ctas, unsigned char *out);

/* How a form did. */
enum form_state {
	FORM_NOT_RUN,
	FORM_EQUAL,     /* all bits */
	FORM_IN_BOUND,  /* some differ, within the bound */
	FORM_OPEN_ONLY, /* some differ where PTX says nothing */
	FORM_UNEQUAL,   /* some differ that must not */
	FORM_REFUSED,   /* by the driver's compiler */
	FORM_FAILED     /* the launch */
};
extern const char *const form_state_names[];

/* A difference: bytes of the element, and of the operands. */
struct form_sample {
	unsigned cta, thread, slot, element;
	uint8_t type; /* enum ptx_type */
	unsigned char ours[16], theirs[16];
	unsigned char operand[FORM_OPERANDS][16];
};

struct form_unit {
	const char *spelling;
	struct form_match m;
	unsigned place; /* of form_write */
	const struct form_rule *rule;
	enum form_state state;
	uint64_t values, differ, within, open, nans; /* elements; differ: that must not */
	double worst;                                /* of a bound, in its unit */
	bool sampled;
	struct form_sample first;          /* of those that differ; else of those that are open */
	const char *message;               /* of those refused or failed */
	unsigned slots, first_line, lines; /* in the module's text */
	struct form_slot slot[FORM_SLOTS];
};

struct forms {
	struct form_unit *unit;
	unsigned n, modules;
	uint64_t seed;
};

/* All units whose opcodes begin with one of n words; n 0: all. Memory is the arena's. */
void forms_list(struct forms *, const char *const *words, unsigned n, struct arena *);

/* Stops early when `stop` says so, between modules. */
struct forms_stop {
	bool (*now)(void *ctx);
	void *ctx;
};

/* Runs all that have not run. What the compiler refuses and what faults ends nothing. 0; -1 and a
 * message: the driver failed otherwise. */
int forms_run(
	struct driver *, struct forms *, const struct forms_stop *, struct arena *, struct err *);

/* Whether its address is generic, so that `place` says where it points. */
bool form_has_places(const struct form_unit *);

/* How many are in a state. */
unsigned forms_count(const struct forms *, enum form_state);

/* A list with an object for each form; the words of a sample. */
json_t *forms_json(const struct forms *);
void form_sample_text(const struct form_unit *, struct text *);

#endif
