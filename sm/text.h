/* The text that an SM's warps print. */
#ifndef SM_TEXT_H
#define SM_TEXT_H

#include "ptx/exec/exec.h"

#include <stddef.h>

#define SM_TEXT_BYTES (2 * EXEC_TEXT) /* of a window; a warp without space waits for its end */

/* What was printed in this window: pieces of bytes, the first `taken` of which have been taken. */
struct sm_text {
	char *bytes;
	size_t used, taken;
	struct exec_output output;
};

#endif
