// Socket addresses: an IP address with a port, or a path.

import CLinux
import Glibc

/// The address of one end of a connection.
public enum SocketAddress: Hashable, Sendable {
    /// An IPv4 address as a big-endian number.
    case ipv4(UInt32, port: UInt16)
    /// An IPv6 address as two big-endian numbers, with the scope id of a link-local address.
    case ipv6(high: UInt64, low: UInt64, scope: UInt32, port: UInt16)
    /// A Unix socket. The path is empty for an unnamed socket.
    case unix(path: String)

    /// Parses an IP address or "localhost", which is 127.0.0.1 here; nil for other names, which
    /// `HostResolver` resolves.
    /// - Parameters:
    ///   - host: "192.168.0.1", "::1", "[::1]" or "localhost".
    ///   - port: the port; 0 lets the system select one.
    public init?(host: String, port: UInt16) {
        var host = host == "localhost" ? "127.0.0.1" : host
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            self = .ipv4(UInt32(bigEndian: four.s_addr), port: port)
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            self = Self.ipv6(six, scope: 0, port: port)
        } else {
            return nil
        }
    }

    /// Parses the format of `description`: "127.0.0.1:80", "[::1]:80", "localhost:80",
    /// "unix:/run/x".
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        // An IPv6 address without brackets would be ambiguous.
        guard !host.contains(":") || host.hasPrefix("[") else { return nil }
        self.init(host: String(host), port: port)
    }

    /// The port, or nil for a Unix socket.
    public var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, _, _, let port): port
        case .unix: nil
        }
    }

    /// The IP address without the port, as text; nil for a Unix socket. For logs and rate limits.
    public var host: String? {
        switch self {
        case .ipv4(let number, _):
            return (0..<4).map { String(number >> (24 - 8 * $0) & 0xff) }.joined(separator: ".")
        case .ipv6(let high, let low, _, _):
            var address = Self.bytes(high: high, low: low)
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
            return String(
                decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
                as: UTF8.self
            )
        case .unix:
            return nil
        }
    }
}

extension SocketAddress {
    /// The IPv4 address of an IPv4-mapped IPv6 address (::ffff:0:0/96, RFC 4291 section 2.5.5.2),
    /// which dual-stack sockets report; other addresses unchanged.
    package var unmapped: SocketAddress {
        guard case .ipv6(0, let low, _, let port) = self, low >> 32 == 0xFFFF else { return self }
        return .ipv4(UInt32(truncatingIfNeeded: low), port: port)
    }

    /// Whether it is the unspecified address: 0.0.0.0 or ::.
    package var isUnspecified: Bool {
        switch unmapped {
        case .ipv4(0, _), .ipv6(0, 0, _, _): true
        default: false
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address as `init(_:)` parses it.
    public var description: String {
        switch self {
        case .ipv4(_, let port): "\(host ?? ""):\(port)"
        case .ipv6(_, _, _, let port): "[\(host ?? "")]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

// MARK: sockaddr

extension SocketAddress {
    /// AF_INET, AF_INET6 or AF_UNIX.
    var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Maximum length of a Unix socket path in bytes, without the final zero.
    static let unixPathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Calls `body` with this address as a sockaddr.
    func withKernelForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch self {
        case .ipv4(let number, let port):
            var form = sockaddr_in()
            form.sin_family = sa_family_t(AF_INET)
            form.sin_port = port.bigEndian
            form.sin_addr.s_addr = number.bigEndian
            return Self.withPointer(to: &form, body)
        case .ipv6(let high, let low, let scope, let port):
            var form = sockaddr_in6()
            form.sin6_family = sa_family_t(AF_INET6)
            form.sin6_port = port.bigEndian
            form.sin6_addr = Self.bytes(high: high, low: low)
            form.sin6_scope_id = scope
            return Self.withPointer(to: &form, body)
        case .unix(let path):
            var form = sockaddr_un()
            form.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &form.sun_path) { field in
                for (index, byte) in path.utf8.prefix(Self.unixPathBytesMax).enumerated() {
                    field[index] = byte
                }
            }
            return Self.withPointer(to: &form, body)
        }
    }

    /// Calls `fill` with a buffer for a sockaddr, and parses it.
    static func read(
        _ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (result: Int32, address: SocketAddress) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
        }
        let address = withUnsafeBytes(of: &storage) { bytes in
            Self(kernelForm: UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(length))))
        }
        return (result, address ?? .unix(path: ""))
    }

    /// Parses a sockaddr; nil for an unknown family.
    init?(kernelForm bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            let form = bytes.loadUnaligned(as: sockaddr_in.self)
            self = .ipv4(
                UInt32(bigEndian: form.sin_addr.s_addr),
                port: UInt16(bigEndian: form.sin_port)
            )
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let form = bytes.loadUnaligned(as: sockaddr_in6.self)
            self = Self.ipv6(
                form.sin6_addr,
                scope: form.sin6_scope_id,
                port: UInt16(bigEndian: form.sin6_port)
            )
        case AF_UNIX:
            let path = bytes.dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
            self = .unix(path: String(decoding: path, as: UTF8.self))
        default:
            return nil
        }
    }

    private static func ipv6(_ address: in6_addr, scope: UInt32, port: UInt16) -> SocketAddress {
        let (high, low) = withUnsafeBytes(of: address) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        return .ipv6(high: high, low: low, scope: scope, port: port)
    }

    private static func bytes(high: UInt64, low: UInt64) -> in6_addr {
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }

    private static func withPointer<Form, Result>(
        to form: inout Form,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let length = socklen_t(MemoryLayout<Form>.size)
        return withUnsafePointer(to: &form) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
