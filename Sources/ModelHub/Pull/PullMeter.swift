// The figures of a running pull, reported at a limited rate.

import EventLoop

/// Counts bytes and reports progress. Used on its event loop.
final class PullMeter {
    /// Minimum time between two reports of received bytes.
    private static let interval = Duration.milliseconds(100)

    private let loop: EventLoop
    private let onProgress: (PullProgress) -> Void
    private var progress = PullProgress()
    private var rate: TransferRate
    private var lastReport: ContinuousClock.Instant?
    /// Whether a report is scheduled.
    private var isDue = false

    init(_ loop: EventLoop, _ onProgress: @escaping (PullProgress) -> Void) {
        self.loop = loop
        self.onProgress = onProgress
        rate = TransferRate(start: loop.now)
    }

    /// Enters a phase and reports it at once.
    func enter(_ phase: PullProgress.Phase, file: String? = nil) {
        progress.phase = phase
        progress.file = file
        report()
    }

    /// Reports a note to the user.
    func note(_ words: String) {
        progress.note = words
        report()
    }

    /// Sets the sizes once they are known.
    func begin(bytesDone: Int, bytesTotal: Int) {
        progress.bytesDone = bytesDone
        progress.bytesTotal = bytesTotal
        rate = TransferRate(start: loop.now)
    }

    /// Counts received bytes.
    func received(_ bytes: Int, of file: String) {
        rate.add(bytes, at: loop.now)
        progress.phase = .downloading
        progress.file = file
        progress.bytesPerSecond = rate.bytesPerSecond
        found(bytes)
    }

    /// Counts bytes that were on disk already; a negative number takes back wrong ones.
    func found(_ bytes: Int) {
        progress.bytesDone += bytes
        guard let lastReport, loop.now - lastReport < Self.interval else { return report() }
        // A timer reports the last bytes even if no more arrive.
        guard !isDue else { return }
        isDue = true
        loop.schedule(after: Self.interval - (loop.now - lastReport)) { [weak self] in
            guard let self, self.isDue else { return }
            self.isDue = false
            if self.progress.phase == .downloading { self.report() }
        }
    }

    private func report() {
        isDue = false
        lastReport = loop.now
        onProgress(progress)
    }
}
