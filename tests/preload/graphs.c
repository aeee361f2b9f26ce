/* A CUDA program for graphs: by nodes, executed, changed, and wrong. */
#include <stdint.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "graphs.h"

/* ---- nodes */
/* 1, then 2 and 3, then 4: with a copy, a call and an empty node between. */
static void graphs_of_nodes_run_in_order(void)
{
	void *g, *x, *a, *pair[2], *join, *node, *last, *s;
	uint32_t other = 0, digit = 5, *place = word;
	fill_node fill = {word, 0, 0, 4, 1, 1};
	host_node host = {count_call, &(int){1}};
	void *args[2];
	kernel_node k = kernel_of(args, &place, &digit), was;
	size_t n = 0;
	int type = -1;

	cudaStreamCreate(&s);
	cudaGraphCreate(&g, 0);
	cudaGraphAddMemsetNode(&node, g, NULL, 0, &fill);
	a = add_append(g, &node, 1, 1);
	pair[0] = add_append(g, &a, 1, 2);
	cudaGraphAddEmptyNode(&pair[1], g, &a, 1);
	show("host", cudaGraphAddHostNode(&join, g, pair, 2, &host));
	last = add_append(g, &join, 1, 4);
	show("copy", cudaGraphAddMemcpyNode1D(&node, g, &last, 1, &other, word, 4, TO_HOST));
	show("instantiate", INSTANTIATE(&x, g));
	show("upload", cudaGraphUpload(x, s));
	printf("%u", result_of(x, s));
	printf(" %u", result_of(x, s));
	printf(", copied %u, calls %d\n", other, calls);
	cudaGraphGetNodes(g, NULL, &n);
	printf("%zu nodes", n);
	cudaGraphGetRootNodes(g, NULL, &n);
	printf(", %zu roots", n);
	cudaGraphGetEdges(g, NULL, NULL, EDGES & n);
	printf(", %zu edges", n);
	n = 2;
	cudaGraphNodeGetDependencies(join, pair, EDGES & n);
	cudaGraphNodeGetType(pair[1], &type);
	printf(", type %d", type);
	cudaGraphNodeGetDependentNodes(a, NULL, EDGES & n);
	cudaGraphKernelNodeGetParams(last, &was);
	printf(", %zu after, digit %u\n", n, *(uint32_t *)was.values[1]);
	show("set", cudaGraphExecKernelNodeSetParams(x, last, &k));
	show("graph's", cudaGraphKernelNodeSetParams(last, &(kernel_node){.function = &append_stub,
								   .grid = one,
								   .block = one,
								   .values = args}));
	printf("%u\n", result_of(x, s));
	fill.value = 0x00010007;
	show("fill", cudaGraphExecMemsetNodeSetParams(
			     x, (cudaGraphGetRootNodes(g, &node, &(size_t){1}), node), &fill));
	show("off", cudaGraphNodeSetEnabled(x, a, 0));
	printf("%u\n", result_of(x, s));
	show("destroy node", cudaGraphDestroyNode(a));
	cudaGraphGetEdges(g, NULL, NULL, EDGES & n);
	printf("%zu edges\n", n);
	show("destroy", cudaGraphDestroy(g));
	printf("%u\n", result_of(x, s)); /* it is a copy */
	show("destroy", cudaGraphExecDestroy(x));
	show("again", cudaGraphExecDestroy(x));
	show("gone", cudaGraphLaunch(x, s));
}

static void children_events_and_clones(void)
{
	void *g, *child, *x, *node, *event, *copy, *found, *inner, *s;
	any_node any = {.type = 5};

	cudaStreamCreate(&s);
	cudaEventCreate(&event);
	cudaGraphCreate(&child, 0);
	add_append(child, NULL, 0, 7);
	cudaGraphCreate(&g, 0);
	node = add_append(g, NULL, 0, 1);
	show("child", cudaGraphAddChildGraphNode(&found, g, &node, 1, child));
	show("record", cudaGraphAddEventRecordNode(&node, g, &found, 1, event));
	show("wait", cudaGraphAddEventWaitNode(&node, g, &node, 1, event));
#if TESTED >= 13
	show("any", cudaGraphAddNode(&node, g, &node, NULL, 1, &any));
#else
	show("any", cudaGraphAddNode(&node, g, &node, 1, &any));
#endif
	add_append(g, &node, 1, 2);
	add_append(child, NULL, 0, 8); /* the node has a copy */
	INSTANTIATE(&x, g);
	printf("%u, event %s\n", result_of(x, s), cudaGetErrorName(cudaEventQuery(event)));
	show("get", cudaGraphChildGraphNodeGetGraph(found, &inner));
	show("not the child's", cudaGraphDestroy(inner));
	show("other nodes", cudaGraphExecChildGraphNodeSetParams(x, found, child));
	cudaGraphDestroy(child);
	cudaGraphCreate(&child, 0);
	add_append(child, NULL, 0, 9);
	show("same nodes", cudaGraphExecChildGraphNodeSetParams(x, found, child));
	printf("%u\n", result_of(x, s));
	show("clone", cudaGraphClone(&copy, g));
	show("find", cudaGraphNodeFindInClone(&inner, found, copy));
	show("not of it", cudaGraphNodeFindInClone(&inner, found, g));
	INSTANTIATE(&x, copy);
	printf("%u\n", result_of(x, s));
}

/* Cycles of two kernels that take long, one after the other and beside each other. */
static void branches_overlap(void)
{
	float ms[2];
	void *from, *to, *s;

	cudaStreamCreate(&s);
	cudaEventCreate(&from);
	cudaEventCreate(&to);
	for (int beside = 0; beside < 2; beside++) {
		void *g, *x, *node = NULL, *args[2];
		uint32_t *place, n = 300;
		kernel_node k = kernel_of(args, &place, &n);

		cudaGraphCreate(&g, 0);
		k.function = &spin_stub;
		for (int i = 0; i < 3; i++) {
			place = word + i;
			cudaGraphAddKernelNode(&node, g, &node, i && !beside, &k);
		}
		INSTANTIATE(&x, g);
		cudaGraphLaunch(x, s);
		cudaEventRecord(from, s);
		cudaGraphLaunch(x, s);
		cudaEventRecord(to, s);
		cudaStreamSynchronize(s);
		cudaEventElapsedTime(&ms[beside], from, to);
	}
	printf("beside each other in less than half the time: %d\n", ms[1] < ms[0] / 2);
}

static int destroyed;
static void destroy_it(void *by)
{
	destroyed += *(int *)by;
}

static void objects_live_with_graphs(void)
{
	void *object, *g, *x;

	cudaGraphCreate(&g, 0);
	add_append(g, NULL, 0, 1);
	show("create", cudaUserObjectCreate(&object, &(int){1}, destroy_it, 1, 1));
	show("retain", cudaGraphRetainUserObject(g, object, 1, 1));
	INSTANTIATE(&x, g);
	cudaGraphDestroy(g);
	printf("destroyed %d", destroyed);
	cudaGraphExecDestroy(x);
	printf(", then %d\n", destroyed);
	show("gone", cudaUserObjectRelease(object, 1));
}

/* ---- wrong graphs */
static void graphs_refuse(void)
{
	void *g, *other, *a, *b, *node, *x, *stale;
	instantiation how = {0};
	size_t n = 0;
	kernel_node none = {(void *)&g, one, one, 0, NULL, NULL};

	cudaGraphCreate(&g, 0);
	cudaGraphCreate(&other, 0);
	a = add_append(g, NULL, 0, 1);
	b = add_append(g, &a, 1, 2);
	node = add_append(other, NULL, 0, 3);
	show("flags", cudaGraphCreate(&x, 1));
	show("null", cudaGraphCreate(NULL, 0));
	show("no kernel", cudaGraphAddKernelNode(&x, g, NULL, 0, &none));
	none.function = &append_stub;
	show("no arguments", cudaGraphAddKernelNode(&x, g, NULL, 0, &none));
	show("of another", cudaGraphAddEmptyNode(&x, g, &node, 1));
	show("twice", cudaGraphAddEmptyNode(&x, g, (void *[]){a, a}, 2));
	show("self", cudaGraphAddDependencies(g, &a, &a, EDGES 1));
	show("there", cudaGraphAddDependencies(g, &a, &b, EDGES 1));
	show("not there", cudaGraphRemoveDependencies(g, &b, &a, EDGES 1));
	show("element", cudaGraphAddMemsetNode(&x, g, NULL, 0, &(fill_node){word, 0, 0, 3, 1, 1}));
	show("host", cudaGraphAddHostNode(&x, g, NULL, 0, &(host_node){NULL, NULL}));
	show("event", cudaGraphAddEventWaitNode(&x, g, NULL, 0, &g));
	show("type", cudaGraphMemsetNodeGetParams(a, &(fill_node){0}));
	show("back", cudaGraphAddDependencies(g, &b, &a, EDGES 1));
	show("cycle", INSTANTIATE(&x, g));
	show("cycle", cudaGraphInstantiateWithParams(&x, g, &how));
	printf("result %d, a node of it %d\n", how.result, how.wrong == a || how.wrong == b);
	cudaGraphRemoveDependencies(g, &b, &a, EDGES 1);
	show("whole", cudaGraphInstantiateWithParams(&x, g, &how));
	printf("result %d\n", how.result);
	show("flags", cudaGraphInstantiateWithFlags(&stale, g, 16));
	show("on the device", cudaGraphInstantiateWithFlags(&stale, g, 4));
	show("not of it", cudaGraphExecKernelNodeSetParams(x, node, &none));
	show("stream", cudaGraphLaunch(x, &g));
	stale = a;
	show("node", cudaGraphDestroyNode(a));
	show("stale", cudaGraphNodeGetType(stale, &(int){0}));
	show("graph", cudaGraphDestroy(g));
	show("stale", cudaGraphGetNodes(g, NULL, &n));
	show("stale", cudaGraphNodeGetType(b, &(int){0}));
}

static void updates_keep_the_shape(void)
{
	void *g[4], *x, *node, *s;
	int result = -1;

	cudaStreamCreate(&s);
	for (int i = 0; i < 4; i++) {
		cudaGraphCreate(&g[i], 0);
		node = add_append(g[i], NULL, 0, 1 + (uint32_t)i);
		if (i == 2)
			cudaGraphAddEmptyNode(&node, g[i], &node, 1);
		else
			node = add_append(g[i], &node, i != 3, 5);
	}
	INSTANTIATE(&x, g[0]);
	printf("%u\n", result_of(x, s));
	for (int i = 1; i < 4; i++) {
#if TESTED >= 12
		update_result r = {0};

		show("update", cudaGraphExecUpdate(x, g[i], &r));
		result = r.result;
#else
		show("update", cudaGraphExecUpdate(x, g[i], &node, &result));
#endif
		printf("result %d: %u\n", result, result_of(x, s));
	}
}

static void memory_nodes_allocate_and_free(void)
{
	memory_node m = {.pool = {.type = 1, .where = 1}, .bytes = 4096};
	void *g, *x, *node, *s, *p;
	uint64_t used = 0, high = 0;

	cudaStreamCreate(&s);
	cudaGraphCreate(&g, 0);
	show("allocate", cudaGraphAddMemAllocNode(&node, g, NULL, 0, &m));
	cudaGraphAddMemsetNode(&node, g, &node, 1, &(fill_node){m.at, 0, 3, 1, 4, 1});
	cudaGraphAddMemcpyNode1D(&node, g, &node, 1, word, m.at, 4, ON_DEVICE);
	INSTANTIATE(&x, g);
	printf("%x", result_of(x, s));
	show(", again", cudaGraphLaunch(x, s));
	show("free", cudaFreeAsync(m.at, s));
	show("again", cudaGraphLaunch(x, s));
	cudaDeviceGetGraphMemAttribute(0, 0, &used);
	show("free", cudaFree(m.at));
	show("twice", cudaFree(m.at));
	cudaGraphAddMemFreeNode(&p, g, &node, 1, m.at);
	cudaGraphExecDestroy(x);
	INSTANTIATE(&x, g);
	show("whole", cudaGraphLaunch(x, s));
	show("twice", cudaGraphLaunch(x, s));
	cudaGraphExecDestroy(x);
	cudaGraphDestroy(g);
	cudaDeviceGetGraphMemAttribute(0, 2, &high);
	printf("used %llu, reserved %llu\n", (unsigned long long)used, (unsigned long long)high);
	cudaStreamBeginCapture(s, 0);
	show("captured", cudaMallocAsync(&p, 8, s));
	cudaMemsetAsync(p, 1, 4, s);
	cudaMemcpyAsync(word, p, 4, ON_DEVICE, s);
	show("captured", cudaFreeAsync(p, s));
	cudaStreamEndCapture(s, &g);
	INSTANTIATE(&x, g);
	printf("%x\n", result_of(x, s));
	show("trim", cudaDeviceGraphMemTrim(0));
	show("none", cudaGraphAddMemFreeNode(&p, g, NULL, 0, word));
}

int main(int argc, char **argv)
{
	static const struct part parts[] = {{"nodes", graphs_of_nodes_run_in_order},
		{"children", children_events_and_clones}, {"branches", branches_overlap},
		{"objects", objects_live_with_graphs}, {"wrong", graphs_refuse},
		{"update", updates_keep_the_shape},
		{"memory_nodes", memory_nodes_allocate_and_free}};

	return run_part(parts, sizeof(parts) / sizeof(*parts), argc > 1 ? argv[1] : NULL);
}

#endif
