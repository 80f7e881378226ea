// Compares every table of kernels that this processor supports with the scalar one, on random
// inputs. The tests of PhiModel check more; this program is plain C, so that it runs under an
// emulator for processors that no developer has. Tools/kernels_emulated.sh builds and runs it.
//
//     compare [TABLE...]    also fails if one of these tables is missing

#include <stdio.h>

#include "Comparison.h"

const phi_kernels *scalar;
const phi_kernels *tested;
static int passed;
static int failed;

void check(bool holds, const char *what) {
    if (holds) {
        passed++;
    } else {
        failed++;
        if (failed <= 20) printf("%s: %s\n", tested->name, what);
    }
}

static void compare(void) {
    static const uint32_t widths[] = {0, 2, 3, 4, 5, 6, 8};
    for (size_t i = 0; i < 7; i++) compare_products((storage){.bits = widths[i]}, 32, 3);
    for (uint32_t bits = 4; bits <= 8; bits += 4) {
        for (uint32_t size = 32; size <= 128; size *= 2) {
            compare_int8_products((storage){.bits = bits}, size);
        }
    }
    const storage mxfp4 = {4, PHI_E2M1_CODES, PHI_E8M0};
    const storage nvfp4 = {4, PHI_E2M1_CODES, PHI_E4M3};
    const storage mxfp8 = {8, PHI_E4M3_CODES, PHI_E8M0};
    compare_products(mxfp4, 32, 1);
    compare_products(nvfp4, 16, 1);
    compare_products(mxfp8, 32, 1);
    compare_int8_products(mxfp4, 32);
    compare_int8_products(nvfp4, 16);
    compare_attention(PHI_FLOAT32);
    compare_attention(PHI_FLOAT16);
    compare_attention(PHI_INT8);
    for (size_t count = 1; count <= 256; count += 1 + count / 16) {
        compare_vectors(count);
        compare_stores(count);
    }
}

int main(int argument_count, char **arguments) {
    scalar = phi_kernels_named("scalar");
    for (int i = 1; i < argument_count; i++) {
        if (phi_kernels_named(arguments[i])) continue;
        printf("%s: no such table here\n", arguments[i]);
        failed++;
    }
    for (int index = 0; (tested = phi_kernels_available(index)); index++) {
        if (tested == scalar) continue;
        const int before = passed;
        compare();
        printf("%s: %d comparisons hold\n", tested->name, passed - before);
    }
    printf("best: %s\n", phi_kernels_best()->name);
    if (failed) printf("%d comparisons failed\n", failed);
    return failed ? 1 : 0;
}
