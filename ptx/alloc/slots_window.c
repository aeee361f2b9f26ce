/* The three stacks of slots (Hayes and Zhang, ICS 2014, section 3.2.1, figure 3). */
#include "ptx/alloc/slots_window.h"

static uint32_t pack(const bool *live, uint32_t words, uint32_t below, struct slot_move *move)
{
	uint32_t n = 0, hole = 0;

	for (uint32_t at = below; at < words; at++) {
		if (!live[at])
			continue;
		while (live[hole])
			hole++;
		move[n++] = (struct slot_move){(uint16_t)at, (uint16_t)hole++};
	}
	return n;
}

uint32_t slots_window(enum spill_stack stack, const bool *live, uint32_t words,
	struct slot_move *move, uint32_t *nmoves)
{
	uint32_t n = 0, end = 0;

	*nmoves = 0;
	if (stack == STACK_TRADITIONAL)
		return words;
	for (uint32_t at = 0; at < words; at++)
		if (live[at]) {
			n++;
			end = at + 1;
		}
	if (stack == STACK_REGISTER)
		return end;
	*nmoves = pack(live, words, n, move);
	return n;
}
