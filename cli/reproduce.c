/* warpbeam reproduce: a paper's table or figure, measured; all of the dissertation's; or the list
 * of them. */
#include "cli/reproduce.h"

#include "cli/dis.h"

#include <string.h>

#define ALL_OF_DIS "dis"
#define MOST_TABLES 64

static unsigned count_dis(void)
{
	unsigned n = 0;

	while (dis_tables[n])
		n++;
	return n;
}

static int list(struct session *s, struct err *err)
{
	text_add(&s->out, "%-10s  %s\n", reproduced_table1.name, reproduced_table1.text);
	for (unsigned i = 0; dis_tables[i]; i++)
		text_add(&s->out, "%-10s  %s\n", dis_tables[i]->name, dis_tables[i]->text);
	text_add(&s->out, "%-10s  All of the dissertation's.\n", ALL_OF_DIS);
	return output_text(&s->out, err);
}

static int unknown(const char *name, struct err *err)
{
	const char *names[MOST_TABLES + 2] = {reproduced_table1.name, ALL_OF_DIS}, *near;
	unsigned n = 2;

	for (unsigned i = 0; dis_tables[i] && n < ARRAY_LEN(names); i++)
		names[n++] = dis_tables[i]->name;
	near = err_nearest(name, names, n);
	return err_add(err, ERR_USAGE,
		"reproduce %s: there is no such table%s%s%s; see warpbeam "
		"reproduce",
		name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int command_reproduce(const struct options *o, struct session *s, struct err *err)
{
	const char *name = o->operands.n ? o->operands.at[0] : NULL;

	if (!name)
		return list(s, err);
	if (o->json && o->csv && !strcmp(o->json, "-") && !strcmp(o->csv, "-"))
		return err_add(
			err, ERR_USAGE, "only one of --json and --csv can be written to stdout");
	if (!strcmp(name, reproduced_table1.name))
		return reproduced_table1.run(o, s, err);
	if (!strcmp(name, ALL_OF_DIS))
		return dis_run(dis_tables, count_dis(), o, s, err);
	for (unsigned i = 0; dis_tables[i]; i++)
		if (!strcmp(name, dis_tables[i]->name))
			return dis_run(&dis_tables[i], 1, o, s, err);
	return unknown(name, err);
}
