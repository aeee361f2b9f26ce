/* One run of a workload without time, for the dissertation's figures: accesses to its registers by
 * level, and the use of its values. */
#include "papers/dissertation/dis.h"

#include "runs/json.h"
#include "runs/usage_report.h"
#include "runs/work.h"

#include <string.h>

#define LIMIT (UINT64_C(1) << 36)

static int run(struct work *work, struct gpu *gpu, struct usage *usage,
	struct untimed_counts *counts, struct err *err)
{
	struct untimed_watch watch = usage_watch(usage);
	struct untimed_limits limits = {.warp_instructions = LIMIT, .watch = &watch};
	int more;

	do {
		if (gpu_run_watched(gpu, &limits, counts, err))
			return -1;
		more = work_advance(work, err);
	} while (more > 0);
	usage_finish(usage);
	if (usage->failed)
		return err_add(err, ERR_RESOURCE, "no host memory to follow values");
	return more;
}

static json_t *traffic_json(const struct level_traffic *t)
{
	json_t *j = json_object();

#define ADD(A, T, name, unit, text) json_add(j, #name, json_whole(t->name));
	LEVEL_TRAFFIC(ADD, 0, 0)
#undef ADD
	return j;
}

/* Reads and energies without those of memory addresses. */
static json_t *data_json(const struct usage_report *r)
{
	const struct usage *u = r->usage;
	struct register_accesses single = {.reads = {0}}, all = {.reads = {0}};
	struct register_sum sum, before;
	uint64_t fj = 0, mrf = 0;

	for (unsigned n = 0; n <= LEVELS_MAX_ORF; n++) {
		const uint64_t *reads = u->addresses[n].reads;

		register_energy_sum(r->energy, n, &u->addresses[n], &sum);
		register_energy_sum(r->energy, n, &r->accesses[n], &before);
		fj += before.total_fj - sum.total_fj;
		mrf += r->accesses[n].reads[REGISTERS_MRF] - reads[REGISTERS_MRF];
		all.reads[REGISTERS_MRF] += reads[REGISTERS_MRF] + reads[REGISTERS_ORF_SHARED];
	}
	single.reads[REGISTERS_MRF] = u->read - all.reads[REGISTERS_MRF];
	single.writes[REGISTERS_MRF] = u->written;
	register_energy_sum(r->energy, 0, &single, &sum);
	return json_pack("{s:o,s:o,s:o,s:o}", "read", json_whole(single.reads[REGISTERS_MRF]),
		"mrf", json_whole(mrf), "total", json_whole(fj), "single_level",
		json_whole(sum.total_fj));
}

/* What limits move (chip/limits.h), by the names that a run with time has. */
static json_t *metrics_json(const json_t *reads, uint64_t instructions)
{
	return json_pack("{s:{s:O},s:{s:o}}", "rf__mrf_reads.sum", "value",
		json_object_get(json_object_get(reads, "mrf"), "count"), "smsp__inst_executed.sum",
		"value", json_whole(instructions));
}

static int report(struct session *s, const struct usage *usage, const struct untimed_counts *counts,
	struct err *err)
{
	struct usage_report r;
	json_t *j;

	usage_describe(&r, usage, gpu_register_energy(s->gpu), gpu_levels(s->gpu), counts);
	j = usage_json(&r);
	json_add(j, "work",
		json_pack("{s:o,s:o,s:o,s:o,s:o}", "instructions", json_whole(usage->instructions),
			"read", json_whole(usage->read), "written", json_whole(usage->written),
			"read_whole", json_whole(usage->read_whole), "written_whole",
			json_whole(usage->written_whole)));
	if (gpu_levels(s->gpu)->kind != LEVELS_HARDWARE)
		json_add(j, "data", data_json(&r));
	json_add(j, "traffic", traffic_json(&counts->registers));
	json_add(j, "metrics", metrics_json(json_object_get(j, "reads"), usage->instructions));
	if (json_print(j, &s->out))
		return err_add(err, ERR_RESOURCE, "no host memory for the report");
	return 0;
}

static int act(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	struct untimed_counts counts = {0};
	struct usage usage = {0};
	struct work work = {0};
	enum verdict verdict;
	int bad;

	if (session_open_machine(s, o, &t->machine, err) ||
		work_open(&work, t->parties[0].target, NULL, o, s->gpu, s->config, &s->arena, err))
		return -1;
	bad = config_finish(s->config, err) || work_setup(&work, s->gpu, err) ||
	      run(&work, s->gpu, &usage, &counts, err) || work_verify(&work, s->gpu, &verdict, err);
	if (!bad)
		bad = report(s, &usage, &counts, err);
	usage_clear(&usage);
	return bad ? -1 : 0;
}

const struct point_way dis_registers = {.name = "registers", .act = act, .varies = "rf."};

/* ---- figures of a report */
static double count_of(const json_t *report, const char *name)
{
	char group[32];
	const char *dot = strchr(name, '.');
	const json_t *j;

	BUG_ON(!dot || (size_t)(dot - name) >= sizeof(group));
	memcpy(group, name, (size_t)(dot - name));
	group[dot - name] = '\0';
	j = json_object_get(json_object_get(report, group), dot + 1);
	j = json_is_object(j) ? json_object_get(j, "count") : j;
	return json_is_number(j) ? json_number_value(j) : NAN;
}

double dis_ratio(const json_t *report, const char *count, const char *by)
{
	double b = count_of(report, by);

	return b > 0 ? count_of(report, count) / b : NAN;
}

double dis_saved(const json_t *r)
{
	return 100 * (1 - dis_ratio(r, "energy.total", "energy.single_level"));
}

double dis_mrf_reads(const json_t *r)
{
	return dis_ratio(r, "reads.mrf", "work.instructions");
}

double dis_mrf_writes(const json_t *r)
{
	return dis_ratio(r, "writes.mrf", "work.instructions");
}

double dis_all_reads(const json_t *r)
{
	return dis_ratio(r, "reads.mrf", "work.read") + dis_ratio(r, "reads.orf", "work.read") +
	       dis_ratio(r, "reads.orf_shared", "work.read") +
	       dis_ratio(r, "reads.lrf", "work.read");
}

double dis_upper_writes(const json_t *r)
{
	return dis_ratio(r, "writes.orf", "work.written") +
	       dis_ratio(r, "writes.orf_shared", "work.written") +
	       dis_ratio(r, "writes.lrf", "work.written");
}

double dis_all_writes(const json_t *r)
{
	return dis_ratio(r, "writes.mrf", "work.written") + dis_upper_writes(r);
}

double dis_lrf_reads(const json_t *r)
{
	return 100 * dis_ratio(r, "reads.lrf", "work.read");
}

double dis_strand(const json_t *r)
{
	return dis_ratio(r, "work.instructions", "strands.begun");
}

double dis_ipc(const json_t *report)
{
	return point_metric(report, "sm__inst_executed.avg.per_cycle_elapsed");
}

/* ---- without memory addresses */
static double data_saved(const json_t *r)
{
	return 100 * (1 - dis_ratio(r, "data.total", "data.single_level"));
}

static double data_mrf_reads(const json_t *r)
{
	return dis_ratio(r, "data.mrf", "work.instructions");
}

dis_metric *dis_data_metric(dis_metric *metric)
{
	return metric == dis_saved ? data_saved : metric == dis_mrf_reads ? data_mrf_reads : metric;
}

const char *dis_data_count(const char *name)
{
	static const char *const pairs[][2] = {{"values.shared", "values.shared_data"},
		{"values.shared_from_alu", "values.shared_data_from_alu"},
		{"values.again", "values.again_data"}, {"work.read", "data.read"},
		{"reads.mrf", "data.mrf"}};

	for (unsigned i = 0; i < ARRAY_LEN(pairs); i++)
		if (!strcmp(name, pairs[i][0]))
			return pairs[i][1];
	return name;
}
