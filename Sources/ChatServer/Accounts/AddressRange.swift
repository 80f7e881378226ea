// Addresses of proxies, as settings name them, and where a request comes from behind such a proxy.

import HTTPProtocol
import Networking

/// An IP address, or a range of them in CIDR notation (RFC 4632): "10.0.0.0/8", "::1".
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64
    /// How many bits of the 128 count. IPv4 is inside ::ffff:0:0/96 (RFC 4291, section 2.5.5.2).
    private let prefix: Int
    /// As it was written.
    public let description: String

    /// Reads a range; nil where the text is none.
    public init?(_ text: String) {
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

    /// Whether an address, without a port, is inside.
    public func contains(_ address: String) -> Bool {
        guard let (high, low, _) = Self.bits(of: address) else { return false }
        func same(_ first: UInt64, _ second: UInt64, _ count: Int) -> Bool {
            count <= 0 || (first ^ second) >> UInt64(64 - min(64, count)) == 0
        }
        return same(high, self.high, prefix) && same(low, self.low, prefix - 64)
    }

    /// An address as 128 bits, and whether it is of version 4.
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

/// Where requests come from.
enum ClientAddress {
    /// The address that a request came from: the connection's, or, where that is a trusted proxy's, the
    /// last one in X-Forwarded-For that is not. What stands before that anybody could have written.
    /// - Parameters:
    ///   - peer: the connection's other end, without the port.
    ///   - headers: the request's.
    ///   - proxies: whose word is taken.
    /// - Returns: the address as text; nil where the connection has none.
    static func of(
        peer: String?,
        _ headers: HTTPHeaders,
        trusting proxies: [AddressRange]
    ) -> String? {
        guard let peer, proxies.contains(where: { $0.contains(peer) }) else { return peer }
        let foreign = headers.listElements(of: "X-Forwarded-For").last { address in
            !proxies.contains { $0.contains(address) }
        }
        // A proxy that writes something else names nobody.
        return foreign.flatMap { SocketAddress(host: $0, port: 0)?.host } ?? peer
    }

    /// What tries to sign in are counted by: one customer's IPv6 network (RFC 6177) is one place.
    static func place(_ address: String?) -> String? {
        guard let address,
            case .ipv6(let high, let low, _, _) = SocketAddress(host: address, port: 0)
        else { return address }
        return high == 0 && low >> 32 == 0xFFFF ? address : "\(String(high, radix: 16))/64"
    }
}
