/* The machines between the one-SM shortcut and the whole chip, as changes of the chip's
 * configuration.
 */
#ifndef RUNS_VARIANTS_H
#define RUNS_VARIANTS_H

#include <stdbool.h>

enum variant_id {
	VARIANT_CHIP,
	VARIANT_WHOLE,
	VARIANT_SHARE,
	VARIANT_FIXED,
	VARIANT_EVEN,
	VARIANT_SHARED,
	VARIANT_NETWORK,
	VARIANT_SERVERS,
	VARIANT_BURSTS_32,
	VARIANT_BURSTS_64,
	VARIANT_BANKS,
	VARIANT_KEPT,
	VARIANTS
};

/* How the chip's configuration becomes the variant's. */
enum knob_kind {
	KNOB_END,
	KNOB_VALUE,
	KNOB_SHARE_BYTES, /* the shortcut's bandwidth */
	KNOB_SMS,         /* the chip's number of SMs */
	KNOB_TCK          /* the command clock that gives the chip's bandwidth */
};

struct knob {
	const char *path;
	enum knob_kind kind;
	const char *value;
};

#define KNOBS 8
struct variant {
	const char *name, *text;
	bool shortcut;  /* beside the chip */
	bool servers;   /* DRAM is bandwidth servers, also of a chip with banks */
	bool own_slice; /* of each SM: all are as far as the chip's in the mean */
	struct knob knobs[KNOBS];
};
extern const struct variant variants[VARIANTS];

#endif
