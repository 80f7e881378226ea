// What follows from the machine where a setting leaves it open.

import Inference

extension ServerSettings {
    /// How many threads hash passwords. With all cores at it, those who are signed in wait behind them:
    /// scrypt is bound by the memory that they share, so that more threads hash little more.
    var hashingThreadCount: Int {
        guard hashingThreads == 0 else { return hashingThreads }
        return min(max(1, ProcessorCount.available / 2), 4)
    }
}
