// Bytes on an HTTP connection, read as requests and as responses: however they are cut, they say the
// same.

import HTTPProtocol

/// Reads the bytes on both sides. What libFuzzer calls for each input.
@c(LLVMFuzzerTestOneInput)
public func readMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    let cut = 1 + count % 5
    let requests = Requests(bytes, inPiecesOf: max(1, count))
    // After an upgrade the rest belongs to another protocol, in whichever piece it came.
    if !requests.isUpgraded {
        precondition(Requests(bytes, inPiecesOf: cut) == requests, "pieces matter to a server")
    }
    let responses = Responses(bytes, inPiecesOf: max(1, count))
    if !responses.isUpgraded {
        precondition(Responses(bytes, inPiecesOf: cut) == responses, "pieces matter to a client")
    }
    return 0
}

/// What a server makes of the bytes. The pieces of a body are joined: cuts are not part of the meaning.
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
                    // What routes ask of a head.
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

/// What a client makes of the bytes.
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
