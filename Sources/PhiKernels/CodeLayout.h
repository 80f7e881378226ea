// The layouts of weights that are multiplied with activations rounded to int8.
#ifndef STOA_CODE_LAYOUT_H
#define STOA_CODE_LAYOUT_H

#include "include/PhiKernels.h"

/// A layout; a constant wherever products pass it, so that the compiler unrolls their loops.
typedef struct {
    uint32_t bits;
    phi_code_type type;
    size_t group_size;
} code_layout;

/// Integers of `bits` bits in groups of `group_size`.
static inline code_layout integer_layout(uint32_t bits, size_t group_size) {
    return (code_layout){bits, PHI_INTEGER_CODES, group_size};
}

/// E2M1 codes in groups of `group_size`.
static inline code_layout e2m1_layout(size_t group_size) {
    return (code_layout){4, PHI_E2M1_CODES, group_size};
}

/// A number for each layout: 4064 for integers of 4 bits by 64, 14032 for E2M1 codes by 32.
static inline uint32_t layout_number(const phi_matrix *matrix) {
    const uint32_t number = matrix->bits * 1000 + matrix->group_size;
    return matrix->code_type == PHI_E2M1_CODES ? number + 10000 : number;
}

#define LAYOUT_CASE(number, value, call) \
    case number: { \
        const code_layout layout = value; \
        call; \
        break; \
    }

/// Executes `call`, an expression that passes the constant `layout`: that of `matrix`.
#define WITH_LAYOUT(matrix, call) \
    switch (layout_number(matrix)) { \
        LAYOUT_CASE(4032, integer_layout(4, 32), call) \
        LAYOUT_CASE(4064, integer_layout(4, 64), call) \
        LAYOUT_CASE(4128, integer_layout(4, 128), call) \
        LAYOUT_CASE(8032, integer_layout(8, 32), call) \
        LAYOUT_CASE(8064, integer_layout(8, 64), call) \
        LAYOUT_CASE(14016, e2m1_layout(16), call) \
        LAYOUT_CASE(14032, e2m1_layout(32), call) \
        default: \
        LAYOUT_CASE(8128, integer_layout(8, 128), call) \
    }

#endif
