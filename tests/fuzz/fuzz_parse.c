/* The PTX parser as a fuzz target: with libFuzzer's engine, or with the one in drive.c. */
#include "tests/fuzz/engine.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_read(data, bytes);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
	if (LLVMFuzzerMutate && seed % 4 == 0)
		return LLVMFuzzerMutate(data, bytes, room);
	return mutate_alone((char *)data, bytes, room, seed);
}
