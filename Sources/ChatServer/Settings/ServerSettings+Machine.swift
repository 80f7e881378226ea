// Defaults that depend on the machine.

import Inference

extension ServerSettings {
    /// Number of threads for password hashing. Using all cores would delay signed-in users: scrypt
    /// is limited by memory bandwidth, so that more threads hash little more.
    var hashingThreadCount: Int {
        guard hashingThreads == 0 else { return hashingThreads }
        return min(max(1, ProcessorCount.available / 2), 4)
    }
}
