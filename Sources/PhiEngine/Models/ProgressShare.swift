// Combines the progress of two stages, fetching and loading.

import Foundation
import Synchronization

/// The part of the whole progress that one stage covers.
final class ProgressShare: Sendable {
    /// The fraction of fetching, if the model has to be fetched.
    static let fetching = 0.9
    /// The resolution of the progress; smaller steps are not reported.
    private static let units: Int64 = 1000

    private let start: Double
    private let end: Double
    private let handler: @Sendable (Progress) -> Void
    private let reported = Mutex<Int64>(-1)

    init(from start: Double, to end: Double, _ handler: @escaping @Sendable (Progress) -> Void) {
        self.start = start
        self.end = end
        self.handler = handler
    }

    /// Reports that the fraction `done` of this stage, from 0 to 1, is done, if that is a change.
    /// Called by one thread at a time.
    func report(_ done: Double) {
        let completed = Int64((start + (end - start) * done) * Double(Self.units))
        let isNews = reported.withLock { reported in
            defer { reported = max(reported, completed) }
            return completed > reported
        }
        guard isNews else { return }
        let progress = Progress.discreteProgress(totalUnitCount: Self.units)
        progress.completedUnitCount = completed
        handler(progress)
    }
}
