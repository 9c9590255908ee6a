#ifdef BEELINE_X86_KERNELS
#define BEELINE_KERNEL_CODE avx2_code
#define BEELINE_LANES 8
#define BEELINE_TILE_ROWS 6
#define BEELINE_TILE_VECTORS 2
#include "dense/kernel_body.h"
#endif
