// Times an answer in MLX's two parts: up to the first token, and after it.

/// Times an answer and counts its tokens.
struct Stopwatch {
    private let promptTokenCount: Int
    private let cachedPromptTokenCount: Int
    private let start = ContinuousClock.now
    private var firstTokenAt: ContinuousClock.Instant?
    private var tokenCount = 0

    init(promptTokenCount: Int, cachedPromptTokenCount: Int = 0) {
        self.promptTokenCount = promptTokenCount
        self.cachedPromptTokenCount = cachedPromptTokenCount
    }

    /// Counts a token.
    mutating func count() {
        firstTokenAt = firstTokenAt ?? .now
        tokenCount += 1
    }

    /// The statistics of the answer, which ends now.
    func info(_ reason: GenerateStopReason) -> GenerateCompletionInfo {
        let end = ContinuousClock.now
        let border = firstTokenAt ?? end
        return GenerateCompletionInfo(
            promptTokenCount: promptTokenCount,
            cachedPromptTokenCount: cachedPromptTokenCount,
            generationTokenCount: tokenCount,
            promptTime: (border - start) / .seconds(1),
            generationTime: (end - border) / .seconds(1),
            stopReason: reason
        )
    }
}
