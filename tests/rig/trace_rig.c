/* A run with traces. */
#include "tests/rig/trace_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* CTA i loads `rounds` + i mod 4 words a thread, waits for the others, and stores their sum. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 32\n"
			  ".visible .entry gather(.param .u32 in, .param .u32 out, "
			  ".param .u32 rounds)\n{\n"
			  ".reg .u32 %r<14>;\n.reg .pred %p<2>;\n"
			  "ld.param.u32 %r1, [in];\n"
			  "ld.param.u32 %r2, [out];\n"
			  "ld.param.u32 %r3, [rounds];\n"
			  "mov.u32 %r4, %tid.x;\n"
			  "mov.u32 %r5, %ctaid.x;\n"
			  "mov.u32 %r6, %ntid.x;\n"
			  "mad.lo.u32 %r7, %r5, %r6, %r4;\n"
			  "shl.b32 %r7, %r7, 2;\n"
			  "add.u32 %r1, %r1, %r7;\n"
			  "add.u32 %r2, %r2, %r7;\n"
			  "and.b32 %r10, %r5, 3;\n"
			  "shr.u32 %r11, %r4, 5;\n"
			  "add.u32 %r10, %r10, %r11;\n"
			  "add.u32 %r3, %r3, %r10;\n"
			  "mov.u32 %r8, 0;\n"
			  "again:\n"
			  "ld.global.u32 %r9, [%r1];\n"
			  "add.u32 %r8, %r8, %r9;\n"
			  "sub.u32 %r3, %r3, 1;\n"
			  "setp.ne.u32 %p1, %r3, 0;\n"
			  "@%p1 bra again;\n"
			  "bar.sync 0;\n"
			  "st.global.u32 [%r2], %r8;\n"
			  "bar.sync 0;\n"
			  "ret;\n}\n";

#define CTAS 24
#define THREADS 64
#define BYTES (CTAS * THREADS * 4)

static void queue(struct kit *k, module_t m, unsigned ctas, unsigned rounds, unsigned stream)
{
	buffer_t in = kit_buffer(k, "in", BYTES), out = kit_buffer(k, "out", BYTES);

	kit_launch_on(k, m, "gather", ctas, THREADS, 3,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), rounds}, 0, stream);
}

void trace_rig_queue(struct kit *k)
{
	module_t m = kit_module(k, ptx);

	queue(k, m, CTAS, 2, 0);
	queue(k, m, 7, 3, 1);
	queue(k, m, CTAS, 1, 0);
	queue(k, m, 3, 9, 1);
}

struct kit untraced_run(const char *settings, const struct chip_host *host)
{
	struct kit k = kit_new_host(settings, host);

	trace_rig_queue(&k);
	kit_run(&k);
	return k;
}

static void name_files(struct traced *t)
{
	snprintf(t->folder, sizeof(t->folder), "/tmp/warpbeam-trace-XXXXXX");
	assert_non_null(mkdtemp(t->folder));
	snprintf(t->trace, sizeof(t->trace), "%s/trace", t->folder);
	snprintf(t->vcd, sizeof(t->vcd), "%s/vcd", t->folder);
}

struct traced trace_run(
	const char *settings, const struct chip_host *host, const struct trace_request *request)
{
	struct traced t = {.kit = kit_new_host(settings, host)};
	struct trace_request r = *request;

	name_files(&t);
	r.trace = r.trace ? t.trace : NULL;
	r.vcd = r.vcd ? t.vcd : NULL;
	r.title = "gather";
	r.to = r.to ? r.to : UINT64_C(1) << 40;
	r.every = r.every ? r.every : 1;
	r.limit_bytes = r.limit_bytes ? r.limit_bytes : 1000000000;
	r.trace_filter.origin = "--trace-filter";
	r.vcd_filter.origin = "--vcd-filter";
	trace_rig_queue(&t.kit);
	assert_int_equal(chip_trace(t.kit.gpu, &r, &t.kit.err), 0);
	assert_int_equal(chip_run(t.kit.gpu, 0, &(struct host_hooks){0}, &t.kit.err), 0);
	assert_int_equal(chip_trace_end(t.kit.gpu, &t.out, &t.kit.err), 0);
	chip_close(t.kit.gpu);
	return t;
}

void trace_run_free(struct traced *t)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", t->folder);
	assert_int_equal(system(command), 0);
	kit_free(&t->kit);
}
