// Worker threads for disk access and digests, which would block the event loop.

import EventLoop

/// Runs blocking work. Called by tasks of one event loop.
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
