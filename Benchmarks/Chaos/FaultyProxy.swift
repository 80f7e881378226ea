// A TCP proxy between clients and servers with network faults: it drops bytes in flight, closes, delays
// and stalls connections. Each connection goes to a random live server, as behind a load balancer.

import EventLoop
import Networking

/// The proxy. Used on its event loop.
final class FaultyProxy {
    /// The servers' ports; nil for a dead server.
    var ports: [UInt16?]
    /// Whether connections get faults; false after the last message.
    var isFaulty = true
    private let loop: EventLoop
    private let seed: UInt64
    private let tally: Tally
    private var listener: Listener?
    private var connectionCount = 0

    init(loop: EventLoop, seed: UInt64, nodes: Int, tally: Tally) throws {
        self.loop = loop
        self.seed = seed
        self.tally = tally
        ports = Array(repeating: nil, count: nodes)
        let address = SocketAddress.ipv4(0x7F00_0001, port: 0)
        listener = try Listener(loop: loop, address: address) { [weak self] stream in
            self?.take(stream)
        }
    }

    /// The port for clients.
    var port: UInt16 { listener?.address.port ?? 0 }

    func close() { listener?.close() }

    private func take(_ client: ByteStream) {
        connectionCount += 1
        tally.count("connections")
        let number = connectionCount
        let living = ports.compactMap { $0 }
        var random = SeededGenerator(seed: seed, "node", number)
        guard let port = living.randomElement(using: &random) else {
            client.close()
            return
        }
        let fault = isFaulty ? Fault(seed: seed, connection: number) : .none
        loop.spawn { [self] in
            do {
                let server = try await StreamConnector.connect(
                    loop: loop,
                    to: .ipv4(0x7F00_0001, port: port),
                    deadline: .seconds(2)
                )
                ProxiedConnection(client, server, fault, loop, tally).start()
            } catch {
                client.close()
            }
        }
    }
}

/// One connection through the proxy, with its fault.
private final class ProxiedConnection {
    let client: ByteStream
    let server: ByteStream
    private let fault: Fault
    private let loop: EventLoop
    private let tally: Tally
    private var piecesFromClient = 0
    private var bytesFromServer = 0
    /// Whether bytes are no longer forwarded.
    private var isSilent = false
    private var hasLagged = false

    init(
        _ client: ByteStream,
        _ server: ByteStream,
        _ fault: Fault,
        _ loop: EventLoop,
        _ tally: Tally
    ) {
        self.client = client
        self.server = server
        self.fault = fault
        self.loop = loop
        self.tally = tally
    }

    func start() {
        client.handler = Side(self, isClient: true)
        server.handler = Side(self, isClient: false)
    }

    // MARK: Bytes

    func receivedFromClient(_ bytes: [UInt8]) {
        piecesFromClient += 1
        switch fault {
        case .blackHole(let pieces) where piecesFromClient > pieces:
            if !isSilent { tally.count("connections that went silent") }
            isSilent = true
            return
        case .loseAnswer(let pieces) where piecesFromClient == pieces:
            // The request is forwarded, its response is not.
            isSilent = true
            tally.count("connections cut before an answer")
            loop.schedule(after: .milliseconds(40)) { [self] in closeBoth() }
        default: break
        }
        guard server.isOpen else { return }
        server.write(bytes)
        if server.isAboveHighMark { client.pauseReading() }
    }

    func receivedFromServer(_ bytes: [UInt8]) {
        guard !isSilent else { return }
        let before = bytesFromServer
        bytesFromServer += bytes.count
        switch fault {
        case .cut(let limit) where bytesFromServer > limit:
            isSilent = true
            tally.count("connections cut within a frame")
            passOn(Array(bytes.prefix(max(0, limit - before))))
            client.closeAfterFlush()
            server.close()
        case .lag(let limit, let pause) where bytesFromServer > limit && !hasLagged:
            hasLagged = true
            tally.count("readers that stopped reading")
            passOn(bytes)
            server.pauseReading()
            loop.schedule(after: pause) { [self] in server.resumeReading() }
        case .delay(let pause):
            loop.schedule(after: pause) { [self] in passOn(bytes) }
        default:
            passOn(bytes)
        }
    }

    private func passOn(_ bytes: [UInt8]) {
        guard client.isOpen, !bytes.isEmpty else { return }
        client.write(bytes)
        if client.isAboveHighMark { server.pauseReading() }
    }

    // MARK: Ends

    func drained(isClient: Bool) {
        (isClient ? server : client).resumeReading()
    }

    func ended(isClient: Bool) {
        if case .blackHole = fault, isSilent { return }
        (isClient ? server : client).closeAfterFlush()
    }

    func closed(isClient: Bool) {
        if isClient {
            server.close()
        } else if !isSilent {
            // Delayed bytes are still in flight.
            loop.schedule(after: .milliseconds(40)) { [self] in client.closeAfterFlush() }
        }
    }

    private func closeBoth() {
        client.close()
        server.close()
    }
}

/// One side of a proxied connection.
private final class Side: StreamHandler {
    private let connection: ProxiedConnection
    private let isClient: Bool

    init(_ connection: ProxiedConnection, isClient: Bool) {
        self.connection = connection
        self.isClient = isClient
    }

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        if isClient {
            connection.receivedFromClient(Array(bytes))
        } else {
            connection.receivedFromServer(Array(bytes))
        }
    }

    func streamReceivedEnd(_ stream: ByteStream) { connection.ended(isClient: isClient) }

    func streamDrained(_ stream: ByteStream) { connection.drained(isClient: isClient) }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        connection.closed(isClient: isClient)
    }
}
