// The PROXY protocol, version 1 (HAProxy's doc/proxy-protocol.txt, section 2.1): one line of text.
//
// Theory of operation. The line does not contain its length. A reader that must not take a byte after
// it asks for no more than the shortest rest that a valid line can have.

/// The rules of a line such as "PROXY TCP4 192.0.2.1 198.51.100.1 50000 443", which ends with CR LF.
enum ProxyTextHeader {
    /// Maximum size in bytes, with CR LF.
    static let byteCountMax = 107

    private static let begin = Array("PROXY ".utf8)
    private static let kinds = ["TCP4 ", "TCP6 ", "UNKNOWN"].map { Array($0.utf8) }
    private static let (space, carriageReturn, lineFeed) = (UInt8(0x20), UInt8(0x0D), UInt8(0x0A))
    private static let spaceCount = 5

    /// The least number of bytes that a valid line still has after `bytes`, its beginning with a kind
    /// that is known.
    static func byteCountWanted(after bytes: [UInt8]) -> Int {
        if bytes.last == carriageReturn { return 1 }
        if isUnknown(bytes) { return 2 }
        // Each missing field has a space and a character.
        let missing = max(0, spaceCount - bytes.count { $0 == space })
        return 2 * missing + 2
    }

    /// Parses a line up to its latest byte. It is called for each byte, so that the result does not
    /// depend on how the line is split.
    /// - Parameter bytes: the line so far; not empty.
    /// - Returns: the source address; nil while the line is incomplete.
    /// - Throws: as soon as the line is known to be invalid.
    static func source(
        in bytes: [UInt8]
    ) throws(ProxyHeaderError) -> ProxyHeaderReader.Source? {
        guard bytes.count <= byteCountMax else { throw .tooLong }
        guard begin.starts(with: bytes.prefix(begin.count)) else { throw .notAHeader }
        let rest = bytes.dropFirst(begin.count)
        guard kinds.contains(where: { $0.starts(with: rest.prefix($0.count)) }) else {
            throw .unknownKind
        }
        let isAfterReturn = bytes.dropLast().last == carriageReturn
        guard isAfterReturn == (bytes.last == lineFeed) else { throw .malformed }
        guard isAfterReturn else { return nil }
        return try source(ofLine: bytes.dropLast(2))
    }

    private static func isUnknown(_ bytes: [UInt8]) -> Bool {
        bytes.count > begin.count && bytes[begin.count] == UInt8(ascii: "U")
    }

    /// Parses the complete line, without CR LF.
    private static func source(
        ofLine line: ArraySlice<UInt8>
    ) throws(ProxyHeaderError) -> ProxyHeaderReader.Source {
        let fields = line.split(separator: space, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        switch fields.count > 1 ? fields[1] : "" {
        // Everything after it is ignored.
        case "UNKNOWN": return .proxyItself
        case "TCP4", "TCP6": break
        default: throw .unknownKind
        }
        guard fields.count == spaceCount + 1,
            let source = address(fields[2], fields[4], isVersion4: fields[1] == "TCP4"),
            address(fields[3], fields[5], isVersion4: fields[1] == "TCP4") != nil
        else { throw .malformed }
        return .client(source.unmapped)
    }

    /// An address and a port; nil if one of them is malformed.
    private static func address(
        _ host: String,
        _ port: String,
        isVersion4: Bool
    ) -> SocketAddress? {
        let allowed = isVersion4 ? "0123456789." : "0123456789abcdefABCDEF:."
        // A port has no leading zeros and no sign.
        guard host.allSatisfy(allowed.contains), let number = UInt16(port), port == "\(number)",
            let address = SocketAddress(host: host, port: number)
        else { return nil }
        switch address {
        case .ipv4: return isVersion4 ? address : nil
        case .ipv6: return isVersion4 ? nil : address
        case .unix: return nil
        }
    }
}
