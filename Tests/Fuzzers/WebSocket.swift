// WebSocket frames, on either side, with and without compression: the result does not depend on how
// they are split or whether they are parsed in place, and no message exceeds the limit.

import WebSocketProtocol

/// Parses frames; the first byte selects the settings. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    guard let first = bytes.first else { return 0 }
    let frames = Array(bytes.dropFirst())
    let setting = Setting(first)
    let whole = Reading(frames, inPiecesOf: max(1, frames.count), setting)
    precondition(
        Reading(frames, inPiecesOf: 1 + count % 5, setting) == whole,
        "the result depends on the split"
    )
    precondition(
        Reading(inPlace: frames, setting) == whole,
        "parsing in place gives another result"
    )
    precondition(
        Reading(inPlace: frames, setting, CompressionStates()) == whole,
        "the states of a loop give another result"
    )
    check(whole, of: frames, setting)
    return 0
}

private let limits = WebSocketLimits(frameBytesMax: 300, messageBytesMax: 400, fragmentCountMax: 8)

private struct Setting {
    var role: WebSocketConnection.Role
    var compression: PerMessageDeflate?

    init(_ byte: UInt8) {
        role = byte & 1 == 0 ? .client : .server
        if byte & 2 != 0 { compression = PerMessageDeflate(peerKeepsContext: byte & 4 != 0) }
    }

    func connection(_ states: CompressionStates? = nil) -> WebSocketConnection {
        WebSocketConnection(role: role, limits: limits, compression: compression, states: states)
    }
}

/// The result of a connection.
private struct Reading: Equatable {
    var events: [WebSocketEvent] = []
    var error: WebSocketError?

    init(_ bytes: [UInt8], inPiecesOf count: Int, _ setting: Setting) {
        var connection = setting.connection()
        var events: [WebSocketEvent] = []
        var failure: WebSocketError?
        for piece in pieces(bytes, of: count) {
            piece.withUnsafeBytes { buffer in
                var rest = buffer
                do throws(WebSocketError) {
                    while let event = try connection.receive(&rest) { events.append(event) }
                } catch {
                    failure = error
                }
            }
        }
        self.events = events
        error = failure
    }

    /// The same for a mutable buffer.
    init(inPlace bytes: [UInt8], _ setting: Setting, _ states: CompressionStates? = nil) {
        var connection = setting.connection(states)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        var rest = memory
        do throws(WebSocketError) {
            while let input = try connection.receive(inPlace: &rest) {
                switch input {
                case .event(let event): events.append(event)
                case .message(let message):
                    let content = Array(message.bytes)
                    events.append(message.isText ? .text(content) : .binary(content))
                }
            }
        } catch {
            self.error = error
        }
    }
}

private func check(_ reading: Reading, of frames: [UInt8], _ setting: Setting) {
    var byteCount = 0
    for event in reading.events {
        switch event {
        case .text(let text):
            precondition(String(validating: text, as: UTF8.self) != nil, "invalid UTF-8")
            precondition(text.count <= limits.messageBytesMax, "too large")
            byteCount += text.count
        case .binary(let binary):
            precondition(binary.count <= limits.messageBytesMax, "too large")
            byteCount += binary.count
        case .ping(let payload), .pong(let payload):
            precondition(payload.count <= 125, "too large")
            byteCount += payload.count
        case .close(let code, let reason):
            precondition(code?.mayBeSent != false, "a close code that must not be sent")
            byteCount += reason.utf8.count
        }
    }
    if setting.compression == nil {
        precondition(byteCount <= frames.count, "more bytes than received")
    }
}
