/* What instructions need of a warp's scoreboard. */
#ifndef PTX_COMPILE_BOARD_H
#define PTX_COMPILE_BOARD_H

#include "core/base.h"
#include "core/mem.h"
#include "ptx/isa/program.h"

/* Sets entries, nentries and nresults of all instructions of the program, whose code this is, from
 * their operands. */
void board_build(const struct program *, struct instr *code, struct arena *);

/* Sets `unread` of the program's atomics: no instruction reads their result. */
void board_mark_unread(const struct program *, struct instr *code, struct arena *work);

#endif
