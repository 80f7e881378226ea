// The threads that wait for the disk and compute digests, so that the loop never does.

import EventLoop

/// Runs what blocks. Calls come from tasks of one loop.
struct HubDisk: Sendable {
    let pool: WorkerPool

    /// - Throws: `disk` with what `work` throws; `cancelled`.
    func run<Success: Sendable>(
        _ work: @escaping @Sendable () throws(SystemError) -> Success
    ) async throws(HubError) -> Success {
        do {
            return try await pool.run { try work() }
        } catch let error as SystemError {
            throw .disk(error)
        } catch {
            throw .cancelled
        }
    }
}
