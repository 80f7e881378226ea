// One remote engine as this node sees it: its connections, what it is, whether it works. Lives on its
// loop.

import EngineProtocol
import EventLoop
import HTTPProtocol
import JSONText
import Networking
import TLSEngine

/// One remote engine.
final class RemoteServer {
    /// Maximum idle connections that are kept.
    private static let idleMax = 8
    /// Maximum size of a document or an error.
    private static let documentBytesMax = 1 << 20

    let address: RemoteAddress
    let index: Int
    /// Whether it gets requests.
    var breaker = CircuitBreaker()
    /// The answers that it generates for this node.
    var running = 0
    /// The latest fault, until it answers again.
    var fault: EngineFault?
    /// The number of answers that it finished, and of those that failed.
    var finishedCount = 0
    var failedCount = 0
    /// What it said about itself; nil until it was asked, and after a fault.
    private(set) var profile: EngineProfile?

    private let loop: EventLoop
    private let resolver: HostResolver
    private var idle: [EngineConnection] = []
    private var tls: TLSClientConfiguration?
    /// The addresses of its host, resolved once.
    private var addresses: [SocketAddress] = []

    init(_ address: RemoteAddress, index: Int, loop: EventLoop, resolver: HostResolver) {
        self.address = address
        self.index = index
        self.loop = loop
        self.resolver = resolver
    }

    var candidate: EngineChoice.Candidate {
        let told = profile?.slots ?? .max
        return EngineChoice.Candidate(
            index: index,
            running: running,
            slots: max(1, min(address.slots, told))
        )
    }

    // MARK: Results

    /// Notes that an answer was generated.
    func succeeded() {
        breaker.succeeded()
        fault = nil
        finishedCount += 1
    }

    /// Notes a fault. After one the engine may be another one, so it is asked again what it is.
    func failed(_ fault: EngineFault) {
        failedCount += 1
        guard !fault.blamesRequest else { return breaker.abandoned(at: loop.now) }
        self.fault = fault
        switch fault {
        case .busy(_, let seconds):
            breaker.paused(at: loop.now, for: seconds.map { .seconds($0) })
        case .unreachable, .unauthorized, .notFound, .redirected, .malformed:
            forgetConnections()
            breaker.failed(at: loop.now, opensAtOnce: true)
        default:
            profile = nil
            breaker.failed(at: loop.now)
        }
    }

    private func forgetConnections() {
        profile = nil
        addresses = []
        for connection in idle { connection.close() }
        idle = []
    }

    // MARK: Connections

    /// An idle connection; nil if there is none.
    func idleConnection() -> EngineConnection? {
        while let connection = idle.popLast() {
            if connection.isReusable { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection for the next request, or closes it.
    func keep(_ connection: EngineConnection) {
        guard connection.isReusable, idle.count < Self.idleMax else { return connection.close() }
        idle.append(connection)
    }

    func close() { forgetConnections() }

    /// Opens a connection.
    func connect() async throws(EngineFault) -> EngineConnection {
        let origin = address.base.origin
        do throws(NetworkError) {
            if addresses.isEmpty {
                addresses = try await resolver.resolve(origin.host, port: origin.port)
            }
            let stream = try await StreamConnector.connect(
                loop: loop,
                toFirstOf: addresses,
                deadline: address.deadlines.connection,
                tls: origin.isSecure ? try security(origin.host) : nil
            )
            return EngineConnection(loop, stream)
        } catch {
            if error == .timedOut {
                let seconds = address.deadlines.connection.components.seconds
                throw .silent(.connection, seconds: Int(seconds))
            }
            throw .unreachable("\(error)")
        }
    }

    private func security(_ host: String) throws(NetworkError) -> TLSClientConfiguration {
        if let tls { return tls }
        do throws(TLSError) {
            let made = try TLSClientConfiguration(
                serverName: host,
                trustedFile: address.trustedFile
            )
            tls = made
            return made
        } catch { throw .tls(error) }
    }

    func head(_ method: HTTPMethod, _ path: String, accept: String) -> HTTPRequestHead {
        var headers: HTTPHeaders = [.accept: accept]
        if method == .post { headers[.contentType] = "application/json" }
        if let key = address.key { headers[.authorization] = "Bearer \(key)" }
        return HTTPRequestHead(method, path, host: address.base.origin.authority, headers: headers)
    }

    // MARK: What it is

    /// What the engine is; asked at most once between faults.
    func knownProfile() async throws(EngineFault) -> EngineProfile {
        if let profile { return profile }
        var replies: [EngineProbe: JSONValue] = [:]
        for probe in EngineProbe.allCases {
            let (status, body) = try await document(probe.path(below: address.path))
            if probe == .models, status != 200 {
                throw AnswerChunk.fault(status: status, retryAfter: nil, body: body)
            }
            if status == 200 { replies[probe] = try? JSONValue(parsing: body) }
        }
        let found = try EngineProfile(model: address.model, replies)
        profile = found
        return found
    }

    /// Reads a small document.
    private func document(_ path: String) async throws(EngineFault) -> (Int, [UInt8]) {
        var connection: EngineConnection
        if let reused = idleConnection() {
            connection = reused
        } else {
            connection = try await connect()
        }
        let request = head(.get, path, accept: "application/json")
        let duration = address.deadlines.connection
        let deadline = loop.now + duration
        var status = 0
        do throws(EngineFault) {
            try await connection.send(request, body: [], within: duration)
        } catch {
            connection.close()
            connection = try await connect()
            try await connection.send(request, body: [], within: duration)
        }
        var body: [UInt8] = []
        do throws(EngineFault) {
            while true {
                switch try await connection.nextEvent(
                    until: deadline,
                    for: .connection,
                    of: duration
                ) {
                case .informational: break
                case .response(let head): status = head.status.code
                case .body(let bytes):
                    body += bytes
                    guard body.count <= Self.documentBytesMax else {
                        throw .tooLarge(.document, byteLimit: Self.documentBytesMax)
                    }
                case .end, .upgrade:
                    keep(connection)
                    return (status, body)
                }
            }
        } catch {
            connection.close()
            throw error
        }
    }
}
