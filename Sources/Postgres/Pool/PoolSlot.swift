// One place in a pool: a connection that is made again whenever it is lost.

import EventLoop

/// A pool's place for one connection.
final class PoolSlot {
    /// The connection, while it is open.
    private(set) var connection: PostgresConnection?
    /// Whether a transaction has it for itself.
    var isLeased = false

    private let loop: EventLoop
    private let configuration: PostgresConfiguration
    private var task: LoopTask?

    init(loop: EventLoop, configuration: PostgresConfiguration) {
        self.loop = loop
        self.configuration = configuration
    }

    /// Keeps the slot connected until `stop`. `changed` is told, on the loop, when there is a
    /// connection, with nil, and when there is none, with the reason.
    func start(_ changed: @escaping (PoolSlot, PostgresError?) -> Void) {
        task = loop.spawn { [self] in
            var backoff = Backoff(configuration.reconnectPause)
            while !Task.isCancelled {
                let connection = PostgresConnection(loop: loop, configuration: configuration)
                let reason: PostgresError
                do throws(PostgresError) {
                    try await connection.connect()
                    backoff.reset()
                    self.connection = connection
                    changed(self, nil)
                    reason = await connection.end()
                } catch {
                    reason = error
                }
                self.connection = nil
                changed(self, reason)
                do { try await loop.sleep(for: backoff.next()) } catch { return }
            }
        }
    }

    /// Ends the connection and makes no other one; returns when that is done.
    func stop() async {
        task?.cancel()
        await task?.wait()
        task = nil
    }
}
