// One request and its response, whose body comes in pieces: models do not fit into memory twice.

import EventLoop
import HTTPProtocol
import Networking

/// A response that is being read. Lives on its loop; closes its stream with `close`.
final class HubExchange {
    private(set) var head = HTTPResponseHead(.badGateway)
    private let loop: EventLoop
    private let host: String
    private let stream: AsyncByteStream
    private let silenceLimit: Duration
    private var connection: HTTPClientConnection

    init(
        _ loop: EventLoop,
        _ stream: AsyncByteStream,
        host: String,
        silenceLimit: Duration,
        bodyBytesMax: Int
    ) {
        self.loop = loop
        self.stream = stream
        self.host = host
        self.silenceLimit = silenceLimit
        var limits = HTTPLimits()
        limits.bodyBytesMax = bodyBytesMax
        connection = HTTPClientConnection(limits: limits)
    }

    /// Sends the request and waits for the response's head.
    func begin(_ request: HTTPRequestHead) async throws(HubError) {
        do throws(NetworkError) {
            try await stream.write(connection.send(request))
        } catch {
            throw .network(host: host, error)
        }
        while true {
            guard let event = try await nextEvent() else { continue }
            if case .response(let head) = event {
                self.head = head
                return
            }
        }
    }

    /// The next bytes of the body; nil at its end.
    func next() async throws(HubError) -> [UInt8]? {
        while true {
            switch try await nextEvent() {
            case .body(let bytes): return bytes
            case .end, .upgrade: return nil
            default: break
            }
        }
    }

    /// The rest of the body, which the bound of the body's size keeps small.
    func readAll() async throws(HubError) -> [UInt8] {
        var body: [UInt8] = []
        while let bytes = try await next() { body += bytes }
        return body
    }

    func close() { stream.close() }

    private func nextEvent() async throws(HubError) -> HTTPClientEvent? {
        do throws(HTTPError) {
            if let event = try connection.nextEvent() { return event }
        } catch {
            throw .http(host: host, error)
        }
        var isSilent = false
        let timer = loop.schedule(after: silenceLimit) { [stream] in
            isSilent = true
            stream.close()
        }
        defer { timer.cancel() }
        do throws(NetworkError) {
            if let bytes = try await stream.read() {
                bytes.withUnsafeBytes { connection.receive($0) }
            } else {
                connection.receiveEnd()
            }
        } catch {
            throw .network(host: host, isSilent ? .timedOut : error)
        }
        return nil
    }
}
