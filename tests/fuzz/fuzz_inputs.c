/* All inputs except PTX as one fuzz target: the first byte is the kind of the rest. */
#include "tests/fuzz/engine.h"
#include "tests/fuzz/inputs.h"
#include "tests/fuzz/mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes)
		fuzz_input((enum fuzz_kind)(data[0] % FUZZ_KINDS), data + 1, bytes - 1);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
	if (bytes < 2 || seed % 64 == 0) { /* so that each kind is started with */
		data[0] = (uint8_t)(seed / 64 % FUZZ_KINDS);
		return 1 + fuzz_seed((enum fuzz_kind)data[0], data + 1, room - 1);
	}
	if (LLVMFuzzerMutate && seed % 2)
		return LLVMFuzzerMutate(data, bytes, room);
	return 1 + mutate_alone((char *)data + 1, bytes - 1, room - 1, seed);
}
