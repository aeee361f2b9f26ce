/* Pipes: what executes arithmetic. Each class of operations (ptx/isa/classes.h) has a latency, a
 * rate and a pipe, which other classes may share. */
#ifndef SM_PIPES_H
#define SM_PIPES_H

#include "core/table.h"
#include "ptx/isa/classes.h"

struct sm;
struct instr;

#define PIPE_UNITS 8u /* the most that schedulers share */
#define PIPE_SCHEDULERS 4u
#define PIPE_NAMES "alu|fma|fp16|fp64|xu|lsu|tensor"
enum pipe { PIPE_ALU, PIPE_FMA, PIPE_FP16, PIPE_FP64, PIPE_XU, PIPE_LSU, PIPE_TENSOR, PIPE_COUNT };

#define PIPE_SPECIAL(c) ((c) >= CLASS_SFU && (c) < CLASS_TENSOR)
#define PIPE_MATRIX(c) ((c) == CLASS_TENSOR || (c) == CLASS_TENSOR64)
#define PIPE_DEFAULT(c) \
	(PIPE_SPECIAL(c)           ? PIPE_XU \
		: PIPE_MATRIX(c)   ? PIPE_TENSOR \
		: (c) == CLASS_F64 ? PIPE_FP64 \
		: (c) == CLASS_F16 ? PIPE_FP16 \
		: (c) == CLASS_F32 || (c) == CLASS_FMA || (c) == CLASS_MUL || (c) == CLASS_MAD \
			? PIPE_FMA \
			: PIPE_ALU)

/* Parameters of a class. */
#define PIPE_PARAM(P, T, c, name, text) \
	P(T, UINT, name##_cycles, 0, 0, 1000, "cycles", \
		PIPE_SPECIAL(c) ? "Latency of " text "; 0: sm.sfu_cycles." \
				: "Latency of " text "; 0: sm.alu_cycles.") \
	P(T, REAL, name##_lanes, PIPE_SPECIAL(c) || PIPE_MATRIX(c) ? 0 : 32, 0, \
		PIPE_MATRIX(c) ? 16 : 32, "lanes/cycle", \
		PIPE_SPECIAL(c)  ? "Throughput of a pipe for " text "; 0: sm.sfu_lanes." \
		: PIPE_MATRIX(c) ? "Throughput of a pipe for " text "; 32 are a step: 16 x 8 " \
				   "results over 128 bits of the elements, in f64 8 x 8 over 4; " \
				   "0: there is none." \
				 : "Throughput of a pipe for " text "; 0: 32.") \
	P(T, UINT, name##_shared, PIPE_SPECIAL(c) ? 1 : 0, 0, PIPE_UNITS, "pipes", \
		"Pipes for " text ", shared by all schedulers; 0: each has its own.") \
	P(T, CHOICE, name##_pipe, PIPE_DEFAULT(c), 0, 0, PIPE_NAMES, \
		"The pipe of " text "; classes can share one.")
#define PIPE_FIELD(T, id, name, text) PIPE_PARAM(PARAM_FIELD, T, CLASS_##id, name, text)
#define PIPE_ROW(T, id, name, text) PIPE_PARAM(PARAM_ROW, T, CLASS_##id, name, text)
#define PIPE_MEMORY_PARAMS(P, T) \
	P(T, REAL, memory_lanes, 32, 0, 32, "lanes/cycle", \
		"Throughput of a pipe (lsu) for loads, stores and atomics; 0: 32.") \
	P(T, UINT, memory_shared, 0, 0, PIPE_UNITS, "pipes", \
		"Pipes (lsu) for loads, stores and atomics, shared by all schedulers; 0: each has " \
		"its own.")

#define PIPE_STATS(S, T) \
	S(T, COUNT, smsp__inst_executed_pipe_alu, "warp instructions", \
		"Arithmetic of the classes whose pipe is alu.") \
	S(T, COUNT, smsp__inst_executed_pipe_fma, "warp instructions", "Those of pipe fma.") \
	S(T, COUNT, smsp__inst_executed_pipe_fp16, "warp instructions", "Those of pipe fp16.") \
	S(T, COUNT, smsp__inst_executed_pipe_fp64, "warp instructions", "Those of pipe fp64.") \
	S(T, COUNT, smsp__inst_executed_pipe_xu, "warp instructions", "Those of pipe xu.") \
	S(T, COUNT, smsp__inst_executed_pipe_lsu, "warp instructions", \
		"Those of pipe lsu, and accesses to shared, global, local memory and surfaces.") \
	S(T, COUNT, smsp__inst_executed_pipe_tensor, "warp instructions", "Those of pipe tensor.") \
	S(T, COUNT, sm__pipe_alu_cycles_active, "cycles", \
		"For which instructions occupied pipe alu, of all its units.") \
	S(T, COUNT, sm__pipe_fma_cycles_active, "cycles", "The same of pipe fma.") \
	S(T, COUNT, sm__pipe_fp16_cycles_active, "cycles", "The same of pipe fp16.") \
	S(T, COUNT, sm__pipe_fp64_cycles_active, "cycles", "The same of pipe fp64.") \
	S(T, COUNT, sm__pipe_xu_cycles_active, "cycles", "The same of pipe xu.") \
	S(T, COUNT, sm__pipe_lsu_cycles_active, "cycles", "The same of pipe lsu.") \
	S(T, COUNT, sm__pipe_tensor_cycles_active, "cycles", "The same of pipe tensor.") \
	S(T, COUNT, smsp__inst_issued_second, "warp instructions", \
		"Issued in one cycle with the instruction before (sm.issue_width).")

/* What the next instruction of a warp may find occupied: GATE_PIPE and above, a pipe. */
enum gate { GATE_FREE, GATE_MEMORY, GATE_TEXTURE, GATE_PIPE };
#define GATES (GATE_PIPE + CLASS_COUNT)

/* A class in this SM: hot, two to a line of the host's cache. */
struct pipe_class {
	uint64_t executed, steps; /* steps: of products of matrices, without their first ones */
	uint32_t result;          /* READY_CODE of its results, from cycle 0 */
	uint32_t interval;        /* cycles for which an instruction occupies its pipe */
	uint8_t gate;
	uint8_t pipe, units; /* units: of those that are shared; 0: the scheduler's own */
};

struct sm_pipes {
	struct {
		OP_CLASSES(PIPE_FIELD, sm_pipes)
		PIPE_MEMORY_PARAMS(PARAM_FIELD, sm_pipes)
	} p;
	struct {
		PIPE_STATS(STAT_FIELD, sm_pipes)
	} s;
	struct pipe_class of[CLASS_COUNT];
	const struct pipe_class *by_gate[GATES]; /* any class behind the gate; NULL: GATE_FREE */
	unsigned gates;                          /* in use */
	bool memory;                             /* loads and stores can find their pipe occupied */
	uint64_t free[PIPE_COUNT][PIPE_UNITS];   /* cycle from which the unit accepts another */
};
_Static_assert(PIPE_SCHEDULERS <= PIPE_UNITS, "a unit for each scheduler");

/* From the parameters of tables sm and pipe. */
void pipes_init(struct sm *, struct err *);
void pipes_close(struct sm *);

/* The SM has pipes for the class (enum op_class). */
bool pipes_exist(const struct sm *, unsigned op_class);
/* The class's pipes that this scheduler can use are occupied in the cycle. */
bool pipes_busy(const struct sm *, const struct pipe_class *, unsigned scheduler, uint64_t cycle);
/* An instruction of the class occupies one, from the cycle on, that many times its interval. */
void pipes_take(
	struct sm *, const struct pipe_class *, unsigned scheduler, unsigned steps, uint64_t cycle);

/* A product of matrices was issued: its last step begins when the others have left the pipe. */
void pipes_matrix(struct sm *, unsigned w, const struct instr *, uint64_t cycle);

/* Warps that wait for pipes: of those in `ready`, whose scheduler this is, those whose next
 * instruction finds its pipe occupied; those of lsu in *mio. */
uint64_t pipes_occupied(
	const struct sm *, unsigned scheduler, uint64_t ready, uint64_t cycle, uint64_t *mio);
/* Warps whose next instruction needs the pipe behind that gate. */
uint64_t pipes_rivals(const struct sm *, unsigned gate);

#endif
