// Where the server listens: an address, a Unix socket beside it, or what the service manager listens on already.

import EventLoop
import Logging
import Networking
import TLSEngine

/// The server's listening sockets.
final class ServerListeners {
    /// How many descriptors are kept for all that is no connection: the database, models, files.
    private static let reservedDescriptors = 256
    /// How long a notice of a kind is not logged again.
    private static let quietPeriod: Duration = .seconds(10)

    /// What all of their streams have carried.
    let figures = ListenerFigures()
    private let loop: EventLoop
    private let settings: ServerSettings
    private let logger: Logger
    private let accept: (ByteStream) -> Void
    private var listeners: [Listener] = []
    /// When each kind of notice was logged last.
    private var lastNotices: [Bool: ContinuousClock.Instant] = [:]

    /// Begins to listen.
    /// - Parameters:
    ///   - settings: say where.
    ///   - inherited: sockets of the service manager, which are taken instead of the settings' host.
    ///   - tls: the certificate of all but Unix sockets; nil for none.
    ///   - loop: where the connections live.
    ///   - logger: hears of pauses.
    ///   - accept: takes each connection.
    /// - Throws: `StartupError` where one of them cannot be had.
    init(
        _ settings: ServerSettings,
        inherited: [Int32],
        tls: TLSServerConfiguration?,
        loop: EventLoop,
        logger: Logger,
        accept: @escaping (ByteStream) -> Void
    ) throws(StartupError) {
        self.loop = loop
        self.settings = settings
        self.logger = logger
        self.accept = accept
        let limit = DescriptorLimit.raise()
        let onHost = inherited.isEmpty && settings.listensOnHost ? 1 : 0
        let listenerCount = inherited.count + onHost + (settings.unixSocket == nil ? 0 : 1)
        // Each has its part: all together must leave the reserve.
        let streamLimit = max(limit - Self.reservedDescriptors, limit / 2) / max(1, listenerCount)
        do {
            for number in inherited {
                try add(inherited: number, configuration(tls, streamLimit))
            }
            if inherited.isEmpty, settings.listensOnHost {
                try add(hostAddress(), configuration(tls, streamLimit))
            }
            if let path = settings.unixSocket {
                try add(.unix(path: path), configuration(nil, streamLimit))
            }
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

    private func hostAddress() throws(StartupError) -> SocketAddress {
        if let address = settings.hostAddress { return address }
        throw StartupError(
            .configuration,
            "host must be an IP address, localhost or none: \(settings.host)"
        )
    }

    private func add(
        _ address: SocketAddress,
        _ configuration: ListenerConfiguration
    ) throws(StartupError) {
        do {
            let listener = try Listener(
                loop: loop,
                address: address,
                configuration: configuration,
                accept: accept
            )
            listeners.append(listener)
        } catch {
            throw StartupError(.unavailable, "cannot listen on \(address): \(error)")
        }
    }

    private func add(
        inherited number: Int32,
        _ configuration: ListenerConfiguration
    ) throws(StartupError) {
        do {
            var configuration = configuration
            if case .unix = try Listener.address(ofSocket: number) { configuration.tls = nil }
            let listener = try Listener(
                loop: loop,
                inherited: number,
                configuration: configuration,
                accept: accept
            )
            listeners.append(listener)
        } catch {
            throw StartupError(.unavailable, "cannot listen on descriptor \(number): \(error)")
        }
    }

    private func configuration(
        _ tls: TLSServerConfiguration?,
        _ streamLimit: Int
    ) -> ListenerConfiguration {
        var configuration = ListenerConfiguration()
        configuration.tls = tls
        configuration.figures = figures
        configuration.streamLimit = streamLimit
        configuration.unixMode = UInt32(settings.unixSocketMode)
        let proxies = settings.proxyProtocolFrom
        configuration.sendsProxyHeader = { peer in
            proxies.contains { $0.contains(peer: peer.host) }
        }
        configuration.onNotice = { [weak self] notice in self?.log(notice) }
        return configuration
    }

    /// Logs pauses and their ends, each at most every so often: a server at its limit is there for long.
    private func log(_ notice: ListenerNotice) {
        let isEnd = notice == .resumed
        if let last = lastNotices[isEnd], loop.now - last < Self.quietPeriod { return }
        lastNotices[isEnd] = loop.now
        logger.log(level: isEnd ? .notice : .warning, "\(notice)")
    }
}
