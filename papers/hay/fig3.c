/* Figure 3: slots of three procedures that call each other, by the three stacks. The compiler's own
 * placement of frames does it; a program is not compiled, since the figure gives none. */
#include "papers/hay/hay.h"
#include "ptx/alloc/slots_window.h"

#define FRAME 4u

/* A's slots 1 and 3 live across the call of B, B's 2 and 3 across that of C. */
static const bool live[2][FRAME] = {{true, false, true, false}, {false, true, true, false}};

/* Behind how many slots the three frames end, and the moves before the calls of B and C. */
struct stacked {
	uint32_t slots, moves[2];
};

static struct stacked stacked_by(enum spill_stack stack)
{
	struct stacked s = {.slots = FRAME};
	struct slot_move move[FRAME];

	for (unsigned f = 0; f < 2; f++)
		s.slots += slots_window(stack, live[f], FRAME, move, &s.moves[f]);
	return s;
}

static void fig3(struct book *b)
{
	static const char *const name[] = {"moving stack", "register stack", "traditional stack"};
	static const double paper[] = {8, 10, 12};
	double most = stacked_by(STACK_TRADITIONAL).slots;

	for (unsigned k = STACK_TRADITIONAL + 1; k-- > STACK_MOVING;) {
		struct stacked s = stacked_by((enum spill_stack)k);
		const char *note =
			book_words(b, "moves before the calls: %u, %u", s.moves[0], s.moves[1]);
		struct book_row row =
			book_band("HAY-003", "slots", band_exact(paper[k]), s.slots, note);

		book_sayf(b, &row, "A calls B calls C: %s", name[k]);
	}
	/* "more than 30" */
	book_say_text(b, "saved by the moving stack",
		book_band("HAY-004", "% of the slots", band_between(100.0 / 3, 30, 34),
			100 * (most - stacked_by(STACK_MOVING).slots) / most, NULL));
}

const struct target hay_fig3 = {
	.order = 20,
	.name = "hay-fig3",
	.text = "Slots of three procedures, by stack.",
	.paper = &hay_paper,
	.rows = fig3,
};
