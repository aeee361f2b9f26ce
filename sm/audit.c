/* The audit of an SM: what loads request is hit, merged or missed; what is missed is requested from
 * the network; stores and atomics are sent there whole. */
#include "sm/state.h"

const struct traffic *sm_sent(const struct component *c)
{
	return &CONTAINER_OF(c, const struct sm, base)->flows.sent;
}

const struct traffic *sm_got(const struct component *c)
{
	return &CONTAINER_OF(c, const struct sm, base)->flows.got;
}

static void audit_textures(const struct sm *sm, struct audit *a)
{
	const struct sm_tex *t = &sm->tex;
	uint64_t found = t->s.l1tex__t_lines_tex_lookup_hit + t->s.l1tex__t_lines_tex_lookup_merged;

	audit_equal(a, sm->base.name, "bytes of texture lines missed",
		(t->s.l1tex__t_lines_tex - found) * t->p.line_bytes, "requested from the network",
		sm->flows.texels);
}

void sm_audit(const struct component *c, struct audit *a)
{
	const struct sm *sm = CONTAINER_OF(c, const struct sm, base);
	const struct sm_flows *b = &sm->flows;
	const char *name = sm->base.name;

	audit_equal(a, name, "bytes that loads requested", b->loaded, "hit, merged and missed",
		b->hit + b->merged + b->missed);
	audit_equal(a, name, "bytes missed by loads, textures and fetches, and more of their lines",
		b->missed + b->filled + b->texels + b->fetched, "requested from the network",
		b->sent.bytes[PACKET_READ]);
	audit_equal(a, name, "bytes stored", b->stored, "sent", b->sent.bytes[PACKET_WRITE]);
	audit_equal(a, name, "bytes that atomics touched", b->changed, "sent",
		b->sent.bytes[PACKET_ATOMIC]);
	audit_flow(a, name, "loads and atomics to translate", sm->tlb.asked, "replied to",
		sm->tlb.answered);
	if (sm->tex.p.bytes)
		audit_textures(sm, a);
	constants_audit(sm, a);
	icache_audit(sm, a);
}
