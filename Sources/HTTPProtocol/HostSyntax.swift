// `uri-host [":" port]`, RFC 9110 section 7.2 and RFC 3986 section 3.2.2: the value of `Host` and
// of the authority in absolute-form targets. A value that two readers could parse differently is
// invalid.

/// The grammar of a host with its port.
enum HostSyntax {
    /// Whether `text` is a host with optional port; may be empty.
    static func isValid(_ text: Span<UInt8>) -> Bool {
        let end = hostEnd(of: text)
        let host = text.extracting(..<end)
        return isPort(text.extracting(end...)) && (host.isEmpty || isName(host) || isLiteral(host))
    }

    /// Whether `text` is valid and has a host, not only a port.
    static func namesHost(_ text: Span<UInt8>) -> Bool {
        isValid(text) && !text.isEmpty && text[0] != UInt8(ascii: ":")
    }

    /// Where the host ends, and the colon before the port is.
    private static func hostEnd(of text: Span<UInt8>) -> Int {
        if !text.isEmpty, text[0] == UInt8(ascii: "[") {
            return text.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? text.count
        }
        return text.firstIndex(of: UInt8(ascii: ":")) ?? text.count
    }

    /// Empty, or a colon and the digits of a port; the grammar allows missing digits.
    private static func isPort(_ bytes: Span<UInt8>) -> Bool {
        if bytes.isEmpty { return true }
        guard bytes[0] == UInt8(ascii: ":"), bytes.count <= 6 else { return false }
        var port = 0
        for index in 1..<bytes.count {
            guard CharacterClass.isDigit(bytes[index]) else { return false }
            port = 10 * port + Int(bytes[index] - UInt8(ascii: "0"))
        }
        return port <= UInt16.max
    }

    /// `reg-name`, which includes IPv4 addresses.
    private static func isName(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.count,
                    CharacterClass.hexadecimalValue(bytes[index + 1]) != nil,
                    CharacterClass.hexadecimalValue(bytes[index + 2]) != nil
                else { return false }
                index += 3
            } else {
                guard CharacterClass.isHostName(bytes[index]) else { return false }
                index += 1
            }
        }
        return true
    }

    /// An IPv6 address in brackets, checked by its characters. `IPvFuture`, which nobody uses, is
    /// refused.
    private static func isLiteral(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 2, bytes[0] == UInt8(ascii: "["),
            bytes[bytes.count - 1] == UInt8(ascii: "]")
        else { return false }
        let address = bytes.extracting(1..<(bytes.count - 1))
        return address.firstIndex(of: UInt8(ascii: ":")) != nil
            && address.indices.allSatisfy { index in
                CharacterClass.hexadecimalValue(address[index]) != nil
                    || address[index] == UInt8(ascii: ":") || address[index] == UInt8(ascii: ".")
            }
    }
}
