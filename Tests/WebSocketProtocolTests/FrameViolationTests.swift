// Violations of RFC 6455, in the order of the sections of Autobahn's suite: 2 pings, 3 reserved
// bits, 4 opcodes, 5 fragments, 7 closing. Section 6, UTF-8, is in TextValidationTests.swift.

import TestSupport
import Testing
import WebSocketProtocol

@Suite("Invalid frames")
struct FrameViolationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var error: WebSocketError
        var role = WebSocketConnection.Role.server
        var eventCount = 0
        var testDescription: String { "\(error): \(bytes.prefix(12))" }
    }

    static let headers: [Case] = [
        Case(bytes: [0xC1, 0x80, 0, 0, 0, 0], error: .reservedBitSet),
        Case(bytes: [0xA1, 0x80, 0, 0, 0, 0], error: .reservedBitSet),
        Case(bytes: [0x99, 0x80, 0, 0, 0, 0], error: .reservedBitSet),
        Case(bytes: [0xF8], error: .reservedBitSet),
        Case(bytes: clientFrame(.text, "a") + [0xC1], error: .reservedBitSet, eventCount: 1),
        Case(bytes: [0x83], error: .unknownOpcode), Case(bytes: [0x84], error: .unknownOpcode),
        Case(bytes: [0x05], error: .unknownOpcode), Case(bytes: [0x06], error: .unknownOpcode),
        Case(bytes: [0x87], error: .unknownOpcode), Case(bytes: [0x8B], error: .unknownOpcode),
        Case(bytes: [0x8C], error: .unknownOpcode), Case(bytes: [0x0D], error: .unknownOpcode),
        Case(bytes: [0x0E], error: .unknownOpcode), Case(bytes: [0x8F], error: .unknownOpcode),
        Case(bytes: [0x81, 0x00], error: .unmaskedFrame),
        Case(bytes: [0x88, 0x00], error: .unmaskedFrame),
        Case(bytes: [0x81, 0x80], error: .maskedFrame, role: .client),
        Case(bytes: [0x89, 0xFE], error: .controlFrameTooLong),
        Case(bytes: [0x8A, 0xFF], error: .controlFrameTooLong),
        Case(bytes: [0x88, 0x7E], error: .controlFrameTooLong, role: .client),
        Case(bytes: [0x09], error: .fragmentedControlFrame),
        Case(bytes: [0x0A], error: .fragmentedControlFrame),
        Case(bytes: [0x08], error: .fragmentedControlFrame),
        Case(bytes: [0x82, 0x7E, 0, 125], error: .malformedLength, role: .client),
        Case(bytes: [0x82, 0x7E, 0, 0], error: .malformedLength, role: .client),
        Case(
            bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
            error: .malformedLength,
            role: .client
        ),
        Case(
            bytes: [0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0],
            error: .malformedLength,
            role: .client
        ),
        Case(
            bytes: [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            error: .frameTooLarge,
            role: .client
        ),
    ]

    static let fragments: [Case] = [
        Case(bytes: clientFrame(.continuation, "a"), error: .unexpectedContinuation),
        Case(
            bytes: clientFrame(.continuation, "a", isFinal: false),
            error: .unexpectedContinuation
        ),
        Case(
            bytes: clientFrame(.text, "a", isFinal: false) + clientFrame(.continuation, "b")
                + clientFrame(.continuation, "c"),
            error: .unexpectedContinuation,
            eventCount: 1
        ),
        Case(
            bytes: clientFrame(.text, "a", isFinal: false) + clientFrame(.text, "b"),
            error: .expectedContinuation
        ),
        Case(
            bytes: clientFrame(.text, "a", isFinal: false) + clientFrame(.ping)
                + clientFrame(.binary),
            error: .expectedContinuation,
            eventCount: 1
        ),
    ]

    static let closes: [Case] =
        [
            Case(bytes: clientFrame(.close, [3]), error: .malformedClose),
            Case(bytes: clientFrame(.close, [3, 0xE8, 0xCE]), error: .invalidUTF8),
            Case(bytes: clientFrame(.close, [3, 0xE8, 0xED, 0xA0, 0x80]), error: .invalidUTF8),
        ]
        + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535].map { code in
            Case(
                bytes: clientFrame(.close, [UInt8(code >> 8), UInt8(code & 0xFF)]),
                error: .malformedClose
            )
        }

    static let cases = headers + fragments + closes

    @Test("a protocol error ends the connection", arguments: cases, Delivery.all)
    func refuses(_ one: Case, _ delivery: Delivery) {
        let transcript = FrameTranscript(
            one.bytes + clientFrame(.text, "after"),
            delivery,
            role: one.role
        )
        #expect(transcript.error == one.error)
        #expect(transcript.events.count == one.eventCount)
    }

    @Test("limits are enforced, and a message at a limit is accepted", arguments: Delivery.all)
    func limits(_ delivery: Delivery) {
        let limits = WebSocketLimits(frameBytesMax: 6, messageBytesMax: 10, fragmentCountMax: 3)
        func error(_ bytes: [UInt8]) -> WebSocketError? {
            FrameTranscript(bytes, delivery, limits: limits).error
        }
        let six = Array(repeating: UInt8(65), count: 6)
        #expect(error(clientFrame(.text, six)) == nil)
        #expect(error(clientFrame(.text, six + [65])) == .frameTooLarge)
        let first = clientFrame(.text, six, isFinal: false)
        #expect(error(first + clientFrame(.continuation, [1, 2, 3, 4])) == nil)
        #expect(error(first + clientFrame(.continuation, [1, 2, 3, 4, 5])) == .messageTooLarge)
        let empty = clientFrame(.continuation, [], isFinal: false)
        #expect(error(first + empty + clientFrame(.continuation)) == nil)
        #expect(error(first + empty + empty + clientFrame(.continuation)) == .tooManyFragments)
        // The count restarts with each message, and control frames do not count.
        let message = first + clientFrame(.ping) + empty + clientFrame(.continuation)
        #expect(error(message + message + message) == nil)
    }

    @Test("a frame that is too large is refused by its header")
    func earlyRefusal() {
        let header: [UInt8] = [0x82, 0x7F, 0, 0, 0, 0, 0, 0x10, 0, 1]
        #expect(FrameTranscript(header, role: .client).error == .frameTooLarge)
    }

    @Test("each error has the close code that RFC 6455 gives it")
    func closeCodes() {
        #expect(WebSocketError.reservedBitSet.closeCode == .protocolError)
        #expect(WebSocketError.malformedClose.closeCode == .protocolError)
        #expect(WebSocketError.invalidUTF8.closeCode == .invalidPayload)
        #expect(WebSocketError.messageTooLarge.closeCode == .messageTooBig)
    }
}
