/* Private to runs/hardware/forms*.c: a module of forms, from its text to the comparison. */
#ifndef RUNS_FORMS_INSIDE_H
#define RUNS_FORMS_INSIDE_H

#include "runs/hardware/forms.h"

#define FORM_BATCH 256u
#define FORM_LOG_BYTES 65536u

struct batch {
	struct driver *d;
	struct forms *forms;
	struct arena *arena;
	struct text *text; /* of the module */
	char *log;         /* of the driver's compiler, FORM_LOG_BYTES */
	unsigned shape;    /* of its textures; 0: it has none */
	unsigned n;
	struct form_unit *unit[FORM_BATCH];
};

/* Whether it is given textures and surfaces. */
bool forms_use_textures(const struct form_unit *);

/* Writes the text of the module, and in the units where they are in it. */
void forms_write(struct batch *);

/* Compiles it by the driver, which is all. 0; -1 and a message, and the compiler's log. */
int forms_load(struct batch *, struct err *);

/* Runs it on the GPU and by the executor, and compares: units get their states. 0, or -1 and a
 * message, and no unit has changed. */
int forms_execute(struct batch *, struct err *);

#endif
