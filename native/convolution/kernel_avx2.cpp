#ifdef BEELINE_X86_KERNELS
#define BEELINE_KERNEL_CODE avx2_code
#include "convolution/kernel_body.h"
#endif
