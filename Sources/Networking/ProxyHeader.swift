// The PROXY protocol, version 2 (HAProxy's doc/proxy-protocol.txt, section 2.2): with what a proxy begins a
// connection to say for whom it was made. Bytes in, an address out; it knows no socket and no clock.
//
// Theory of operation. The header says its own length after 16 bytes, so whoever reads never has to take
// more bytes than belong to it, and what follows it, a TLS handshake perhaps, stays in the socket.

/// Why a header is refused. The connection is closed without a word, as the protocol asks.
package enum ProxyHeaderError: Error, Hashable, Sendable {
    /// The first bytes are not the signature, or the version is not 2.
    case notVersion2
    /// A command, family or transport that does not exist, or not for streams.
    case unknownKind
    /// The addresses or the fields after them are not as long as they say.
    case wrongLength
    /// Longer than `ProxyHeaderReader.byteCountMax`.
    case tooLong
    /// The checksum is another one.
    case damaged
}

/// Reads one header.
package struct ProxyHeaderReader {
    /// What a header says.
    package enum Source: Hashable, Sendable {
        /// Who has connected to the proxy.
        case client(SocketAddress)
        /// Nobody who could be named: the connection's own end counts. Health checks of the proxy come
        /// like this.
        case proxyItself
    }

    /// The longest header that is taken: addresses, and what a proxy tells of a client's certificate.
    package static let byteCountMax = 4096

    private static let fixedByteCount = 16
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let checksumType: UInt8 = 0x03

    private var bytes: [UInt8] = []

    /// A reader that has read nothing.
    package init() {}

    /// How many more bytes the header has, as far as is known: at least one, before it is whole.
    package var byteCountWanted: Int {
        guard bytes.count >= Self.fixedByteCount else { return Self.fixedByteCount - bytes.count }
        return Self.fixedByteCount + number(at: 14) - bytes.count
    }

    /// Takes the next bytes.
    /// - Parameter piece: at most `byteCountWanted` bytes.
    /// - Returns: what the header says; nil where it is not whole.
    /// - Throws: as soon as it can't become a header any more.
    package mutating func receive(
        _ piece: UnsafeRawBufferPointer
    ) throws(ProxyHeaderError) -> Source? {
        precondition(piece.count <= byteCountWanted, "bytes that are not the header's")
        bytes.append(contentsOf: piece)
        let known = bytes.prefix(Self.signature.count)
        guard Self.signature.starts(with: known), bytes.count <= 12 || bytes[12] >> 4 == 2 else {
            throw .notVersion2
        }
        guard bytes.count >= Self.fixedByteCount else { return nil }
        guard number(at: 14) <= Self.byteCountMax - Self.fixedByteCount else { throw .tooLong }
        guard byteCountWanted == 0 else { return nil }
        return try source()
    }

    /// What the whole header says.
    private func source() throws(ProxyHeaderError) -> Source {
        switch bytes[12] & 0xF {
        // Of a connection of the proxy's own nothing else counts.
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
            // A path on another machine says nothing here.
            try checkFields(after: 216)
            return .proxyItself
        default: throw .unknownKind
        }
    }

    /// Goes through the type-length-value fields that follow the addresses, and checks the checksum where
    /// there is one. The others are nobody's here.
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

    /// Two bytes as a number, the first byte highest.
    private func number(at place: Int) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }

    /// Eight bytes as a number, the first byte highest.
    private func longNumber(at place: Int) -> UInt64 {
        bytes[place..<(place + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The cyclic redundancy check of Castagnoli (RFC 3385), bit by bit: headers are short and rare.
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
