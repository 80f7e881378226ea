// A TCP proxy between clients and servers that does what networks do: it loses what was on its way,
// cuts, delays, stalls. Each connection goes to any of the living servers, as behind a balancer.

import EventLoop
import Networking

/// The proxy. Lives on its loop.
final class FaultyProxy {
    /// The servers' ports; nil for one that is dead.
    var ports: [UInt16?]
    /// Whether connections suffer; once all is said they don't.
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

    /// Where clients connect to.
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

/// One connection through the proxy, and what becomes of it.
private final class ProxiedConnection {
    let client: ByteStream
    let server: ByteStream
    private let fault: Fault
    private let loop: EventLoop
    private let tally: Tally
    private var piecesFromClient = 0
    private var bytesFromServer = 0
    /// Nothing is passed on any more.
    private var isDeaf = false
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
            if !isDeaf { tally.count("connections that went silent") }
            isDeaf = true
            return
        case .loseAnswer(let pieces) where piecesFromClient == pieces:
            // The request goes through, its answer does not.
            isDeaf = true
            tally.count("connections cut before an answer")
            loop.schedule(after: .milliseconds(40)) { [self] in closeBoth() }
        default: break
        }
        guard server.isOpen else { return }
        server.write(bytes)
        if server.isAboveHighMark { client.pauseReading() }
    }

    func receivedFromServer(_ bytes: [UInt8]) {
        guard !isDeaf else { return }
        let before = bytesFromServer
        bytesFromServer += bytes.count
        switch fault {
        case .cut(let limit) where bytesFromServer > limit:
            isDeaf = true
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
        if case .blackHole = fault, isDeaf { return }
        (isClient ? server : client).closeAfterFlush()
    }

    func closed(isClient: Bool) {
        if isClient {
            server.close()
        } else if !isDeaf {
            // What came late by a delay is on its way still.
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
