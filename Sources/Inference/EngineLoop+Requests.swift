// What follows from a request and the engine's settings.

import PhiModel

extension EngineLoop {
    /// The factor set of a request's sequence: one for all of its tokens, since keys rotated with
    /// different factors must not be mixed.
    func ropeFactors(of request: GenerationRequest) -> RopeFactors {
        model.model.ropeFactors(
            forLength: tokensMax(of: request),
            rule: request.ropeRule ?? ropeRule
        )
    }

    /// The cache scope of a request; nil for none.
    func scope(of request: GenerationRequest) -> PrefixCache.Scope? {
        request.cacheScope.map { name in
            PrefixCache.Scope(
                name: name,
                ropeFactors: ropeFactors(of: request),
                adapter: request.adapter?.identity.hash,
                publishedCount: request.publishedCount
            )
        }
    }

    /// The maximum number of tokens of prompt and answer; their sum could overflow.
    func tokensMax(of request: GenerationRequest) -> Int {
        request.maxNewTokens < contextLength - request.prompt.count
            ? request.prompt.count + request.maxNewTokens : contextLength
    }
}
