/* What an SM's threads computed, by precision, and the bytes that they moved at each level of
 * memory: the counts of a roofline. */
#include "sm/state.h"

void work_close(struct sm *sm)
{
	const struct sm_flows *f = &sm->flows;
	struct work_sum sum = {{0}, 0};

	for (unsigned kind = 0; kind < WORK_KINDS; kind++)
		work_add(&sum, kind, sm->work[kind]);
	sm->s.smsp__operations_f16 = sum.operations[PRECISION_F16];
	sm->s.smsp__operations_f32 = sum.operations[PRECISION_F32];
	sm->s.smsp__operations_f64 = sum.operations[PRECISION_F64];
	sm->s.smsp__operations_int = sum.operations[PRECISION_INT];
	sm->s.smsp__operations_tensor = sum.operations[PRECISION_TENSOR];
	sm->s.smsp__bytes_shared = sum.shared_bytes;
	sm->l1.s.l1tex__granule_bytes = f->loaded + f->stored + f->changed + f->fetches;
	sm->l1.s.l1tex__m_granule_bytes_sent = f->sent.bytes[PACKET_READ] +
					       f->sent.bytes[PACKET_WRITE] +
					       f->sent.bytes[PACKET_ATOMIC] - f->fetched;
}
