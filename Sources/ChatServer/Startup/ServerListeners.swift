// The server's listening sockets: an address, a Unix socket, or the sockets of the service manager.

import EventLoop
import Instruments
import Logging
import Networking
import TLSEngine

/// The server's listening sockets.
final class ServerListeners {
    /// Descriptors reserved for everything except connections: the database, models, files.
    private static let reservedDescriptors = 256
    /// Traffic of this loop's streams.
    private let figures = ListenerFigures()
    /// The loops that handle the streams' sockets; empty if this one does.
    private let carriers: [StreamCarrier]
    /// Their latest figures.
    private var reports: [CarrierReport] = []
    private let loop: EventLoop
    private let settings: ServerSettings
    private let logger: Logger
    private let accept: (ByteStream) -> Void
    private var listeners: [Listener] = []
    private var noticeLimit = NoticeRateLimit()

    /// Opens the sockets of the settings. Connections wait in them until they are accepted.
    /// - Parameters:
    ///   - settings: the address and the Unix socket.
    ///   - inherited: sockets of the service manager, which replace the settings' host.
    /// - Returns: the sockets, the address first.
    /// - Throws: `StartupError` if one of them cannot be opened.
    static func open(
        _ settings: ServerSettings,
        inherited: [Int32]
    ) throws(StartupError) -> [ListeningSocket] {
        var sockets: [ListeningSocket] = []
        for number in inherited {
            sockets.append(
                try open("descriptor \(number)") { () throws(NetworkError) in
                    try ListeningSocket(inherited: number)
                }
            )
        }
        var addresses: [SocketAddress] = []
        if inherited.isEmpty, settings.listensOnHost {
            guard let address = settings.hostAddress else {
                throw StartupError(
                    .configuration,
                    "host must be an IP address, localhost or none: \(settings.host)"
                )
            }
            addresses.append(address)
        }
        if let path = settings.unixSocket { addresses.append(.unix(path: path)) }
        var configuration = ListenerConfiguration()
        configuration.unixMode = UInt32(settings.unixSocketMode)
        for address in addresses {
            sockets.append(
                try open("\(address)") { () throws(NetworkError) in
                    try ListeningSocket(address, configuration)
                }
            )
        }
        return sockets
    }

    private static func open(
        _ place: String,
        _ body: () throws(NetworkError) -> ListeningSocket
    ) throws(StartupError) -> ListeningSocket {
        do { return try body() } catch .addressInUse {
            throw StartupError(
                .unavailable,
                "cannot listen on \(place): address in use: stop what uses it, or choose another"
                    + " with --port, --host or --unix-socket"
            )
        } catch {
            throw StartupError(.unavailable, "cannot listen on \(place): \(error)")
        }
    }

    /// Accepts connections.
    /// - Parameters:
    ///   - sockets: the sockets; ownership is taken.
    ///   - settings: the limits of connections.
    ///   - tls: the TLS configuration for all but Unix sockets; nil for none.
    ///   - loop: the loop of the connections.
    ///   - logger: logs pauses.
    ///   - accept: receives each connection.
    /// - Throws: `StartupError` if the loop rejects one of them.
    init(
        _ sockets: [ListeningSocket],
        _ settings: ServerSettings,
        tls: TLSServerConfiguration?,
        loop: EventLoop,
        logger: Logger,
        accept: @escaping (ByteStream) -> Void
    ) throws(StartupError) {
        self.loop = loop
        self.settings = settings
        self.logger = logger
        self.accept = accept
        loop.usesIOUring = settings.ioUring == .on
        carriers = try Self.carriers(settings.loopCount - 1, for: loop)
        let limit = DescriptorLimit.raise()
        // Each socket gets a share: all together must leave the reserve.
        let streamLimit = max(limit - Self.reservedDescriptors, limit / 2) / max(1, sockets.count)
        do {
            for socket in sockets { try add(socket, tls, streamLimit) }
        } catch {
            close()
            throw error
        }
    }

    /// The first address that browsers can reach, otherwise a Unix socket's.
    var address: SocketAddress? {
        let addresses = listeners.map(\.address)
        return addresses.first { $0.port != nil } ?? addresses.first
    }

    /// The address for people and scripts: `http://127.0.0.1:8080`, `unix:/run/stoa.sock`.
    var place: String {
        guard let address else { return "" }
        return settings.origin(listeningAt: address) ?? "\(address)"
    }

    /// Uses another certificate for new connections.
    func replaceCertificate(_ tls: TLSServerConfiguration) {
        for listener in listeners {
            if case .unix = listener.address { continue }
            listener.replaceCertificate(tls)
        }
    }

    /// Stops accepting connections. Those of a service manager's sockets wait there for the next
    /// server.
    func close() {
        for listener in listeners { listener.close() }
    }

    // MARK: Several loops

    private static func carriers(
        _ count: Int,
        for loop: EventLoop
    ) throws(StartupError) -> [StreamCarrier] {
        var carriers: [StreamCarrier] = []
        do {
            for number in 0..<count {
                carriers.append(try StreamCarrier(for: loop, name: "stoa sockets \(number + 1)"))
            }
        } catch {
            throw StartupError(.unavailable, "no loop for sockets: \(error)")
        }
        return carriers
    }

    /// Waits until everything sent before has been passed to the system, as far as clients read it,
    /// on whichever loop: what is sent from then on arrives after it.
    func settle() async {
        for carrier in carriers { _ = try? await carrier.report() }
    }

    /// Fetches the figures of the other loops.
    func refreshFigures() async {
        var reports: [CarrierReport] = []
        for carrier in carriers {
            guard let report = try? await carrier.report() else { return }
            reports.append(report)
        }
        self.reports = reports
    }

    /// Traffic of all streams at the last refresh.
    var traffic: TrafficFigures {
        reports.reduce(into: figures.traffic) { sum, report in sum.add(report.traffic) }
    }

    /// Durations of the other loops' turns.
    var turnTimesOfOthers: [Histogram] { reports.map(\.turnTimes) }

    /// Ends the other loops.
    /// - Returns: their threads, to be joined where blocking is allowed.
    func stopOthers() -> [EventLoopThread] { carriers.compactMap { $0.stop() } }

    // MARK: Sockets

    private func add(
        _ socket: ListeningSocket,
        _ tls: TLSServerConfiguration?,
        _ streamLimit: Int
    ) throws(StartupError) {
        var configuration = configuration(tls, streamLimit)
        if case .unix = socket.address { configuration.tls = nil }
        do {
            let listener = try Listener(
                loop: loop,
                socket: socket,
                configuration: configuration,
                accept: accept
            )
            listeners.append(listener)
        } catch {
            throw StartupError(.unavailable, "cannot listen on \(socket.address): \(error)")
        }
    }

    private func configuration(
        _ tls: TLSServerConfiguration?,
        _ streamLimit: Int
    ) -> ListenerConfiguration {
        var configuration = ListenerConfiguration()
        configuration.tls = tls
        configuration.figures = figures
        configuration.carriers = carriers
        configuration.streamLimit = streamLimit
        let proxies = settings.proxyProtocolFrom
        configuration.sendsProxyHeader = { peer in
            proxies.contains { $0.contains(peer: peer.host) }
        }
        configuration.onNotice = { [weak self] notice in self?.log(notice) }
        return configuration
    }

    /// Logs pauses and their ends.
    private func log(_ notice: ListenerNotice) {
        guard noticeLimit.allows(notice, at: loop.now) else { return }
        logger.log(level: notice == .resumed ? .notice : .warning, "\(notice)")
    }
}
