/* The allocators' round robins, by hand: which matches move them on, and who is next. */
#include "noc/allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/plugin.h"
#include "tests/rig/rig.h"

static const char *const names[] = {"islip", "input_first", "output_first", "round_robin"};

struct user {
	struct rig *rig;
	const struct allocator_ops *ops;
	struct allocation a;
	struct allocator_state s;
};

static void user_new(struct user *u, const char *name, unsigned inputs, unsigned outputs)
{
	*u = (struct user){.rig = rig_new((struct sim_config){0})};
	u->ops = plugin_find("allocator", name, "test", &u->rig->err)->ops;
	u->a.iterations = 3;
	allocation_init(&u->a, inputs, outputs, &u->rig->arena);
	allocator_state_init(&u->s, &u->a, &u->rig->arena);
	u->a.at = &u->s;
}

/* All inputs request all outputs. */
static void match_all(struct user *u)
{
	allocation_clear(&u->a);
	for (unsigned i = 0; i < u->a.inputs; i++)
		for (unsigned j = 0; j < u->a.outputs; j++)
			allocation_request(&u->a, i, j);
	u->ops->match(&u->a);
}

static void the_outputs_of_one_input_are_served_in_turn(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		struct user u;

		user_new(&u, names[k], 1, 3);
		for (unsigned n = 0; n < 7; n++) {
			match_all(&u);
			if (u.a.of_input[0] != (int)(n % 3))
				fail_msg("%s: output %d in match %u", names[k], u.a.of_input[0], n);
		}
		rig_free(u.rig);
	}
}

static void the_inputs_of_one_output_are_served_in_turn(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		struct user u;

		user_new(&u, names[k], 3, 1);
		for (unsigned n = 0; n < 7; n++) {
			match_all(&u);
			if (u.a.of_output[0] != (int)(n % 3))
				fail_msg("%s: input %d in match %u", names[k], u.a.of_output[0], n);
		}
		rig_free(u.rig);
	}
}

/* Three inputs request three outputs, three times; all round robins begin at 0.
 *
 * islip: at first all outputs grant input 0, which accepts output 0; further rounds match the
 * others, but only (0, 0) moves its round robins on. Then output 0 grants input 1 and the others
 * grant input 0, which accepts output 1; 2 is left to 2. At last the round robins of the outputs
 * are at 2, 1, 0. With one round (output_first) it is the same without what later rounds match.
 *
 * input_first: all inputs choose output 0, then 1, 0, 0, then 2, 1, 0.
 *
 * round_robin: outputs choose one after the other, and every match moves the output's round robin
 * on: 0, 1, 2; then 1, 2, 0; then 2, 0, 1. */
static void the_round_robins_move_on_as_the_allocator_says(void **state)
{
	static const struct {
		const char *name;
		int output[3][3]; /* of input 0, 1, 2 */
	} cases[] = {
		{"islip", {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}},
		{"output_first", {{0, -1, -1}, {1, 0, -1}, {2, 1, 0}}},
		{"input_first", {{0, -1, -1}, {1, 0, -1}, {2, 1, 0}}},
		{"round_robin", {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}},
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
		struct user u;

		user_new(&u, cases[k].name, 3, 3);
		for (unsigned n = 0; n < 3; n++) {
			match_all(&u);
			for (unsigned i = 0; i < 3; i++)
				if (u.a.of_input[i] != cases[k].output[n][i])
					fail_msg("%s: input %u gets output %d in match %u",
						cases[k].name, i, u.a.of_input[i], n);
		}
		rig_free(u.rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_outputs_of_one_input_are_served_in_turn),
		cmocka_unit_test(the_inputs_of_one_output_are_served_in_turn),
		cmocka_unit_test(the_round_robins_move_on_as_the_allocator_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
