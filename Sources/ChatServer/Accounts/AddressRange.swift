// Proxy addresses in settings.

import Networking

/// An IP address or a range in CIDR notation (RFC 4632): "10.0.0.0/8", "::1". Or "unix": clients on
/// a Unix socket, which have no address.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64
    /// Length of the prefix in a 128-bit address. IPv4 is mapped into ::ffff:0:0/96 (RFC 4291,
    /// section 2.5.5.2). Nil for Unix sockets.
    private let prefix: Int?
    /// The original text.
    public let description: String

    /// Parses a range; nil if the text is invalid.
    public init?(_ text: String) {
        if text == "unix" {
            high = 0
            low = 0
            prefix = nil
            description = text
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.map(String.init),
            let (high, low, isVersion4) = Self.bits(of: address)
        else { return nil }
        var length = isVersion4 ? 32 : 128
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...length).contains(given) else { return nil }
            length = given
        }
        self.high = high
        self.low = low
        prefix = isVersion4 ? 96 + length : length
        description = text
    }

    /// Whether a connection's peer is in the range.
    /// - Parameter peer: its address without the port; nil for a Unix socket.
    /// - Returns: whether it is.
    public func contains(peer: String?) -> Bool {
        guard let peer else { return prefix == nil }
        return contains(peer)
    }

    /// Whether an address without a port is in the range.
    public func contains(_ address: String) -> Bool {
        guard let prefix, let (high, low, _) = Self.bits(of: address) else { return false }
        func same(_ first: UInt64, _ second: UInt64, _ count: Int) -> Bool {
            count <= 0 || (first ^ second) >> UInt64(64 - min(64, count)) == 0
        }
        return same(high, self.high, prefix) && same(low, self.low, prefix - 64)
    }

    /// An address as 128 bits, and whether it is IPv4.
    private static func bits(of address: String) -> (UInt64, UInt64, Bool)? {
        guard address != "localhost" else { return nil }
        switch SocketAddress(host: address, port: 0) {
        case .ipv4(let number, _): return (0, 0xFFFF_0000_0000 | UInt64(number), true)
        case .ipv6(let high, let low, _, _):
            return (high, low, high == 0 && low >> 32 == 0xFFFF)
        case .unix, nil: return nil
        }
    }
}
