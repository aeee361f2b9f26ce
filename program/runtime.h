/* How a compiled CUDA program is linked: whether another runtime can replace NVIDIA's. */
#ifndef PROGRAM_RUNTIME_H
#define PROGRAM_RUNTIME_H

#include "program/code.h"

enum code_runtime_kind {
	RUNTIME_NONE,   /* it calls no CUDA that can be recognised */
	RUNTIME_SHARED, /* libcudart.so: the loader finds it */
	RUNTIME_STATIC, /* NVIDIA's is inside */
	RUNTIME_OURS,   /* libcudart_static.a of warpbeam is inside */
	RUNTIME_DRIVER  /* no runtime: libcuda.so, which the loader finds */
};

struct code_runtime {
	enum code_runtime_kind kind;
	bool driver;        /* it calls libcuda.so, too: it may load its code */
	bool cubins;        /* it asks libnvrtc for machine code */
	const char *closed; /* a library that it needs and warpbeam has not; NULL: none */
};

/* Of an executable or shared library, an ELF file. 0, or -1 and a message. */
int code_runtime(const struct code_file *, struct code_runtime *, struct err *);

#endif
