// Encodes a message body as its head announced.

/// Writes one body piece by piece, for client and server.
struct BodyWriter {
    private enum State {
        /// No body: the request is HEAD, or the status has none.
        case none
        case length(remaining: Int)
        case chunked
        case untilEnd
    }

    private var state: State

    /// A writer that drops the body.
    static let none = BodyWriter(state: .none)

    private init(state: State) { self.state = state }

    init(_ framing: BodyFraming) {
        switch framing {
        case .length(let count): state = .length(remaining: count)
        case .chunked: state = .chunked
        case .untilEnd: state = .untilEnd
        }
    }

    /// Encodes the next bytes of the body. Bytes beyond the announced length are dropped: the peer
    /// would read them as the next message.
    mutating func write(_ bytes: [UInt8]) -> [UInt8] {
        switch state {
        case .none: return []
        case .length(let remaining):
            state = .length(remaining: max(remaining - bytes.count, 0))
            return bytes.count <= remaining ? bytes : Array(bytes.prefix(remaining))
        case .chunked:
            // An empty chunk would end the body.
            guard !bytes.isEmpty else { return [] }
            var chunk: [UInt8] = []
            chunk.reserveCapacity(bytes.count + 20)
            chunk.append(contentsOf: String(bytes.count, radix: 16).utf8)
            chunk.append(contentsOf: "\r\n".utf8)
            chunk.append(contentsOf: bytes)
            chunk.append(contentsOf: "\r\n".utf8)
            return chunk
        case .untilEnd: return bytes
        }
    }

    /// Encodes the end of the body, and says whether the peer can tell that the body is complete.
    /// If it cannot, close the connection.
    func end() -> (bytes: [UInt8], isComplete: Bool) {
        switch state {
        case .none: ([], true)
        case .length(let remaining): ([], remaining == 0)
        case .chunked: (Array("0\r\n\r\n".utf8), true)
        case .untilEnd: ([], false)
        }
    }
}
