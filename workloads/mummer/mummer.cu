/* Where in a long text do the parts of many short queries occur? First a query a thread, down a
 * suffix tree of the text and along its suffix links (Schatz, Trapnell, Delcher and Varshney, BMC
 * Bioinformatics 2007); then a match a thread, through the leaves around it, without a stack
 * (Trapnell and Schatz, Parallel Computing 35, 2009). Letters are 0 to 3; the text ends with a letter
 * that no query has. */
#include "cuda_math.h"

#define NO_LETTER 4

/* The edge that leads to a node: text[start .. end - 1], below `above` letters. `link` is the node
 * that spells the same without the first letter. Node 0 is the root, and no node's child. */
struct edge {
	int start, end, link, above;
};

/* How to walk the tree: the node above, the first one below, the next one beside; 0: none. */
struct branch {
	int parent, child, next;
};

/* `length` letters, of which the last is on the edge to `node`. */
struct match {
	int node, length;
};

/* A match to print: its query, where in the letters it begins, its first alignment. */
struct report {
	int query, at, slot;
};

/* text[place ..] is what begins there in the query, for `length` letters and no longer. */
struct alignment {
	int place, length;
};

/* For each of a query's places: the longest match of what begins there, if it has `shortest`
 * letters. */
extern "C" __global__ void mummer_match(const unsigned char *text, const int (*children)[4],
	const edge *edges, const unsigned char *letters, const int *firsts, match *matches,
	int queries, int shortest)
{
	int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int node = 0, depth = 0;

	if (thread >= queries)
		return;
	int first = firsts[thread], end = firsts[thread + 1];

	do {
		int last = node, at = first + depth;

		while (at < end) {
			int next = children[node][letters[at]], k, stop;

			if (!next)
				break;
			last = next;
			k = edges[next].start + 1;
			stop = edges[next].end;
			at++;
			while (k < stop && at < end && text[k] == letters[at]) {
				k++;
				at++;
			}
			if (k < stop)
				break;
			node = next;
			depth = at - first;
		}
		if (at - first >= shortest) {
			matches[first].node = last;
			matches[first].length = at - first;
		}
		if (depth > 0) {
			node = edges[node].link;
			depth--;
		}
		first++;
	} while (first <= end - shortest);
}

/* For each match: the places of the text that begin with `shortest` of its letters or more, unless
 * the letter before is the same too. Leaves below the match's node have all of the match; those
 * below the next node up, and not below this one, as many letters as are above this one's edge. */
extern "C" __global__ void mummer_print(const unsigned char *text, const edge *edges,
	const branch *branches, const unsigned char *letters, const int *firsts,
	const match *matches, const report *reports, alignment *alignments, int nreports,
	int shortest)
{
	int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (thread >= nreports)
		return;
	int at = reports[thread].at, node = matches[at].node, length = matches[at].length;
	int before = at > firsts[reports[thread].query] ? letters[at - 1] : NO_LETTER;
	alignment *out = alignments + reports[thread].slot;
	int top = node, walked = 0;

	do {
		if (node != walked) {
			int child = branches[node].child;

			if (child) {
				node = child;
				continue;
			}
			int place = edges[node].start - edges[node].above;

			if (place == 0 || text[place - 1] != before) {
				out->place = place;
				out->length = length;
				out++;
			}
		}
		while (node != top && !branches[node].next)
			node = branches[node].parent;
		if (node != top) {
			node = branches[node].next;
		} else {
			walked = top;
			length = edges[top].above;
			node = top = branches[top].parent;
		}
	} while (length >= shortest);
}
