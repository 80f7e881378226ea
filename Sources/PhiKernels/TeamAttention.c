// Attention of a whole forward pass, in tiles of queries that share a cached head, so that it is
// read once for all of them. The result does not depend on the tiles.

#include "TeamWork.h"

typedef struct {
    const phi_kernels *kernels;
    const phi_attention *attention;
    /// Query heads of a key head.
    size_t group;
} attention_work;

/// The number of query heads of a key head whose queries share tiles. With block sparsity they see
/// different blocks, so each has tiles of its own, unless these would have few queries and most blocks
/// are near ones, which all see.
static size_t tile_heads(const attention_work *work, const phi_sequence *sequence) {
    const phi_block_sparsity *sparsity = work->attention->sparsity;
    if (!sparsity) return work->group;
    const size_t local_positions = sparsity->local_blocks * sparsity->block_positions;
    const int has_many = sequence->query_count >= PHI_FEW_QUERIES_MAX;
    return has_many || sequence->first_position > 3 * local_positions ? 1 : work->group;
}

/// The number of keys that the last query of a sequence sees.
static size_t key_count(const phi_sequence *sequence) {
    return sequence->first_position + sequence->query_count;
}

/// The numbers of queries of tiles; only those of the last size may have fewer.
static const size_t tile_sizes[] = {PHI_QUERIES_MAX, 16, PHI_FEW_QUERIES_MAX};
enum { TILE_SIZE_COUNT = sizeof tile_sizes / sizeof tile_sizes[0] };

/// The number of full tiles of `size` queries, among those of a sequence that are left.
static size_t full_tiles(
    const attention_work *work, const phi_sequence *sequence, size_t size, size_t left) {
    // So a thread's scores have at most 4 MiB up to 65,536 keys.
    const size_t most = key_count(sequence) > 32768 ? 16 : PHI_QUERIES_MAX;
    return size > (work->attention->sparsity ? PHI_FEW_QUERIES_MAX : most) ? 0 : left / size;
}

/// The number of tiles of heads that share them.
static size_t shared_tile_count(const attention_work *work, const phi_sequence *sequence) {
    size_t left = sequence->query_count * tile_heads(work, sequence);
    size_t tiles = 0;
    for (size_t i = 0; i < TILE_SIZE_COUNT; i++) {
        const size_t full = full_tiles(work, sequence, tile_sizes[i], left);
        tiles += full;
        left -= full * tile_sizes[i];
    }
    return tiles + (left > 0);
}

/// Some consecutive queries of heads that share tiles.
typedef struct {
    size_t first;
    size_t count;
} query_range;

/// The queries of tile `index` of those.
static query_range queries_of_tile(
    const attention_work *work, const phi_sequence *sequence, size_t index) {
    const size_t count = sequence->query_count * tile_heads(work, sequence);
    size_t first = 0;
    for (size_t i = 0; i < TILE_SIZE_COUNT; i++) {
        const size_t size = tile_sizes[i];
        const size_t full = full_tiles(work, sequence, size, count - first);
        if (index < full) return (query_range){first + index * size, size};
        index -= full;
        first += full * size;
    }
    return (query_range){first, count - first};
}

/// The number of tiles of a key head of a sequence.
static size_t tile_count(const attention_work *work, const phi_sequence *sequence) {
    return shared_tile_count(work, sequence) * (work->group / tile_heads(work, sequence));
}

/// Computes tile `index` of key head `key_head`, on thread `thread`. Its queries are counted by
/// position, and within a position by head.
static void attend_tile(
    const attention_work *work, const phi_sequence *sequence, size_t key_head, size_t index,
    size_t thread) {
    const phi_attention *all = work->attention;
    const size_t heads = tile_heads(work, sequence);
    const size_t tiles = shared_tile_count(work, sequence);
    const size_t first_member = index / tiles * heads;
    const query_range queries = queries_of_tile(work, sequence, index % tiles);
    phi_attention_tile tile = {
        .cached = all->first_head,
        .query_count = queries.count,
        .head_size = all->head_size,
        .scale = all->scale,
        .sparsity = all->sparsity,
        .scores = all->scores + thread * all->score_count,
        .scores_stride = key_count(sequence),
    };
    const size_t head_bytes =
        tile.cached.page_positions * phi_stored_size(tile.cached.type, all->head_size);
    tile.cached.pages = sequence->pages;
    tile.cached.keys_offset += key_head * head_bytes;
    tile.cached.values_offset += key_head * head_bytes;
    for (size_t i = 0; i < tile.query_count; i++) {
        const size_t position = (queries.first + i) / heads;
        const size_t member = first_member + (queries.first + i) % heads;
        const size_t head = key_head * work->group + member;
        const size_t row = sequence->first_row + position;
        tile.heads[i] = head;
        tile.queries[i] = all->queries + row * all->query_stride + key_head * all->group_stride +
                          member * all->head_size;
        tile.outputs[i] = all->output + (row * all->head_count + head) * all->head_size;
        tile.key_counts[i] = sequence->first_position + position + 1;
    }
    work->kernels->attend(&tile);
}

/// Computes tile `part`: tiles are numbered through all sequences, within each through its key
/// heads.
static void attend_part(void *context, size_t part, size_t thread) {
    const attention_work *work = context;
    const phi_sequence *sequence = work->attention->sequences;
    size_t tiles = tile_count(work, sequence);
    while (part >= tiles * work->attention->key_head_count) {
        part -= tiles * work->attention->key_head_count;
        tiles = tile_count(work, ++sequence);
    }
    attend_tile(work, sequence, part / tiles, part % tiles, thread);
}

static attention_work work_of(const phi_kernels *kernels, const phi_attention *attention) {
    return (attention_work){
        .kernels = kernels,
        .attention = attention,
        .group = attention->head_count / attention->key_head_count,
    };
}

size_t phi_score_count(const phi_attention *attention) {
    const attention_work work = work_of(NULL, attention);
    size_t count = 0;
    for (size_t i = 0; i < attention->sequence_count; i++) {
        const phi_sequence *sequence = &attention->sequences[i];
        // The first tile is the largest.
        const size_t scores = queries_of_tile(&work, sequence, 0).count * key_count(sequence);
        if (scores > count) count = scores;
    }
    return count;
}

/// How many weights of 4 bits are read while a number of a key is: four if it has 16 bits, and with other
/// types half or twice as many, which decides nothing but whether a small one is shared.
enum { WEIGHTS_OF_NUMBER = 4 };

void phi_team_attend(
    phi_team *team, const phi_kernels *kernels, const phi_attention *attention) {
    attention_work work = work_of(kernels, attention);
    size_t parts = 0;
    size_t operations = 0;
    for (size_t i = 0; i < attention->sequence_count; i++) {
        const phi_sequence *sequence = &attention->sequences[i];
        parts += tile_count(&work, sequence) * attention->key_head_count;
        operations += 2 * key_count(sequence) * sequence->query_count * attention->head_count *
                      attention->head_size;
    }
    phi_team_share_large(team, attend_part, &work, parts, WEIGHTS_OF_NUMBER * operations);
}
