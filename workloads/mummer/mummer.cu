/* Where in a long text do the parts of many short queries occur? First a query a thread, down a
 * suffix tree of the text and along its suffix links (Schatz, Trapnell, Delcher and Varshney, BMC
 * Bioinformatics 2007); then a match a thread, through the leaves around it, without a stack
 * (Trapnell and Schatz, Parallel Computing 35, 2009). Letters are 0 to 3; the text ends with a letter
 * that no query has. */
#include "cuda_math.h"
#include "cuda_texture.h"

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

#define KERNEL(name) mummer_##name
#define TREE_TO_MATCH const unsigned char *text, const int (*children)[4], const edge *edges,
#define TREE_TO_PRINT const unsigned char *text, const edge *edges, const branch *branches,
#include "search.h"

CUDA_TEXTURE(mummer_text);
CUDA_TEXTURE(mummer_children);
CUDA_TEXTURE(mummer_edges);
CUDA_TEXTURE(mummer_branches);

/* Text and tree through textures, indexed as the arrays are: a texel is a letter, a child, an edge,
 * a field of a branch. */
struct texture_text {
	__device__ __forceinline__ int operator[](int at) const
	{
		return (int)tex1Dfetch_u32(mummer_text, at);
	}
};

struct texture_children {
	struct row {
		int node;

		__device__ __forceinline__ int operator[](int letter) const
		{
			return tex1Dfetch_s32(mummer_children, 4 * node + letter);
		}
	};
	__device__ __forceinline__ row operator[](int node) const { return {node}; }
};

struct texture_edges {
	__device__ __forceinline__ edge operator[](int node) const
	{
		cuda_int4 e = tex1Dfetch_s32x4(mummer_edges, node);

		return {e.x, e.y, e.z, e.w};
	}
};

struct texture_branches {
	__device__ __forceinline__ branch operator[](int node) const
	{
		return {tex1Dfetch_s32(mummer_branches, 3 * node),
			tex1Dfetch_s32(mummer_branches, 3 * node + 1),
			tex1Dfetch_s32(mummer_branches, 3 * node + 2)};
	}
};

#undef KERNEL
#undef TREE_TO_MATCH
#undef TREE_TO_PRINT
#define KERNEL(name) mummer_##name##_textures
#define TREE_TO_MATCH
#define TREE_TO_PRINT
#define text texture_text()
#define children texture_children()
#define edges texture_edges()
#define branches texture_branches()
#include "search.h"
