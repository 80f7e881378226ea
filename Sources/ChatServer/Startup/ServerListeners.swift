// Where the server listens: an address, a Unix socket beside it, or what the service manager listens on already.

import EventLoop
import Instruments
import Logging
import Networking
import TLSEngine

/// The server's listening sockets.
final class ServerListeners {
    /// How many descriptors are kept for all that is no connection: the database, models, files.
    private static let reservedDescriptors = 256
    /// What the streams of this loop have carried.
    private let figures = ListenerFigures()
    /// The loops that keep the streams' sockets; none where this one does.
    private let carriers: [StreamCarrier]
    /// What they have told last.
    private var reports: [CarrierReport] = []
    private let loop: EventLoop
    private let settings: ServerSettings
    private let logger: Logger
    private let accept: (ByteStream) -> Void
    private var listeners: [Listener] = []
    private var noticeLimit = NoticeRateLimit()

    /// Opens the sockets that the settings name. Connections wait in them until they are accepted.
    /// - Parameters:
    ///   - settings: name the address and the Unix socket.
    ///   - inherited: sockets of the service manager, which are taken instead of the settings' host.
    /// - Returns: the sockets, the address first.
    /// - Throws: `StartupError` where one of them cannot be opened.
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
        do { return try body() } catch {
            throw StartupError(.unavailable, "cannot listen on \(place): \(error)")
        }
    }

    /// Accepts connections.
    /// - Parameters:
    ///   - sockets: where from; they are taken over.
    ///   - settings: bound the connections.
    ///   - tls: the certificate of all but Unix sockets; nil for none.
    ///   - loop: where the connections live.
    ///   - logger: hears of pauses.
    ///   - accept: takes each connection.
    /// - Throws: `StartupError` where the loop refuses one of them.
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
        carriers = try Self.carriers(settings.loopCount - 1, for: loop)
        let limit = DescriptorLimit.raise()
        // Each has its part: all together must leave the reserve.
        let streamLimit = max(limit - Self.reservedDescriptors, limit / 2) / max(1, sockets.count)
        do {
            for socket in sockets { try add(socket, tls, streamLimit) }
        } catch {
            close()
            throw error
        }
    }

    /// The first address that browsers can go to, or else a Unix socket's.
    var address: SocketAddress? {
        let addresses = listeners.map(\.address)
        return addresses.first { $0.port != nil } ?? addresses.first
    }

    /// How people and scripts find that: `http://127.0.0.1:8080`, `unix:/run/stoa.sock`.
    var place: String {
        guard let address else { return "" }
        return settings.origin(listeningAt: address) ?? "\(address)"
    }

    /// Greets who connects from now on with another certificate.
    func replaceCertificate(_ tls: TLSServerConfiguration) {
        for listener in listeners {
            if case .unix = listener.address { continue }
            listener.replaceCertificate(tls)
        }
    }

    /// Takes no more connections. Those of a service manager's sockets wait there for the next server.
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

    /// Returns when all that was sent before has been handed to the system, as far as readers take it,
    /// whichever loop does that: what is sent from then on arrives after it.
    func settle() async {
        for carrier in carriers { _ = try? await carrier.report() }
    }

    /// Asks the other loops for their figures.
    func refreshFigures() async {
        var reports: [CarrierReport] = []
        for carrier in carriers {
            guard let report = try? await carrier.report() else { return }
            reports.append(report)
        }
        self.reports = reports
    }

    /// What all streams had carried when figures were refreshed.
    var traffic: TrafficFigures {
        reports.reduce(into: figures.traffic) { sum, report in sum.add(report.traffic) }
    }

    /// How long the turns of the other loops took.
    var turnTimesOfOthers: [Histogram] { reports.map(\.turnTimes) }

    /// Ends the other loops.
    /// - Returns: their threads, to be joined where blocking does no harm.
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
