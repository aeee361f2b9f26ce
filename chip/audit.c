/* The audit at the end of every run: every link moved what was sent, every part balances, to the
 * byte. An imbalance is a fault of the model, never of the user. */
#include "chip/inside.h"

static void audit_networks(const struct chip *c, struct audit *a)
{
	const struct network_ops *net = c->network->ops;

	if (!net->audit)
		return;
	net->audit(c->request, a);
	net->audit(c->reply, a);
}

static void audit_requests(const struct chip *c, struct audit *a)
{
	struct traffic sent = {0}, taken = {0}, replied = {0}, got = {0};
	uint64_t asked = 0, lent = 0;

	for (unsigned i = 0; i < c->p.sms; i++) {
		traffic_add(&sent, sm_sent(c->sm[i]));
		traffic_add(&got, sm_got(c->sm[i]));
		sm_audit(c->sm[i], a);
	}
	for (unsigned i = 0; i < c->channels * c->per_channel; i++) {
		traffic_add(&taken, &slice_flows(c->slice[i])->taken);
		traffic_add(&replied, &slice_flows(c->slice[i])->replied);
		asked += slice_flows(c->slice[i])->asked;
		lent += slice_flows(c->slice[i])->lent;
		slice_audit(c->slice[i], a);
	}
	audit_flow(a, "l2", "bytes of copies that slices ask for", asked, "looked up", lent);
	audit_traffic(a, c->request->name, "sent by SMs", &sent, "taken by slices", &taken);
	audit_traffic(a, c->reply->name, "sent by slices", &replied, "taken by SMs", &got);
}

/* A transaction is the request, rounded up. */
static void audit_bus(struct audit *a, const char *name, const struct channel_counts *n)
{
	const uint64_t *asked = n->taken.bytes;

	if (a->at_rest && n->read_bytes < asked[PACKET_READ])
		audit_equal(a, name, "bytes requested", asked[PACKET_READ], "read", n->read_bytes);
	if (a->at_rest && n->write_bytes < asked[PACKET_WRITE])
		audit_equal(
			a, name, "bytes to write", asked[PACKET_WRITE], "written", n->write_bytes);
}

static void audit_launches(
	const struct chip *c, unsigned channel, const struct channel_counts *n, struct audit *a)
{
	const char *name = c->channel[channel]->name;
	uint64_t read = c->earlier[channel].read_bytes;
	uint64_t written = c->earlier[channel].write_bytes;

	for (uint32_t i = 0; i < c->accounts.capacity; i++) {
		read += c->traffic[channel][i].read_bytes;
		written += c->traffic[channel][i].write_bytes;
	}
	audit_flow(a, name, "bytes that launches read", read, "in all", n->read_bytes);
	audit_flow(a, name, "bytes that launches wrote", written, "in all", n->write_bytes);
}

static void audit_channel(const struct chip *c, unsigned channel, struct audit *a)
{
	const struct channel_ops *ops = c->dram->ops;
	const char *name = c->channel[channel]->name;
	struct traffic asked = {0}, given = {0};
	struct channel_counts n = {0};

	ops->counts(c->channel[channel], &n);
	for (unsigned k = 0; k < c->per_channel; k++) {
		const struct slice_flows *b = slice_flows(c->slice[channel + k * c->channels]);

		traffic_add(&asked, &b->to_dram);
		traffic_add(&given, &b->from_dram);
	}
	audit_traffic(a, name, "sent by slices", &asked, "taken", &n.taken);
	audit_traffic(a, name, "sent", &n.replied, "taken by slices", &given);
	audit_bus(a, name, &n);
	audit_launches(c, channel, &n, a);
}

int chip_audit(const struct chip *c, bool at_rest, struct err *err)
{
	struct audit a = {.at_rest = at_rest};

	audit_requests(c, &a);
	audit_networks(c, &a);
	translation_audit(c, &a);
	for (unsigned i = 0; i < c->channels; i++)
		audit_channel(c, i, &a);
	if (a.faults) {
		err_add(err, ERR_BUG, "the run's counters do not balance (a fault of warpbeam's):");
		err_lines(err, ERR_BUG, text_str(&a.out));
	}
	text_clear(&a.out);
	return a.faults ? -1 : 0;
}
