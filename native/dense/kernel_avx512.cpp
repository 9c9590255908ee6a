#ifdef BEELINE_X86_KERNELS
#define BEELINE_KERNEL_CODE avx512_code
#define BEELINE_LANES 16
#define BEELINE_TILE_ROWS 6
#define BEELINE_TILE_VECTORS 4
#include "dense/kernel_body.h"
#endif
