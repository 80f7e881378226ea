// Server-sent events (HTML Living Standard, section 9.2), without I/O: bytes in, events out. Of the
// fields only `data` and `event` matter here; nothing reconnects with `id` and `retry`.

/// One event of a stream.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type; empty for the default, `message`.
    public var type: [UInt8]
    /// The data, lines joined by line feeds; not validated as UTF-8.
    public var data: [UInt8]

    /// Creates an event.
    public init(type: [UInt8] = [], data: [UInt8]) {
        self.type = type
        self.data = data
    }
}

/// Decodes a stream of events. A line is interpreted once it is complete, so it does not matter how
/// the bytes were split, and no character is ever seen in part.
public struct EventStreamDecoder: Sendable {
    /// Maximum size of a line and of an event's data, in bytes, by default: an engine's event holds
    /// a few tokens, its last one at most the repeated prompt.
    public static let byteCountMaxDefault = 1 << 20

    private let byteCountMax: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var type: [UInt8] = []
    private var hasData = false
    /// Whether the last byte was a carriage return, of which a line feed may be the second half.
    private var endedWithReturn = false
    private var isFirstLine = true
    private var events: [ServerSentEvent] = []
    private var failure: EngineFault?

    /// - Parameter byteCountMax: maximum size of a line, and of an event's data, in bytes.
    public init(byteCountMax: Int = byteCountMaxDefault) {
        self.byteCountMax = byteCountMax
    }

    /// Decodes the next bytes.
    /// - Returns: the events that they complete, in order.
    /// - Throws: `.tooLarge` for a line or an event beyond the limit, again on each later call.
    public mutating func receive(
        _ bytes: some Sequence<UInt8>
    ) throws(EngineFault) -> [ServerSentEvent] {
        if let failure { throw failure }
        for byte in bytes {
            do throws(EngineFault) { try take(byte) } catch {
                failure = error
                (line, data, events) = ([], [], [])
                throw error
            }
        }
        defer { events = [] }
        return events
    }

    private mutating func take(_ byte: UInt8) throws(EngineFault) {
        defer { endedWithReturn = byte == UInt8(ascii: "\r") }
        switch byte {
        case UInt8(ascii: "\n") where endedWithReturn: return
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): try endLine()
        default:
            guard line.count < byteCountMax else { throw .tooLarge(.line, byteLimit: byteCountMax) }
            line.append(byte)
        }
    }

    private mutating func endLine() throws(EngineFault) {
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment: its field has no name.
        switch line[..<colon] {
        case let name where name.elementsEqual("data".utf8):
            guard data.count + value.count < byteCountMax else {
                throw .tooLarge(.event, byteLimit: byteCountMax)
            }
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case let name where name.elementsEqual("event".utf8):
            type = Array(value)
        case let name where name.elementsEqual("error".utf8):
            // Old versions of llama-server send a failure as a field of this name.
            (type, data, hasData) = (Array("error".utf8), Array(value), true)
        default: break
        }
    }

    private mutating func dispatch() {
        if hasData { events.append(ServerSentEvent(type: type, data: data)) }
        (type, data, hasData) = ([], [], false)
    }
}
