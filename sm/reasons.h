/* What a resident warp waits for, and the reason for a scheduler's cycle. Names as in Nsight
 * Compute. */
#ifndef SM_REASONS_H
#define SM_REASONS_H

#define SM_REASONS(X, S, T) \
	X(S, T, SELECTED, selected, "A warp issued.") \
	X(S, T, IDLE, idle, "No warp was resident.") \
	X(S, T, WAIT, wait, "Fixed-latency results or branch targets were outstanding.") \
	X(S, T, SHORT_SCOREBOARD, short_scoreboard, \
		"Results of shared memory, the SFU, or another class on pipe xu or lsu were " \
		"outstanding.") \
	X(S, T, IMC_MISS, imc_miss, "Warps waited for a line of constants.") \
	X(S, T, NO_INSTRUCTION, no_instruction, "Warps waited for a line of instructions.") \
	X(S, T, LONG_SCOREBOARD, long_scoreboard, \
		"Results from cache or memory were outstanding.") \
	X(S, T, BARRIER, barrier, "Warps waited at a barrier.") \
	X(S, T, MEMBAR, membar, "Warps waited for a fence.") \
	X(S, T, LG_THROTTLE, lg_throttle, "The path to global and local memory was full.") \
	X(S, T, MIO_THROTTLE, mio_throttle, \
		"Bank conflicts held the issue slot or shared memory, or pipe lsu was occupied.") \
	X(S, T, MATH_PIPE_THROTTLE, math_pipe_throttle, \
		"The pipe of the next instruction was occupied, such as the SFU.") \
	X(S, T, TEX_THROTTLE, tex_throttle, "The texture pipe was occupied.") \
	X(S, T, NOT_SELECTED, not_selected, "Warps were ready but not in the active set.") \
	X(S, T, DRAIN, drain, "Warps had exited but their memory operations had not returned.")

#define SM_REASON_ENUM(S, T, id, name, text) REASON_##id,
#define SM_REASON_STAT(S, T, id, name, text) S(T, COUNT, sched__cycles_##name, "cycles", text)
enum sm_reason { SM_REASONS(SM_REASON_ENUM, 0, 0) REASON_COUNT };

/* Those without a known end, as bits: the warp soon leaves the active set. */
#define SM_LONG_REASONS \
	(1u << REASON_LONG_SCOREBOARD | 1u << REASON_BARRIER | 1u << REASON_MEMBAR | \
		1u << REASON_DRAIN)

#endif
