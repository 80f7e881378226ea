// A keep-alive connection: fetching a file in pieces takes many requests, and each new connection would
// cost a handshake.

import EventLoop
import HTTPProtocol
import Networking

/// An open connection to one host. Used on its event loop.
final class HubConnection {
    /// No limit here: the readers of bodies enforce the length that they asked for.
    private static let bodyBytesMax = 1 << 50

    /// Any URL of the host.
    let url: HTTPURL
    /// Whether no byte of a response has arrived since the last request: the host may have closed
    /// an idle connection, and such a request can be retried.
    private(set) var isUnused = true
    /// Maximum time without bytes from the host.
    var timeout = Duration.seconds(10)
    private let loop: EventLoop
    private let stream: AsyncByteStream
    private var http: HTTPClientConnection

    init(_ loop: EventLoop, _ stream: AsyncByteStream, to url: HTTPURL) {
        self.loop = loop
        self.stream = stream
        self.url = url
        http = HTTPClientConnection(limits: HTTPLimits(bodyBytesMax: Self.bodyBytesMax))
    }

    /// Whether another request can be sent.
    var isReusable: Bool { stream.stream.isOpen && http.isReadyForRequest }

    /// Sends a request and waits for the response's head.
    func send(_ request: HTTPRequestHead) async throws(HubError) -> HTTPResponseHead {
        isUnused = true
        do throws(NetworkError) {
            try await stream.write(http.send(request))
        } catch {
            throw hubError(error)
        }
        while true {
            guard let event = try await nextEvent() else { continue }
            if case .response(let head) = event { return head }
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

    func close() { stream.close() }

    /// The next event; nil if bytes were read but no event is complete.
    private func nextEvent() async throws(HubError) -> HTTPClientEvent? {
        do throws(HTTPError) {
            if let event = try http.nextEvent() { return event }
        } catch {
            throw .http(host: url.origin.host, error)
        }
        var isSilent = false
        let timer = loop.schedule(after: timeout) { [stream] in
            isSilent = true
            stream.close()
        }
        defer { timer.cancel() }
        do throws(NetworkError) {
            if let bytes = try await stream.read() {
                isUnused = false
                bytes.withUnsafeBytes { http.receive($0) }
            } else {
                http.receiveEnd()
            }
        } catch {
            throw hubError(isSilent ? .timedOut : error)
        }
        return nil
    }

    private func hubError(_ error: NetworkError) -> HubError {
        error == .cancelled ? .cancelled : .network(host: url.origin.host, error)
    }
}
