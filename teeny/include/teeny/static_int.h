/* Compile-time integers for Cython's fused types: `sizeof(teeny_int3) == 3`, a
 * constant to the C compiler, so a function fused over these tags is compiled
 * once per size with every loop bound known. */
#ifndef TEENY_STATIC_INT_H
#define TEENY_STATIC_INT_H

typedef struct { char size[1]; } teeny_int1;
typedef struct { char size[2]; } teeny_int2;
typedef struct { char size[3]; } teeny_int3;
typedef struct { char size[4]; } teeny_int4;
typedef struct { char size[5]; } teeny_int5;
typedef struct { char size[6]; } teeny_int6;
typedef struct { char size[7]; } teeny_int7;
typedef struct { char size[8]; } teeny_int8;

#endif
