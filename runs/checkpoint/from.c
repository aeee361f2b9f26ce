/* Variants from one warm state (run --from): which parameters may differ from those of the run that
 * wrote the checkpoint. All others may not: the state has their sizes, or times that follow from
 * them. */
#include "runs/checkpoint/inside.h"

#include "core/base.h"

#include <fnmatch.h>
#include <string.h>

struct changeable {
	const char *path;   /* a pattern */
	const char *reason; /* why a state of another value is a state of this one, too */
};

static const struct changeable changeable[] = {
	{"energy.*", "counts are multiplied by it when the run is over"},
	{"sm.alu_cycles", "of instructions that are issued from then on"},
	{"sm.sfu_cycles", "of instructions that are issued from then on"},
	{"sm.branch_cycles", "of branches that are issued from then on"},
	{"pipe.*_cycles", "of instructions that are issued from then on"},
	{"dram.frfcfs_cap.cap", "compared with a count when a burst is chosen"},
	{"dram.parbs.cap", "compared with a count when a batch is formed"},
	{"dram.drain.write_high", "compared with the queue's length"},
	{"dram.drain.write_low", "compared with the queue's length"},
};

static bool may_change(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(changeable); i++)
		if (!fnmatch(changeable[i].path, path, 0))
			return true;
	return false;
}

/* The path of "path = value"; 0: the line is no parameter. */
static size_t path_of(const char *line, size_t n, char *out, size_t room)
{
	const char *sign = memchr(line, '=', n);
	size_t length = sign && sign > line + 1 && sign[-1] == ' ' ? (size_t)(sign - line - 1) : 0;

	if (length >= room)
		length = 0;
	memcpy(out, line, length);
	out[length] = '\0';
	return length;
}

static int compare_lines(
	const char *file, const char *a, size_t n, const char *b, size_t m, struct err *err)
{
	char theirs[256], ours[256];

	if (n == m && !memcmp(a, b, n))
		return 0;
	if (!path_of(a, n, theirs, sizeof(theirs)) || !path_of(b, m, ours, sizeof(ours)) ||
		strcmp(theirs, ours) != 0)
		return err_add(err, ERR_INPUT,
			"%s: it is of a run with '%.*s', this one has '%.*s'", file, (int)n, a,
			(int)m, b);
	if (may_change(theirs))
		return 0;
	return err_add(err, ERR_USAGE,
		"--from %s: '%.*s' there, '%.*s' here: the state depends on this parameter", file,
		(int)n, a, (int)m, b);
}

int checkpoint_compare(const char *path, const char *theirs, const char *ours, struct err *err)
{
	for (;;) {
		size_t n = strcspn(theirs, "\n"), m = strcspn(ours, "\n");

		if (compare_lines(path, theirs, n, ours, m, err))
			return -1;
		if (!theirs[n] || !ours[m])
			return theirs[n] == ours[m] ? 0
						    : compare_lines(path, "", 0, "more", 4, err);
		theirs += n + 1;
		ours += m + 1;
	}
}
