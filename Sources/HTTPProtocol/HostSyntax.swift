// `uri-host [":" port]`, RFC 9110 section 7.2 and RFC 3986 section 3.2.2: the value of `Host` and
// of the authority in absolute-form targets. A value that two readers could parse differently is
// invalid.

/// The grammar of a host with its port.
enum HostSyntax {
    /// Whether `text` is a host with optional port; may be empty.
    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        let (host, port) = parts(of: bytes[...])
        return isPort(port) && (host.isEmpty || isName(host) || isLiteral(host))
    }

    /// Whether `text` is valid and has a host, not only a port.
    static func namesHost(_ text: some StringProtocol) -> Bool {
        isValid(text) && !text.isEmpty && !text.hasPrefix(":")
    }

    /// The host, and the rest from the colon on.
    private static func parts(
        of bytes: ArraySlice<UInt8>
    ) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>) {
        let hostEnd: Int?
        if bytes.first == UInt8(ascii: "[") {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":"))
        }
        let end = hostEnd ?? bytes.endIndex
        return (bytes[..<end], bytes[end...])
    }

    /// Empty, or a colon and the digits of a port; the grammar allows missing digits.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let colon = bytes.first else { return true }
        let digits = bytes.dropFirst()
        guard colon == UInt8(ascii: ":"), digits.count <= 5,
            digits.allSatisfy(CharacterClass.isDigit)
        else { return false }
        return digits.isEmpty || UInt16(String(decoding: digits, as: UTF8.self)) != nil
    }

    /// `reg-name`, which includes IPv4 addresses.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst(), let low = rest.popFirst(),
                    CharacterClass.hexadecimalValue(high) != nil,
                    CharacterClass.hexadecimalValue(low) != nil
                else { return false }
            } else if !CharacterClass.isHostName(byte) {
                return false
            }
        }
        return true
    }

    /// An IPv6 address in brackets, checked by its characters. `IPvFuture`, which nobody uses, is
    /// refused.
    private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count > 2, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]")
        else { return false }
        let address = bytes.dropFirst().dropLast()
        return address.contains(UInt8(ascii: ":"))
            && address.allSatisfy { byte in
                CharacterClass.hexadecimalValue(byte) != nil || byte == UInt8(ascii: ":")
                    || byte == UInt8(ascii: ".")
            }
    }
}
