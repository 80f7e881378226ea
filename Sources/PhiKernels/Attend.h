// Attention for an instruction set: see Lanes.h. The result of a query does not depend on its tile. A
// file that includes this also defines ATTEND, the function's name, `integers` and `words` with
// their operations as in Avx2Words.h, and how many registers of sums it fills at once: for a tile of four
// queries those of KEYS_OF_FOUR keys (at most 4) and of REGISTERS_OF_FOUR registers of the output, for more
// queries SUMS_OF_MANY.

#include "KernelTables.h"
#include "Lanes.h"
#include "SeenKeys.h"

/// Maximum number of dot products at once, a multiple of four.
enum { SUMS_MAX = 16 };

/// The keys or values of positions first <= p < first + count: of one page, at most up to the next multiple
/// of PHI_PIECE_POSITIONS in it, and with block sparsity of one block. So its end does not depend on
/// the tile.
typedef struct {
    size_t first;
    /// 0 if the tile's queries see no more.
    size_t count;
    const char *bytes;
} stored_piece;

/// A piece, and the two after it. While it is processed, the next one is prefetched, or if it has 8 bits, and so
/// is soon done, the one after that. A piece after the last one has the last one's bytes.
typedef struct {
    stored_piece now;
    stored_piece next;
    stored_piece ahead;
} stored_pieces;

/// The first piece from position `from` on that the tile's queries see.
TARGET_INLINE stored_piece piece_from(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    size_t offset, size_t from) {
    const phi_keys keys = phi_seen_keys(tile, 0, query_count, from);
    if (keys.start >= keys.end) return (stored_piece){.count = 0};
    const size_t page = keys.start / tile->cached.page_positions;
    const size_t place = keys.start % tile->cached.page_positions;
    const size_t end = phi_piece_end(tile, keys.start);
    return (stored_piece){
        .first = keys.start,
        .count = (keys.end < end ? keys.end : end) - keys.start,
        .bytes = (const char *)tile->cached.pages[page] + offset +
                 place * phi_stored_size(type, tile->head_size),
    };
}

/// Goes on to the next piece.
TARGET_INLINE void advance(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    size_t offset, stored_pieces *pieces) {
    pieces->now = pieces->next;
    pieces->next = pieces->ahead;
    const size_t end = pieces->next.first + pieces->next.count;
    if (pieces->next.count > 0) {
        pieces->ahead = piece_from(tile, type, query_count, offset, end);
    }
    if (pieces->ahead.count == 0) pieces->ahead.bytes = pieces->next.bytes;
}

/// The first pieces that the tile's queries see.
TARGET_INLINE stored_pieces first_pieces(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    size_t offset) {
    stored_pieces pieces = {.ahead = piece_from(tile, type, query_count, offset, 0)};
    for (int i = 0; i < 2; i++) advance(tile, type, query_count, offset, &pieces);
    return pieces;
}

/// Key or value `k` of a piece, or the last one.
TARGET_INLINE const char *stored_at(
    const phi_attention_tile *tile, const phi_float_type type, const stored_piece *piece,
    size_t k) {
    const size_t last = piece->count - 1;
    return piece->bytes + (k < last ? k : last) * phi_stored_size(type, tile->head_size);
}

/// Prefetches `count` bytes of a piece into the second-level cache: pieces are not contiguous, so the hardware
/// prefetcher stops at the end of each. Doubles the speed when pages come from memory.
TARGET_INLINE void prefetch(const stored_piece *piece, size_t offset, size_t count) {
    const char *bytes = piece->bytes + offset;
    for (size_t i = 0; i < count; i += CACHE_LINE) __builtin_prefetch(bytes + i, 0, 2);
}

/// The keys that query `query` sees first from position `from` on.
TARGET_INLINE phi_keys own_keys(const phi_attention_tile *tile, size_t query, size_t from) {
    return phi_seen_keys(tile, query, query + 1, from);
}

#include "AttendCodes.h"
#include "AttendFloats.h"
#include "AttendManyQueries.h"

/// Replaces each score of keys that query `query` sees by exp(score - maximum) and returns their
/// sum.
TARGET_INLINE float exponentiate(const phi_attention_tile *tile, size_t query, float *scores) {
    const float nothing = -__builtin_inff();
    lanes largest = lanes_of(nothing);
    for (phi_keys keys = own_keys(tile, query, 0); keys.start < keys.end;
         keys = own_keys(tile, query, keys.end)) {
        for (size_t key = keys.start; key < keys.end; key += LANES) {
            const size_t some = keys.end - key < LANES ? keys.end - key : LANES;
            largest = lanes_max(
                largest, load_some_floats(scores + key, PHI_FLOAT32, 0, some, nothing));
        }
    }
    const lanes minus_maximum = lanes_of(-largest_of_lanes(largest));

    lanes sum = lanes_of(0);
    for (phi_keys keys = own_keys(tile, query, 0); keys.start < keys.end;
         keys = own_keys(tile, query, keys.end)) {
        for (size_t key = keys.start; key < keys.end; key += LANES) {
            const size_t some = keys.end - key < LANES ? keys.end - key : LANES;
            // The filler's exponential is negligible beside that of the maximum, 1.
            const lanes score = load_some_floats(scores + key, PHI_FLOAT32, 0, some, nothing);
            const lanes weight = exp_of(lanes_add(score, minus_maximum));
            store_some_floats(scores + key, weight, some);
            sum = lanes_add(sum, weight);
        }
    }
    return sum_of_lanes(sum);
}

TARGET_INLINE void attend(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    const size_t key_count, const size_t register_count) {
    if (type == PHI_INT8) {
        score_codes(tile, query_count, key_count);
    } else {
        score_keys(tile, type, query_count, key_count);
    }
    float factors[PHI_FEW_QUERIES_MAX];
    for (size_t q = 0; q < query_count; q++) {
        float *scores = tile->scores + q * tile->scores_stride;
        factors[q] = 1 / exponentiate(tile, q, scores);
        phi_hide_blocks(tile, q, scores);
        // Keys that only later queries may see have weight zero.
        for (size_t key = tile->key_counts[q]; key < tile->key_counts[query_count - 1]; key++) {
            scores[key] = 0;
        }
        memset(tile->outputs[q], 0, tile->head_size * sizeof(float));
    }
    if (type == PHI_INT8) {
        weigh_codes(tile, query_count, register_count / 2);
    } else {
        weigh_values(tile, type, query_count, register_count);
    }
    for (size_t q = 0; q < query_count; q++) {
        for (size_t i = 0; i < tile->head_size; i++) tile->outputs[q][i] *= factors[q];
    }
}

/// Passes constants for each number of queries: how many keys, and how many registers of the
/// output, are processed together while the sums stay in registers.
TARGET_INLINE void attend_typed(const phi_attention_tile *tile, const phi_float_type type) {
    switch (tile->query_count) {
        case 1: attend(tile, type, 1, 8, type == PHI_INT8 ? 4 : 8); break;
        case 2: attend(tile, type, 2, 4, 4); break;
        case 3: attend(tile, type, 3, 4, 4); break;
        case 4: attend(tile, type, 4, KEYS_OF_FOUR, REGISTERS_OF_FOUR); break;
        case 16: attend_in_lanes(tile, type, 16 / LANES); break;
        default: attend_in_lanes(tile, type, 32 / LANES); break;
    }
}

TARGET void ATTEND(const phi_attention_tile *tile) {
    switch (tile->cached.type) {
        case PHI_INT8: attend_typed(tile, PHI_INT8); break;
        case PHI_FLOAT16: attend_typed(tile, PHI_FLOAT16); break;
        default: attend_typed(tile, PHI_FLOAT32); break;
    }
}
