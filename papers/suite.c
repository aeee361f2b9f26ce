/* The suite of workloads. */
#include "papers/suite.h"

#include <stddef.h>

const char *const suite_workloads[] = {"needle", "sto", "lu", "mummer", "bfs", "backprop",
	"matrixmul", "nbody", "vectoradd", "srad", "dgemm", "pcr", "bicubictexture", "hwt", "ray",
	"hotspot", "recursivegaussian", "sad", "scalarprod", "sgemv", "sobolqrng", "aes", "dct8x8",
	"dwthaar1d", "lps", "nn", NULL};
