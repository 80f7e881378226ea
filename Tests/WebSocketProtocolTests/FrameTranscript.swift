// Feeds split bytes to a connection and records its events.

import TestSupport
import WebSocketProtocol

/// The mask of RFC 6455's examples: 37 fa 21 3d.
let exampleKey = MaskingKey(word: 0x3D21_FA37)

/// A client's frame.
func clientFrame(
    _ opcode: WebSocketOpcode,
    _ payload: [UInt8] = [],
    isFinal: Bool = true,
    isCompressed: Bool = false
) -> [UInt8] {
    WebSocketFrame.encode(
        opcode,
        payload,
        isFinal: isFinal,
        isCompressed: isCompressed,
        key: exampleKey
    )
}

/// A client's frame with a text payload.
func clientFrame(_ opcode: WebSocketOpcode, _ text: String, isFinal: Bool = true) -> [UInt8] {
    clientFrame(opcode, Array(text.utf8), isFinal: isFinal)
}

/// The events of a connection.
struct FrameTranscript: Equatable {
    var events: [WebSocketEvent] = []
    var error: WebSocketError?

    init(
        _ bytes: [UInt8],
        _ delivery: Delivery = .whole,
        role: WebSocketConnection.Role = .server,
        limits: WebSocketLimits = WebSocketLimits(),
        compression: PerMessageDeflate? = nil
    ) {
        var connection = WebSocketConnection(role: role, limits: limits, compression: compression)
        for piece in delivery.pieces(of: bytes) {
            do throws(WebSocketError) {
                try connection.receive(piece) { events.append($0) }
            } catch {
                self.error = error
            }
        }
    }
}

extension FrameTranscript {
    /// The events of a server connection that unmasks in place.
    init(
        inPlace bytes: [UInt8],
        _ delivery: Delivery = .whole,
        limits: WebSocketLimits = WebSocketLimits(),
        compression: PerMessageDeflate? = nil,
        states: CompressionStates? = nil,
        onMessage: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) {
        var connection = WebSocketConnection(
            role: .server,
            limits: limits,
            compression: compression,
            states: states
        )
        for var piece in delivery.pieces(of: bytes) {
            piece.withUnsafeMutableBytes { buffer in
                var rest = buffer
                do throws(WebSocketError) {
                    while let input = try connection.receive(inPlace: &rest) {
                        switch input {
                        case .message(let message):
                            onMessage(message.bytes)
                            let copy = Array(message.bytes)
                            events.append(message.isText ? .text(copy) : .binary(copy))
                        case .event(let event):
                            events.append(event)
                        }
                    }
                } catch {
                    self.error = error
                }
            }
        }
    }
}

extension WebSocketConnection {
    /// Receives all of `bytes`.
    mutating func receive(
        _ bytes: [UInt8],
        _ handle: (WebSocketEvent) -> Void
    ) throws(WebSocketError) {
        // The closure of `withUnsafeBytes` cannot throw this type, so it returns the error.
        let failure: WebSocketError? = bytes.withUnsafeBytes { buffer in
            var rest = buffer
            do throws(WebSocketError) {
                while let event = try receive(&rest) { handle(event) }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Receives all of `bytes` and returns the events.
    mutating func events(after bytes: [UInt8]) throws(WebSocketError) -> [WebSocketEvent] {
        var events: [WebSocketEvent] = []
        try receive(bytes) { events.append($0) }
        return events
    }
}
