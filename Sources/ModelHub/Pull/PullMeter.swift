// The figures of a running pull, and how often they are told.

import EventLoop

/// Counts bytes and tells them. Lives on its loop.
final class PullMeter {
    /// What happens within this time is told together.
    private static let interval = Duration.milliseconds(100)

    private let loop: EventLoop
    private let report: (PullProgress) -> Void
    private var progress = PullProgress()
    private var rate: TransferRate
    private var lastReport: ContinuousClock.Instant?
    /// Whether something has happened that is still to be told.
    private var isDue = false

    init(_ loop: EventLoop, _ report: @escaping (PullProgress) -> Void) {
        self.loop = loop
        self.report = report
        rate = TransferRate(start: loop.now)
    }

    /// A new phase, told at once.
    func enter(_ phase: PullProgress.Phase, file: String? = nil) {
        progress.phase = phase
        progress.file = file
        tell()
    }

    /// Something that the user should know.
    func note(_ words: String) {
        progress.note = words
        tell()
    }

    /// The sizes are known.
    func begin(bytesDone: Int, bytesTotal: Int) {
        progress.bytesDone = bytesDone
        progress.bytesTotal = bytesTotal
        rate = TransferRate(start: loop.now)
    }

    /// Bytes have arrived.
    func received(_ bytes: Int, of file: String) {
        rate.add(bytes, at: loop.now)
        progress.phase = .downloading
        progress.file = file
        progress.bytesPerSecond = rate.bytesPerSecond
        found(bytes)
    }

    /// Bytes were there already; or, where negative, turned out to be wrong.
    func found(_ bytes: Int) {
        progress.bytesDone += bytes
        guard let lastReport, loop.now - lastReport < Self.interval else { return tell() }
        // What comes before a silence is told while that lasts.
        guard !isDue else { return }
        isDue = true
        loop.schedule(after: Self.interval - (loop.now - lastReport)) { [weak self] in
            guard let self, self.isDue else { return }
            self.isDue = false
            if self.progress.phase == .downloading { self.tell() }
        }
    }

    private func tell() {
        isDue = false
        lastReport = loop.now
        report(progress)
    }
}
