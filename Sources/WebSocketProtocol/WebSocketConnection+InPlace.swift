// The fast path for messages that a server receives. Nearly all of them are a single frame that one
// read has received completely: it is unmasked and validated in the read buffer and passed on
// without a copy, without allocation and without parsing the header byte by byte. Everything else
// (control frames, fragments, reserved bits, partial frames, errors) is left to `receive`. A compressed
// message without context is decompressed into memory of the loop.

extension WebSocketConnection {
    /// Like `receive`, for a mutable buffer: messages are unmasked in it.
    ///
    /// A borrowed message is valid until the buffer is reused, or the loop's next message is received.
    /// - Throws: the peer's protocol error. Send the bytes of `sendClose(for:)` and close the
    ///   stream.
    public mutating func receive(
        inPlace bytes: inout UnsafeMutableRawBufferPointer
    ) throws(WebSocketError) -> WebSocketInput? {
        // The usual case after one message.
        if bytes.isEmpty { return nil }
        if isBetweenMessages, let message = try takeMessage(from: &bytes) {
            return .message(message)
        }
        var rest = UnsafeRawBufferPointer(bytes)
        guard let event = try receive(&rest) else { return nil }
        bytes = UnsafeMutableRawBufferPointer(mutating: rest)
        return .event(event)
    }

    /// Consumes a message if `bytes` start with one in a single complete frame.
    private mutating func takeMessage(
        from bytes: inout UnsafeMutableRawBufferPointer
    ) throws(WebSocketError) -> WebSocketMessage? {
        // The shortest masked frame: two bytes and the key.
        guard bytes.count >= 6, let start = bytes.baseAddress else { return nil }
        let isCompressed = bytes[0] & WebSocketFrame.compressedBit != 0
        let firstByte = bytes[0] & ~WebSocketFrame.compressedBit
        let isText = firstByte == 0x80 | WebSocketOpcode.text.rawValue
        guard isText || firstByte == 0x80 | WebSocketOpcode.binary.rawValue, bytes[1] >= 0x80,
            !isCompressed || statesOfReceived != nil
        else { return nil }
        var length = Int(bytes[1] & 0x7F)
        var headerByteCount = 6
        if length == 126 {
            length = Int(bytes[2]) << 8 | Int(bytes[3])
            headerByteCount = 8
            guard length >= 126 else { return nil }
        } else if length == 127 {
            // Longer than one read.
            return nil
        }
        guard length <= min(settings.limits.frameBytesMax, settings.limits.messageBytesMax),
            length <= bytes.count - headerByteCount
        else { return nil }

        let word = start.loadUnaligned(fromByteOffset: headerByteCount - 4, as: UInt32.self)
        let payload = UnsafeMutableRawBufferPointer(start: start + headerByteCount, count: length)
        let key = MaskingKey(word: UInt32(littleEndian: word))
        key.apply(to: payload, offset: 0)
        var content = UnsafeRawBufferPointer(payload)
        if isCompressed {
            guard let message = decompressed(content) else {
                // `receive` unmasks it again.
                key.apply(to: payload, offset: 0)
                return nil
            }
            content = message
        }
        bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[(headerByteCount + length)...])
        let message = WebSocketMessage(isText: isText, bytes: content)
        guard !isText || UTF8Validator.isValid(message.bytes) else {
            hasFailed = true
            throw .invalidUTF8
        }
        return message
    }

    private func decompressed(_ payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let agreed else { return nil }
        return statesOfReceived?.decompress(
            payload,
            agreed,
            atMost: settings.limits.messageBytesMax
        )
    }
}
