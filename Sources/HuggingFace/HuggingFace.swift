// For programs that import swift-huggingface beside MLX Swift LM: its client's name, which they hand to
// `#hubDownloader`. The rest of that package has no counterpart.

@_exported public import PhiEngine

/// The hub and its cache.
public typealias HubClient = HubApi
