/* A machine's data sheet as text, JSON and a drawing. */
#ifndef CLI_CHIP_H
#define CLI_CHIP_H

#include "runs/json.h"
#include "runs/session.h"
#include "runs/sheet/sheet.h"

/* A figure as text, into out (at least 32 bytes): grouped digits, and decimals if it is small. */
char *sheet_amount(double, char *out);

void sheet_text(const struct sheet *, struct text *);
void sheet_svg(const struct sheet *, struct text *);
json_t *sheet_json(const struct sheet *);

/* Parameters and figures that differ. */
void sheet_diff_text(const struct sheet *a, const struct sheet *b, struct text *);
json_t *sheet_diff_json(const struct sheet *a, const struct sheet *b);

#endif
