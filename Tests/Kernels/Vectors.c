// Operations on vectors, and conversions of stored numbers.

#include "Comparison.h"

static float values[512];

void compare_stores(size_t count) {
    static const float edges[] = {0, -0.0f, 65504, 65519, 65520, -1e9f, INFINITY, -INFINITY,
                                  0x1p-14f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f, -3.3e-7f, 2047.5f};
    uint16_t one[256], other[256];
    fill(values, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = ldexpf(values[i], (int)random_count(0, 40) - 25);
        if (random_count(0, 3) == 0) values[i] = edges[random_count(0, 13)];
    }
    tested->store(values, count, PHI_FLOAT16, one);
    scalar->store(values, count, PHI_FLOAT16, other);
    check(are_equal(one, other, count * sizeof one[0]), "numbers stored as halves");

    int8_t codes[256 + 4], expected[256 + 4];
    fill(values, count);
    if (count % 7 == 0) memset(values, 0, count * sizeof values[0]);
    tested->store(values, count, PHI_INT8, codes);
    scalar->store(values, count, PHI_INT8, expected);
    check(are_equal(codes, expected, phi_stored_size(PHI_INT8, count)), "numbers stored as int8");
}

void compare_vectors(size_t count) {
    float one[512], other[512];
    float *a = values;
    float *b = values + count;
    fill(a, 2 * count);
    tested->rms_norm(a, b, count, 1e-5f, one);
    scalar->rms_norm(a, b, count, 1e-5f, other);
    check(are_near(one, other, count), "a norm");

    for (size_t i = 0; i < count; i++) a[i] *= 100;
    tested->gate(a, b, count, one);
    scalar->gate(a, b, count, other);
    check(are_near(one, other, count), "a gate");
    a[count - 1] = NAN;
    tested->gate(a, b, count, one);
    check(isnan(one[count - 1]), "a gate of not-a-number");

    fill(one, 2 * count);
    memcpy(other, one, 2 * count * sizeof one[0]);
    fill(values, 2 * count);
    tested->rotate(one, a, b, count);
    scalar->rotate(other, a, b, count);
    check(are_near(one, other, 2 * count), "a rotation");

    tested->add(one, a, count);
    scalar->add(other, a, count);
    check(are_near(one, other, count), "an addition");
}
