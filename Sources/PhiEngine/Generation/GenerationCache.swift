// What a conversation has computed, for its next turn.

import Checkpoints
import Inference
import PhiModel

/// The KV cache of a conversation, between its generations.
///
/// Safety: a conversation's turns run one after the other, each on one thread; only the running one uses
/// its cache.
final class GenerationCache: @unchecked Sendable {
    private var cache: KeyValueCache?
    private weak var model: PhiModel?
    /// The adapter with which `cache` was computed.
    private var adapter: Adapter?
    /// The tokens of `cache`.
    private var tokens: [TokenID] = []

    /// The number of tokens in the cache.
    var count: Int { tokens.count }

    /// A cache with the beginning of `prompt` that it already has, and room for `tokensMax` tokens.
    ///
    /// It gives the answer that a new one gives: the keys of a cache whose rotation is not that of a run
    /// of this length, or of another adapter, are dropped.
    /// - Throws: `EngineError.outOfMemory`.
    func take(
        for prompt: [TokenID],
        tokensMax: Int,
        model loaded: LoadedModel,
        adapter: Adapter?
    ) throws(EngineError) -> KeyValueCache {
        let model = loaded.model
        let factors = model.ropeFactors(forLength: tokensMax)
        let kept = zip(tokens, prompt.dropLast()).prefix { $0 == $1 }.count
        tokens = []
        if let cache, self.model === model, self.adapter === adapter,
            cache.ropeFactors == factors, cache.capacity >= tokensMax
        {
            cache.truncate(to: kept)
            return cache
        }
        // Pages are used as they are filled, so room for later turns costs no memory yet.
        let sizes = model.configuration
        let room = min(sizes.contextLength, max(tokensMax, sizes.originalContextLength))
        cache = nil
        let new = try TokenGenerator.makeCache(
            tokensMax: tokensMax,
            capacity: room,
            model: loaded
        )
        (cache, self.model, self.adapter) = (new, model, adapter)
        return new
    }

    /// Notes what the cache has after a generation.
    func note(_ generator: TokenGenerator) {
        tokens = Array(generator.tokens.prefix(generator.cache.count))
    }
}
