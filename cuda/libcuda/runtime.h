/* For libraries beside the runtime's: where that one is. */
#ifndef CUDA_LIBCUDA_RUNTIME_H
#define CUDA_LIBCUDA_RUNTIME_H

/* The one that the program has loaded, or the newest, beside this library; NULL: there is none. */
void *runtime_open(void);

#endif
