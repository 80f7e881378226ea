// LISTEN on a separate connection. PostgreSQL does not store notifications for disconnected
// sessions, so the owner is notified whenever listening starts and must then read what it missed.

public import EventLoop

/// An event of a listener.
public enum PostgresListenerEvent: Sendable {
    /// Listening on all channels has started, for the first time or again: read what was missed.
    case listening
    /// The connection was lost; notifications are missed until `listening`.
    case away(PostgresError)
    /// Another session sent a notification.
    case notification(PostgresNotification)
}

/// Listens on channels of a database until it is stopped. Lives on its loop.
public final class PostgresListener {
    private let loop: EventLoop
    private let configuration: PostgresConfiguration
    private let hosts: HostOrder
    private let channels: [String]
    private let receive: (PostgresListenerEvent) -> Void
    private var task: LoopTask?

    /// Starts to listen on `channels`; `receive` is called on the loop.
    public init(
        loop: EventLoop,
        configuration: PostgresConfiguration,
        channels: [String],
        _ receive: @escaping (PostgresListenerEvent) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        hosts = HostOrder(configuration.hosts)
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
                    let heartbeat = Self.beat(connection)
                    defer { heartbeat?.cancel() }
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

    /// Stops listening; `receive` is not called after this has returned.
    public func stop() async {
        task?.cancel()
        await task?.wait()
        task = nil
    }

    private func makeConnection() -> PostgresConnection {
        let connection = PostgresConnection(
            loop: loop,
            configuration: configuration,
            hosts: hosts
        )
        connection.onNotification = { [weak self] in self?.receive(.notification($0)) }
        return connection
    }

    /// Asks something periodically, if there are several servers: a connection that only listens
    /// does not notice that its server is frozen or cut off.
    private static func beat(_ connection: PostgresConnection) -> LoopTask? {
        guard connection.configuration.hasSeveralHosts else { return nil }
        let loop = connection.loop
        return loop.spawn {
            while connection.isOpen {
                do { try await loop.sleep(for: connection.configuration.heartbeat) } catch {
                    return
                }
                _ = try? await connection.query("SELECT 1")
            }
        }
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
