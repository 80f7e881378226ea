// MLX's names for its memory, and what they mean without a GPU.

/// The working memory that finished generations leave for the next ones.
///
/// Weights are mapped from their files, and keys and values are freed when an answer ends; neither counts
/// here. The cache holds the buffers of forward passes and their threads.
public enum GPU {
    /// Maximum bytes to cache, for all models together; 256 MiB by default. It does not limit what
    /// one generation uses; 0 caches nothing.
    public static var cacheLimit: Int {
        get { SessionPool.shared.limit }
        set { SessionPool.shared.limit = newValue }
    }

    /// Sets `cacheLimit`, and frees what exceeds it at once.
    public static func set(cacheLimit: Int) {
        self.cacheLimit = cacheLimit
    }

    /// The bytes in the cache now.
    public static var cacheMemory: Int { SessionPool.shared.byteCount }

    /// Frees the cache.
    public static func clearCache() {
        SessionPool.shared.removeAll()
    }
}

/// The name in later releases.
public typealias Memory = GPU
