// The short way of a server's messages. Nearly all of them are one frame that lies whole in what one
// read brought: it is unmasked and checked where it lies, and lent. No header is gathered byte by byte,
// nothing is allocated and nothing is copied. Whatever looks different (a control frame, a fragment, a
// set bit, a cut, a violation) is left as it is, for `receive` to judge.

extension WebSocketConnection {
    /// Like `receive`, but for memory that may be written to: messages are unmasked in it.
    ///
    /// A lent message is valid until the memory is used for something else.
    /// - Throws: what the peer did wrong. Send `sendClose(for:)`'s bytes and close the stream.
    public mutating func receive(
        inPlace bytes: inout UnsafeMutableRawBufferPointer
    ) throws(WebSocketError) -> WebSocketInput? {
        // Nothing is left, as mostly after one message.
        if bytes.isEmpty { return nil }
        if isBetweenMessages, let message = try takeMessage(from: &bytes) {
            return .message(message)
        }
        var rest = UnsafeRawBufferPointer(bytes)
        guard let event = try receive(&rest) else { return nil }
        bytes = UnsafeMutableRawBufferPointer(mutating: rest)
        return .event(event)
    }

    /// Takes a message off the front of `bytes` where one lies there in one whole frame.
    private mutating func takeMessage(
        from bytes: inout UnsafeMutableRawBufferPointer
    ) throws(WebSocketError) -> WebSocketMessage? {
        // The shortest masked frame: two bytes and the key.
        guard bytes.count >= 6, let start = bytes.baseAddress else { return nil }
        let isText = bytes[0] == 0x80 | WebSocketOpcode.text.rawValue
        guard isText || bytes[0] == 0x80 | WebSocketOpcode.binary.rawValue, bytes[1] >= 0x80 else {
            return nil
        }
        var length = Int(bytes[1] & 0x7F)
        var headerByteCount = 6
        if length == 126 {
            length = Int(bytes[2]) << 8 | Int(bytes[3])
            headerByteCount = 8
            guard length >= 126 else { return nil }
        } else if length == 127 {
            // Longer than what one read brings.
            return nil
        }
        guard length <= min(limits.frameBytesMax, limits.messageBytesMax),
            length <= bytes.count - headerByteCount
        else { return nil }

        let word = start.loadUnaligned(fromByteOffset: headerByteCount - 4, as: UInt32.self)
        let payload = UnsafeMutableRawBufferPointer(start: start + headerByteCount, count: length)
        MaskingKey(word: UInt32(littleEndian: word)).apply(to: payload, offset: 0)
        bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[(headerByteCount + length)...])
        let message = WebSocketMessage(isText: isText, bytes: UnsafeRawBufferPointer(payload))
        guard !isText || UTF8Validator.isValid(message.bytes) else {
            hasFailed = true
            throw .invalidUTF8
        }
        return message
    }
}
