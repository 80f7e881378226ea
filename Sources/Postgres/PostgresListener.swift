// LISTEN on a connection of its own. PostgreSQL keeps no notifications for those who are away, so
// the owner is told whenever listening begins: what it missed it must fetch itself.

public import EventLoop

/// What a listener tells its owner.
public enum PostgresListenerEvent: Sendable {
    /// All channels are being listened to from now on, at first or again: look for what was missed.
    case listening
    /// The connection is lost; notifications are missed until `listening`.
    case away(PostgresError)
    /// Another session notified a channel.
    case notification(PostgresNotification)
}

/// Listens to channels of a database until it is stopped. All of it happens on its loop's thread.
public final class PostgresListener {
    private let loop: EventLoop
    private let configuration: PostgresConfiguration
    private let channels: [String]
    private let receive: (PostgresListenerEvent) -> Void
    private var task: LoopTask?

    /// Starts to listen to `channels`; `receive` is called on the loop.
    public init(
        loop: EventLoop,
        configuration: PostgresConfiguration,
        channels: [String],
        _ receive: @escaping (PostgresListenerEvent) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.channels = channels
        self.receive = receive
        task = loop.spawn { [weak self] in
            var backoff = Backoff(configuration.reconnectPause)
            while !Task.isCancelled {
                guard let connection = self?.makeConnection() else { return }
                do throws(PostgresError) {
                    try await connection.connect()
                    for channel in channels { try await Self.listen(to: channel, connection) }
                    backoff.reset()
                    self?.receive(.listening)
                    throw await connection.end()
                } catch {
                    connection.close()
                    if !Task.isCancelled { self?.receive(.away(error)) }
                }
                do { try await loop.sleep(for: backoff.next()) } catch { return }
            }
        }
    }

    deinit { task?.cancel() }

    /// Ends the listening; `receive` is not called again when this has returned.
    public func stop() async {
        task?.cancel()
        await task?.wait()
        task = nil
    }

    private func makeConnection() -> PostgresConnection {
        let connection = PostgresConnection(loop: loop, configuration: configuration)
        connection.onNotification = { [weak self] in self?.receive(.notification($0)) }
        return connection
    }

    private static func listen(
        to channel: String,
        _ connection: PostgresConnection
    ) async throws(PostgresError) {
        let escaped = channel.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"")
        _ = try await connection.query("LISTEN \"\(escaped)\"")
    }
}
