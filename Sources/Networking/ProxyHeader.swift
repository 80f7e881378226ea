// The PROXY protocol (HAProxy's doc/proxy-protocol.txt): a header with which a proxy passes on the
// client's address. A parser without I/O and clock. The first byte tells the versions apart; version 2,
// which is binary (section 2.2), is parsed here, version 1 in ProxyTextHeader.
//
// Theory of operation. The reader never consumes bytes after the header, and what follows, such as a
// TLS handshake, stays in the socket. Version 2 contains its length in the first 16 bytes.

/// Why a header is invalid. The connection is closed without a reply, as the protocol requires.
package enum ProxyHeaderError: Error, Hashable, Sendable {
    /// The first bytes are not those of version 1 or 2.
    case notAHeader
    /// A command, family or transport that is undefined or not for streams.
    case unknownKind
    /// The length of the addresses or fields is wrong.
    case wrongLength
    /// Longer than `ProxyHeaderReader.byteCountMax`, or than 107 bytes in version 1.
    case tooLong
    /// A line of version 1 with a wrong number of fields, or with an invalid address or port.
    case malformed
    /// The checksum does not match.
    case damaged
}

/// Reads one header.
package struct ProxyHeaderReader {
    /// The source address in a header.
    package enum Source: Hashable, Sendable {
        /// The client of the proxy.
        case client(SocketAddress)
        /// No address: use the connection's own peer. Proxies send this for health checks.
        case proxyItself
    }

    /// Maximum size of a header in bytes: addresses, and information on a client's certificate.
    package static let byteCountMax = 4096

    private static let fixedByteCount = 16
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let checksumType: UInt8 = 0x03

    private var bytes: [UInt8] = []

    /// Creates a reader.
    package init() {}

    /// The number of bytes that the header still needs, as far as known; at least one until it is
    /// complete.
    package var byteCountWanted: Int {
        // The shortest header of any version is longer.
        guard bytes.count >= Self.signature.count else { return Self.signature.count - bytes.count }
        if isText { return ProxyTextHeader.byteCountWanted(after: bytes) }
        guard bytes.count >= Self.fixedByteCount else { return Self.fixedByteCount - bytes.count }
        return Self.fixedByteCount + number(at: 14) - bytes.count
    }

    /// Consumes the next bytes.
    /// - Parameter piece: at most `byteCountWanted` bytes.
    /// - Returns: the source address; nil while the header is incomplete.
    /// - Throws: as soon as the header is known to be invalid.
    package mutating func receive(
        _ piece: UnsafeRawBufferPointer
    ) throws(ProxyHeaderError) -> Source? {
        precondition(piece.count <= byteCountWanted, "more bytes than the header needs")
        for byte in piece {
            bytes.append(byte)
            guard isText else { continue }
            if let source = try ProxyTextHeader.source(in: bytes) { return source }
        }
        return isText ? nil : try binarySource()
    }

    /// Whether the header is of version 1.
    private var isText: Bool { bytes.first == UInt8(ascii: "P") }

    /// The source address in a header of version 2; nil while it is incomplete.
    private func binarySource() throws(ProxyHeaderError) -> Source? {
        let known = bytes.prefix(Self.signature.count)
        guard Self.signature.starts(with: known), bytes.count <= 12 || bytes[12] >> 4 == 2 else {
            throw .notAHeader
        }
        guard bytes.count >= Self.fixedByteCount else { return nil }
        guard number(at: 14) <= Self.byteCountMax - Self.fixedByteCount else { throw .tooLong }
        guard byteCountWanted == 0 else { return nil }
        return try source()
    }

    /// Parses the complete header.
    private func source() throws(ProxyHeaderError) -> Source {
        switch bytes[12] & 0xF {
        // LOCAL: everything else is ignored.
        case 0: return .proxyItself
        case 1: break
        default: throw .unknownKind
        }
        switch bytes[13] {
        case 0x00: return .proxyItself
        case 0x11:
            try checkFields(after: 12)
            let host = UInt32(number(at: 16)) << 16 | UInt32(number(at: 18))
            return .client(.ipv4(host, port: UInt16(number(at: 24))))
        case 0x21:
            try checkFields(after: 36)
            let address = SocketAddress.ipv6(
                high: longNumber(at: 16),
                low: longNumber(at: 24),
                scope: 0,
                port: UInt16(number(at: 48))
            )
            return .client(address.unmapped)
        case 0x31:
            // The path of a Unix socket on another machine is not useful here.
            try checkFields(after: 216)
            return .proxyItself
        default: throw .unknownKind
        }
    }

    /// Parses the type-length-value fields after the addresses, and verifies the checksum if there
    /// is one. Other fields are ignored.
    private func checkFields(after addressByteCount: Int) throws(ProxyHeaderError) {
        var place = Self.fixedByteCount + addressByteCount
        guard place <= bytes.count else { throw .wrongLength }
        while place < bytes.count {
            guard place + 3 <= bytes.count else { throw .wrongLength }
            let (type, count) = (bytes[place], number(at: place + 1))
            place += 3
            guard count <= bytes.count - place else { throw .wrongLength }
            if type == Self.checksumType {
                guard count == 4 else { throw .wrongLength }
                var blank = bytes
                for index in place..<(place + 4) { blank[index] = 0 }
                let sum = number(at: place) << 16 | number(at: place + 2)
                guard Int(CRC32C.checksum(of: blank)) == sum else { throw .damaged }
            }
            place += count
        }
    }

    /// Two bytes as a big-endian number.
    private func number(at place: Int) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }

    /// Eight bytes as a big-endian number.
    private func longNumber(at place: Int) -> UInt64 {
        bytes[place..<(place + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// CRC-32C (Castagnoli, RFC 3385), bit by bit, since headers are short and rare.
package enum CRC32C {
    /// The checksum of `bytes`.
    package static func checksum(of bytes: [UInt8]) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = remainder & 1 == 1
                remainder = remainder >> 1 ^ (isOdd ? 0x82F6_3B78 : 0)
            }
        }
        return ~remainder
    }
}
