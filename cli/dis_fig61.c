/* Figure 6.1: how often values are read, and how long the way to the reader is. */
#include "cli/dis.h"

static double share(struct dis *d, const char *count, const char *by)
{
	struct dis_design single = dis_single();

	return 100 * dis_mean_ratio(d, &single, count, by);
}

static void rows(struct dis *d)
{
	double once = share(d, "values.read_1", "values.written");
	double twice = share(d, "values.read_2", "values.written");
	double more = share(d, "values.read_more", "values.written");
	double next = share(d, "values.life_1", "values.written");

	dis_tell(d, "% of values", share(d, "values.read_0", "values.written"), "never read");
	dis_tell(d, "% of values", once, "read once");
	dis_tell(d, "% of values", twice, "read twice");
	dis_tell(d, "% of values", more, "read more often");
	dis_tell(d, "% of values", next, "read once, by the next instruction");
	dis_tell(d, "% of values", share(d, "values.life_2", "values.written"),
		"read once, two instructions later");
	dis_tell(d, "% of values", share(d, "values.life_3", "values.written"),
		"read once, three instructions later");
	dis_tell(d, "% of values", share(d, "values.life_more", "values.written"),
		"read once, still later");
	dis_say(d,
		&(struct dis_row){"DIS-071", "% of values", "read more than once", 20, 0, 20,
			share(d, "values.again", "values.written"), DIS_BAND, DIS_CAUSE_ADDRESSES});
	dis_say(d, &(struct dis_row){"DIS-072", "% of values", "read once, by the next instruction",
			   40, 35, 45, next, DIS_BAND, DIS_CAUSE_ORDER});
	dis_say(d, &(struct dis_row){"DIS-074", "% of values", "read by the shared datapath", 7, 5,
			   9, share(d, "values.shared", "values.written"), DIS_BAND,
			   DIS_CAUSE_ADDRESSES});
	dis_say(d, &(struct dis_row){"DIS-075", "% of those", "and made by ALUs", 70, 60, 80,
			   share(d, "values.shared_from_alu", "values.shared"), DIS_BAND,
			   DIS_CAUSE_ADDRESSES});
}

const struct dis_table dis_fig61 = {
	.name = "fig6.1",
	.text = "Use of values: reads and lifetimes.",
	.rows = rows,
	.views = 1u << VIEW_STRANDS | 1u << VIEW_DATA,
};
