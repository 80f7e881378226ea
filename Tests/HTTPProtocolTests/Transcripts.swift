// Feeds split bytes to a connection and records its events.

import HTTPProtocol
import TestSupport

/// The bytes of `text`, with each line feed sent as CR LF.
func wire(_ text: String) -> [UInt8] {
    text.utf8.flatMap { $0 == UInt8(ascii: "\n") ? Array("\r\n".utf8) : [$0] }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The events of a server connection. Adjacent pieces of a body are joined, since the split has no
/// meaning.
struct ServerTranscript: Equatable {
    var events: [HTTPServerEvent] = []
    var error: HTTPError?
    var shouldClose = false

    /// Feeds `bytes`; each complete request gets an empty 200, an upgrade gets 101.
    init(
        _ bytes: [UInt8],
        _ delivery: Delivery = .whole,
        limits: HTTPLimits = HTTPLimits(),
        thenEnd: Bool = false
    ) {
        var connection = HTTPServerConnection(limits: limits)
        var isUpgrade = false
        for piece in delivery.pieces(of: bytes) {
            piece.withUnsafeBytes { connection.receive($0) }
            step(&connection, &isUpgrade)
            if case .upgrade = events.last { return }
        }
        if thenEnd {
            connection.receiveEnd()
            step(&connection, &isUpgrade)
        }
        shouldClose = connection.shouldClose
    }

    private mutating func step(_ connection: inout HTTPServerConnection, _ isUpgrade: inout Bool) {
        do throws(HTTPError) {
            while let event = try connection.nextEvent() {
                switch event {
                case .request(let head):
                    isUpgrade = head.headers.contains(.upgrade)
                    events.append(event)
                case .body(let bytes):
                    if case .body(let before) = events.last {
                        events[events.count - 1] = .body(before + bytes)
                    } else {
                        events.append(event)
                    }
                case .end:
                    events.append(event)
                    _ = connection.send(HTTPResponseHead(isUpgrade ? .switchingProtocols : .ok))
                case .upgrade:
                    events.append(event)
                }
            }
        } catch {
            self.error = error
        }
    }

    /// The requests' methods and targets.
    var requests: [String] {
        events.compactMap { event in
            if case .request(let head) = event { "\(head.method) \(head.target)" } else { nil }
        }
    }

    /// The bodies.
    var bodies: [String] {
        events.compactMap { event in
            if case .body(let bytes) = event { text(bytes) } else { nil }
        }
    }
}

/// The events of a client connection.
struct ClientTranscript: Equatable {
    var events: [HTTPClientEvent] = []
    var error: HTTPError?
    var isReadyForRequest = false

    /// Sends a request with `method`, then feeds `bytes`.
    init(
        _ bytes: [UInt8],
        _ delivery: Delivery = .whole,
        to method: HTTPMethod = .get,
        limits: HTTPLimits = HTTPLimits(),
        thenEnd: Bool = false
    ) {
        var connection = HTTPClientConnection(limits: limits)
        _ = connection.send(HTTPRequestHead(method, "/", host: "stoa.example"))
        for piece in delivery.pieces(of: bytes) {
            piece.withUnsafeBytes { connection.receive($0) }
            step(&connection)
            if case .upgrade = events.last { return }
        }
        if thenEnd {
            connection.receiveEnd()
            step(&connection)
        }
        isReadyForRequest = connection.isReadyForRequest
    }

    private mutating func step(_ connection: inout HTTPClientConnection) {
        do throws(HTTPError) {
            while let event = try connection.nextEvent() {
                if case .body(let bytes) = event, case .body(let before) = events.last {
                    events[events.count - 1] = .body(before + bytes)
                } else {
                    events.append(event)
                }
            }
        } catch {
            self.error = error
        }
    }
}

extension HTTPServerConnection {
    /// Receives `bytes` and returns all events.
    mutating func events(after bytes: [UInt8]) throws(HTTPError) -> [HTTPServerEvent] {
        bytes.withUnsafeBytes { receive($0) }
        var events: [HTTPServerEvent] = []
        while let event = try nextEvent() { events.append(event) }
        return events
    }
}

extension HTTPClientConnection {
    /// Receives `bytes` and returns all events.
    mutating func events(after bytes: [UInt8]) throws(HTTPError) -> [HTTPClientEvent] {
        bytes.withUnsafeBytes { receive($0) }
        var events: [HTTPClientEvent] = []
        while let event = try nextEvent() { events.append(event) }
        return events
    }
}
