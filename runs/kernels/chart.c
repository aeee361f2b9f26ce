/* The memory chart: edges out of metrics. */
#include "runs/kernels/chart.h"

#include "draw/number.h"
#include "runs/json.h"

#include <math.h>
#include <stdio.h>

/* Bytes are a metric by a factor. */
static const struct edge {
	const char *from, *to, *unit, *requests, *bytes, *hits;
	double factor;
} edges[CHART_EDGES] = {
	{"kernel", "shared memory", "instructions", "smsp__inst_executed_op_shared.sum",
		"smsp__bytes_shared.sum", NULL, 1},
	{"kernel", "global", "instructions", "smsp__inst_executed_op_global.sum",
		"l1tex__t_bytes_requested.sum", NULL, 1},
	{"kernel", "local", "instructions", "smsp__inst_executed_op_local.sum", NULL,
		"l1tex__t_line_local_load_hit_rate.pct", 0},
	{"kernel", "texture", "instructions", "smsp__inst_executed_pipe_tex.sum", NULL,
		"l1tex__t_line_tex_hit_rate.pct", 0},
	{"loads", "L1", "lines", "l1tex__t_lines_load.sum", NULL, "l1tex__t_line_load_hit_rate.pct",
		0},
	{"SMs", "network", "packets", "noc_request__packets.sum", "noc_request__flits.sum", NULL,
		32},
	{"network", "SMs", "packets", "noc_reply__packets.sum", "noc_reply__flits.sum", NULL, 32},
	{"reads", "L2", "sectors", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_read.sum",
		"lts__t_sector_op_read_hit_rate.pct", 32},
	{"writes", "L2", "packets", "lts__t_requests_op_write.sum", NULL, NULL, 0},
	{"atomics", "L2", "packets", "lts__t_requests_op_atom.sum", NULL, NULL, 0},
	{"other side", "L2", "sectors", "lts__t_sectors_srcunit_ltcfabric.sum",
		"lts__t_sectors_srcunit_ltcfabric.sum",
		"lts__t_sector_srcunit_ltcfabric_hit_rate.pct", 32},
	{"DRAM", "L2", "packets", "lts__dram_reads.sum", "dram__bytes_read.sum", NULL, 1},
	{"L2", "DRAM", "packets", "lts__dram_writes.sum", "dram__bytes_write.sum", NULL, 1},
};

unsigned chart_of(const struct metric_set *m, struct chart_edge out[CHART_EDGES])
{
	if (!m->n)
		return 0;
	for (unsigned i = 0; i < CHART_EDGES; i++) {
		const struct edge *e = &edges[i];

		out[i] = (struct chart_edge){.from = e->from,
			.to = e->to,
			.unit = e->unit,
			.requests = metric_value(m, e->requests),
			.bytes = e->bytes ? e->factor * metric_value(m, e->bytes) : NAN,
			.hit_pct = e->hits ? metric_value(m, e->hits) : NAN};
	}
	return CHART_EDGES;
}

void chart_text(const struct chart_edge *edge, unsigned n, struct text *out)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		const struct chart_edge *e = &edge[i];
		char label[64], requests[32], bytes[32];

		if (e->requests <= 0)
			continue;
		snprintf(label, sizeof(label), "%s -> %s", e->from, e->to);
		number_grouped((uint64_t)e->requests, requests);
		text_add(out, "%-10s \t%-33s\t%18s\t%s", any ? "" : "memory", label, requests,
			e->unit);
		if (!isnan(e->bytes))
			text_add(out, ", %s", number_bytes(e->bytes, bytes));
		if (!isnan(e->hit_pct))
			text_add(out, ", %.1f %% hit", e->hit_pct);
		text_add(out, "\n");
		any = true;
	}
}

json_t *chart_json(const struct chart_edge *edge, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		const struct chart_edge *e = &edge[i];
		json_t *j = json_object();

		json_add(j, "from", json_string(e->from));
		json_add(j, "to", json_string(e->to));
		json_add(j, "requests", json_number(e->requests));
		json_add(j, "unit", json_string(e->unit));
		json_add(j, "bytes", isnan(e->bytes) ? json_null() : json_number(e->bytes));
		json_add(j, "hit_pct", isnan(e->hit_pct) ? json_null() : json_number(e->hit_pct));
		json_append(list, j);
	}
	return list;
}
