// Two stages, one progress: fetching is most of the time, where there is anything to fetch.

import Foundation
import Synchronization

/// The part of the whole that one stage stands for.
final class ProgressShare: Sendable {
    /// The share of fetching, where a model is fetched before it is loaded.
    static let fetching = 0.9
    /// Steps of the whole; more are not told.
    private static let units: Int64 = 1000

    private let start: Double
    private let end: Double
    private let handler: @Sendable (Progress) -> Void
    private let told = Mutex<Int64>(-1)

    init(from start: Double, to end: Double, _ handler: @escaping @Sendable (Progress) -> Void) {
        self.start = start
        self.end = end
        self.handler = handler
    }

    /// Tells that `done` of this stage, from 0 to 1, is done, where that is news. Called by one
    /// thread at a time.
    func tell(_ done: Double) {
        let completed = Int64((start + (end - start) * done) * Double(Self.units))
        let isNews = told.withLock { told in
            defer { told = max(told, completed) }
            return completed > told
        }
        guard isNews else { return }
        let progress = Progress.discreteProgress(totalUnitCount: Self.units)
        progress.completedUnitCount = completed
        handler(progress)
    }
}
