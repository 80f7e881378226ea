// Defaults that depend on the machine.

import Inference

extension ServerSettings {
    /// Number of threads on which the engines of all models compute.
    var computeThreadCount: Int {
        threadCount == 0 ? EngineConfiguration.threadsDefault : threadCount
    }

    /// The memory of all models together, on a machine with this memory, in bytes. An eighth of the
    /// machine stays for the server, its database and the system.
    package func modelMemoryBytes(of memory: Int64?) -> Int {
        if modelMebibytes > 0 { return modelMebibytes << 20 }
        guard let memory else { return .max }
        return Int(memory / 8 * 7)
    }

    /// Number of threads for password hashing. Using all cores would delay signed-in users: scrypt
    /// is limited by memory bandwidth, so that more threads hash little more.
    var hashingThreadCount: Int {
        guard hashingThreads == 0 else { return hashingThreads }
        return min(max(1, ProcessorCount.available / 2), 4)
    }
}
