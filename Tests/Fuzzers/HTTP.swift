// HTTP messages, parsed as requests and as responses: the result does not depend on how the bytes
// are split.

import HTTPProtocol

/// Parses the bytes on both sides. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    let cut = 1 + count % 5
    let requests = Requests(bytes, inPiecesOf: max(1, count))
    // After an upgrade the remaining bytes depend on the split.
    if !requests.isUpgraded {
        precondition(
            Requests(bytes, inPiecesOf: cut) == requests,
            "a server's result depends on the split"
        )
    }
    let responses = Responses(bytes, inPiecesOf: max(1, count))
    if !responses.isUpgraded {
        precondition(
            Responses(bytes, inPiecesOf: cut) == responses,
            "a client's result depends on the split"
        )
    }
    return 0
}

/// The result of a server connection. Adjacent pieces of a body are joined.
private struct Requests: Equatable {
    var events: [HTTPServerEvent] = []
    var error: HTTPError?
    var shouldClose = false

    var isUpgraded: Bool { if case .upgrade = events.last { true } else { false } }

    init(_ bytes: [UInt8], inPiecesOf count: Int) {
        var connection = HTTPServerConnection()
        var status = HTTPStatus.ok
        for piece in pieces(bytes, of: count) {
            piece.withUnsafeBytes { connection.receive($0) }
            read(from: &connection, answering: &status)
            if isUpgraded { return }
        }
        connection.receiveEnd()
        read(from: &connection, answering: &status)
        shouldClose = connection.shouldClose
    }

    private mutating func read(
        from connection: inout HTTPServerConnection,
        answering status: inout HTTPStatus
    ) {
        do throws(HTTPError) {
            while let event = try connection.nextEvent() {
                switch event {
                case .body(let bytes):
                    if case .body(let before) = events.last {
                        events[events.count - 1] = .body(before + bytes)
                        continue
                    }
                case .request(let head):
                    status = head.headers.contains(.upgrade) ? .switchingProtocols : .ok
                    // As routes do.
                    _ = (head.pathSegments, head.queryItems)
                case .end: _ = connection.send(HTTPResponseHead(status))
                case .upgrade: break
                }
                events.append(event)
            }
        } catch {
            self.error = error
        }
    }
}

/// The result of a client connection.
private struct Responses: Equatable {
    var events: [HTTPClientEvent] = []
    var error: HTTPError?

    var isUpgraded: Bool { if case .upgrade = events.last { true } else { false } }

    init(_ bytes: [UInt8], inPiecesOf count: Int) {
        var connection = HTTPClientConnection()
        _ = connection.send(HTTPRequestHead(.get, "/", host: "stoa.example"))
        for piece in pieces(bytes, of: count) {
            piece.withUnsafeBytes { connection.receive($0) }
            read(from: &connection)
            if isUpgraded { return }
        }
        connection.receiveEnd()
        read(from: &connection)
    }

    private mutating func read(from connection: inout HTTPClientConnection) {
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
