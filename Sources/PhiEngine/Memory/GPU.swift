// MLX's names for its memory, and what they honestly mean without a GPU.

/// The working memory that finished generations leave for the next ones.
///
/// Weights are mapped from their files and keys and values are given back when an answer ends;
/// neither counts here. What is kept are the buffers of passes and the threads that share them.
public enum GPU {
    /// The most bytes that are kept, for all models together; 256 MiB at first. What one generation
    /// needs is not limited by it; 0 keeps nothing.
    public static var cacheLimit: Int {
        get { SessionPool.shared.limit }
        set { SessionPool.shared.limit = newValue }
    }

    /// Sets `cacheLimit`, and at once lets go what is above it.
    public static func set(cacheLimit: Int) {
        self.cacheLimit = cacheLimit
    }

    /// The bytes that are kept at this instant.
    public static var cacheMemory: Int { SessionPool.shared.byteCount }

    /// Lets go what is kept.
    public static func clearCache() {
        SessionPool.shared.removeAll()
    }
}

/// The name of later releases.
public typealias Memory = GPU
