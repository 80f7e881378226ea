// The connections to one remote engine: idle ones are used again. Live on their loop.

import EngineProtocol
import EventLoop
import HTTPProtocol
import Networking
import TLSEngine

/// The connections to one engine, and the requests that are sent over them.
final class EngineConnections {
    /// Maximum idle connections that are kept.
    private static let idleMax = 8
    /// Maximum size of a document.
    private static let documentBytesMax = 1 << 20

    private let address: RemoteAddress
    private let loop: EventLoop
    private let resolver: HostResolver
    private var idle: [EngineConnection] = []
    private var tls: TLSClientConfiguration?
    /// The addresses of its host, resolved once.
    private var addresses: [SocketAddress] = []

    init(_ address: RemoteAddress, loop: EventLoop, resolver: HostResolver) {
        self.address = address
        self.loop = loop
        self.resolver = resolver
    }

    /// Keeps a connection for the next request, or closes it.
    func keep(_ connection: EngineConnection) {
        guard connection.isReusable, idle.count < Self.idleMax else { return connection.close() }
        idle.append(connection)
    }

    /// Closes the idle ones, and resolves the host again for the next.
    func close() {
        addresses = []
        for connection in idle { connection.close() }
        idle = []
    }

    // MARK: Requests

    /// Sends a request, and waits for the head of its reply. An engine may have closed an idle
    /// connection meanwhile: then the request is sent again over a new one.
    func ask(
        _ head: HTTPRequestHead,
        body: [UInt8] = [],
        within limit: WaitLimit
    ) async throws(EngineFault) -> (EngineConnection, HTTPResponseHead) {
        if let connection = idleConnection() {
            do throws(EngineFault) {
                return (connection, try await reply(over: connection, head, body, limit))
            } catch {
                guard !connection.hasReceived, !Task.isCancelled, case .unreachable = error else {
                    throw error
                }
            }
        }
        let connection = try await connect(within: limit)
        return (connection, try await reply(over: connection, head, body, limit))
    }

    /// Reads a small document.
    /// - Returns: its status and its bytes.
    func document(
        _ path: String,
        within limit: WaitLimit
    ) async throws(EngineFault) -> (Int, [UInt8]) {
        let request = head(.get, path, accept: "application/json, text/plain")
        let (connection, head) = try await ask(request, within: limit)
        do throws(EngineFault) {
            var body: [UInt8] = []
            while true {
                switch try await connection.nextEvent(within: limit) {
                case .informational, .response: break
                case .body(let bytes):
                    body += bytes
                    guard body.count <= Self.documentBytesMax else {
                        throw .tooLarge(.document, byteLimit: Self.documentBytesMax)
                    }
                case .end, .upgrade:
                    keep(connection)
                    return (head.status.code, body)
                }
            }
        } catch {
            connection.close()
            throw error
        }
    }

    /// The head of a request, with the engine's key.
    func head(_ method: HTTPMethod, _ path: String, accept: String) -> HTTPRequestHead {
        var headers: HTTPHeaders = [.accept: accept]
        if method == .post { headers[.contentType] = "application/json" }
        if let key = address.key { headers[.authorization] = "Bearer \(key)" }
        return HTTPRequestHead(method, path, host: address.base.origin.authority, headers: headers)
    }

    private func reply(
        over connection: EngineConnection,
        _ head: HTTPRequestHead,
        _ body: [UInt8],
        _ limit: WaitLimit
    ) async throws(EngineFault) -> HTTPResponseHead {
        do throws(EngineFault) {
            try await connection.send(head, body: body, within: limit)
            while true {
                let event = try await connection.nextEvent(within: limit)
                if case .response(let head) = event { return head }
            }
        } catch {
            connection.close()
            throw error
        }
    }

    // MARK: Connecting

    private func idleConnection() -> EngineConnection? {
        while let connection = idle.popLast() {
            if connection.isReusable { return connection }
            connection.close()
        }
        return nil
    }

    private func connect(within whole: WaitLimit) async throws(EngineFault) -> EngineConnection {
        let origin = address.base.origin
        let now = loop.now
        let limit = WaitLimit(.connection, address.deadlines.connection, from: now).until(whole.end)
        do throws(NetworkError) {
            if addresses.isEmpty { addresses = try await resolved(within: limit) }
            let stream = try await StreamConnector.connect(
                loop: loop,
                toFirstOf: addresses,
                deadline: limit.end - now,
                tls: origin.isSecure ? try security(origin.host) : nil
            )
            return EngineConnection(loop, stream)
        } catch {
            throw error == .timedOut ? limit.fault : .unreachable("\(error)")
        }
    }

    /// Waits for the addresses of the host until the end of `limit`. The thread that asks for them may
    /// take longer, and its result is dropped.
    private func resolved(within limit: WaitLimit) async throws(NetworkError) -> [SocketAddress] {
        let (origin, resolver) = (address.base.origin, resolver)
        if let literal = SocketAddress(host: origin.host, port: origin.port) { return [literal] }
        let found = LoopPromise<[SocketAddress], NetworkError>(loop)
        let task = loop.spawn {
            do throws(NetworkError) {
                found.succeed(try await resolver.resolve(origin.host, port: origin.port))
            } catch { found.fail(error) }
        }
        let timer = loop.schedule(after: limit.end - loop.now) { found.fail(.timedOut) }
        defer {
            timer.cancel()
            task.cancel()
        }
        return try await found.value(cancelled: { found.fail(.cancelled) })
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
}
