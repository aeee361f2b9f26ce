/* mummer's kernels, KERNEL(match) and KERNEL(print). Text and tree are arguments, TREE_TO_MATCH and
 * TREE_TO_PRINT, or what else is named text, children, edges and branches. Included for each. */
/* At each position of a query: the longest match of what begins there, if it has `shortest`
 * letters. */
extern "C" __global__ void KERNEL(match)(TREE_TO_MATCH const unsigned char *letters,
	const int *firsts, match *matches, int queries, int shortest)
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

/* For each match: the positions of the text that begin with `shortest` of its letters or more,
 * unless the letter before is the same too. Leaves below the match's node have all of the match;
 * those below the next node up, and not below this one, as many letters as are above this one's
 * edge. */
extern "C" __global__ void KERNEL(print)(TREE_TO_PRINT const unsigned char *letters,
	const int *firsts, const match *matches, const report *reports, alignment *alignments,
	int nreports, int shortest)
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
