// Puts a body into the form that its head has announced.

/// Writes one body, piece by piece, for either side.
struct BodyWriter {
    private enum State {
        /// No body follows this head: to HEAD, or by its status.
        case none
        case length(remaining: Int)
        case chunked
        case untilEnd
    }

    private var state: State

    /// A body that is left out.
    static let none = BodyWriter(state: .none)

    private init(state: State) { self.state = state }

    init(_ framing: BodyFraming) {
        switch framing {
        case .length(let count): state = .length(remaining: count)
        case .chunked: state = .chunked
        case .untilEnd: state = .untilEnd
        }
    }

    /// The wire form of the body's next bytes. Bytes past an announced length are cut off: they
    /// would be read as the next message.
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

    /// The wire form of the body's end, and whether the peer can tell that it has all of it. Where
    /// it can't, only closing the connection says so.
    func end() -> (bytes: [UInt8], isComplete: Bool) {
        switch state {
        case .none: ([], true)
        case .length(let remaining): ([], remaining == 0)
        case .chunked: (Array("0\r\n\r\n".utf8), true)
        case .untilEnd: ([], false)
        }
    }
}
