#ifdef BEELINE_X86_KERNELS
#define BEELINE_KERNEL_CODE avx512_code
#include "relational/kernel_body.h"
#endif
