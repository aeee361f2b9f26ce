/* Where in a long text do the parts of many short queries occur? A query a thread, down a suffix
 * tree of the text and along its suffix links (Schatz, Trapnell, Delcher and Varshney, BMC
 * Bioinformatics 2007). Letters are 0 to 3; the text ends with a letter that no query has. */
#include "cuda_math.h"

/* The edge that leads to a node: text[start .. end - 1], below `above` letters. `link` is the node
 * that spells the same without the first letter. Node 0 is the root, and no node's child. */
struct edge {
	int start, end, link, above;
};

struct match {
	int place, length;
};

/* For each of a query's places: the longest match of what begins there, if it has `shortest`
 * letters, and where the text has it first. */
extern "C" __global__ void mummer(const unsigned char *text, const int (*children)[4],
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
			matches[first].place = edges[last].start - edges[last].above;
			matches[first].length = at - first;
		}
		if (depth > 0) {
			node = edges[node].link;
			depth--;
		}
		first++;
	} while (first <= end - shortest);
}
