// A slot of a pool: a connection that is reopened whenever it is lost.

import EventLoop

/// A slot of a pool for one connection.
final class PoolSlot {
    /// The connection, while it is open.
    private(set) var connection: PostgresConnection?
    /// Whether a transaction has leased it.
    var isLeased = false

    private let loop: EventLoop
    private let configuration: PostgresConfiguration
    private let hosts: HostOrder
    private var task: LoopTask?

    init(loop: EventLoop, configuration: PostgresConfiguration, hosts: HostOrder) {
        self.loop = loop
        self.configuration = configuration
        self.hosts = hosts
    }

    /// Keeps the slot connected until `stop`. `changed` is called on the loop when a connection
    /// opens, with nil, and when it is lost or fails, with the reason.
    func start(_ changed: @escaping (PoolSlot, PostgresError?) -> Void) {
        task = loop.spawn { [self] in
            var backoff = Backoff(configuration.reconnectPause)
            while !Task.isCancelled {
                let connection = PostgresConnection(
                    loop: loop,
                    configuration: configuration,
                    hosts: hosts
                )
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

    /// Closes the connection without reconnecting; returns when that is done.
    func stop() async {
        task?.cancel()
        await task?.wait()
        task = nil
    }
}
