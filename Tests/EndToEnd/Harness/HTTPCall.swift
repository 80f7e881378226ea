// A blocking HTTP request over a new connection.

import FoundationEssentials
import HTTPProtocol

/// The response.
struct HTTPAnswer {
    let head: HTTPResponseHead
    let body: [UInt8]

    var status: Int { head.status.code }
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Reads a JSON body.
    func decode<Body: Decodable>(as type: Body.Type) throws -> Body {
        try JSONDecoder().decode(Body.self, from: Data(body))
    }
}

/// HTTP to this machine.
enum HTTPCall {
    /// Sends a request and waits for its response.
    static func send(
        _ method: HTTPMethod,
        _ target: String,
        port: UInt16,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [],
        within duration: Duration = .patience
    ) throws -> HTTPAnswer {
        let deadline = Deadline(duration)
        let socket = try BlockingSocket(port: port)
        var connection = HTTPClientConnection(limits: HTTPLimits(bodyBytesMax: 64 << 20))
        var headers = headers
        headers[.connection] = "close"
        let head = HTTPRequestHead(method, target, host: "127.0.0.1:\(port)", headers: headers)
        try socket.send(connection.send(head, body: body), deadline)

        var response: HTTPResponseHead?
        var received: [UInt8] = []
        while true {
            while let event = try connection.nextEvent() {
                switch event {
                case .informational: break
                case .response(let head): response = head
                case .body(let bytes): received.append(contentsOf: bytes)
                case .end, .upgrade:
                    guard let response else { throw HarnessError("a body without a head") }
                    return HTTPAnswer(head: response, body: received)
                }
            }
            let bytes = try socket.receive(deadline)
            if bytes.isEmpty {
                guard !connection.shouldClose else { throw HarnessError("\(target): cut off") }
                connection.receiveEnd()
            } else {
                bytes.withUnsafeBytes { connection.receive($0) }
            }
        }
    }
}

extension StoaServer {
    /// A GET of this server.
    func get(_ target: String, headers: HTTPHeaders = HTTPHeaders()) throws -> HTTPAnswer {
        try HTTPCall.send(.get, target, port: port, headers: headers)
    }

    /// A POST of JSON.
    func post(
        _ target: String,
        _ body: some Encodable,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws -> HTTPAnswer {
        var headers = headers
        headers[.contentType] = "application/json"
        let bytes = Array(try JSONEncoder().encode(body))
        return try HTTPCall.send(.post, target, port: port, headers: headers, body: bytes)
    }
}
