// The address of a request's client, behind trusted proxies.

package import HTTPProtocol
import Networking

/// Finds client addresses.
package enum ClientAddress {
    /// The address of a request's client: the connection's, or, if that is a trusted proxy's, the
    /// last address in the forwarding header that is not. Anyone could have written the entries
    /// before that.
    /// - Parameters:
    ///   - peer: the connection's peer address, without the port; nil for a Unix socket.
    ///   - headers: the request's headers.
    ///   - proxies: the trusted proxies.
    ///   - header: the header in which they write the address.
    /// - Returns: the address as text; nil if unknown.
    package static func of(
        peer: String?,
        _ headers: HTTPHeaders,
        trusting proxies: [AddressRange],
        in header: ForwardedHeader
    ) -> String? {
        guard proxies.contains(where: { $0.contains(peer: peer) }) else { return peer }
        let addresses: [String] =
            switch header {
            case .xForwardedFor: headers.listElements(of: "X-Forwarded-For")
            case .forwarded: ForwardedFor.nodes(in: headers)
            }
        let foreign = addresses.last { address in !proxies.contains { $0.contains(address) } }
        // A proxy that writes anything else names no client.
        return foreign.flatMap { SocketAddress(host: $0, port: 0)?.host } ?? peer
    }

    /// The key for counting sign-in attempts: an IPv6 network of one customer (RFC 6177) is one
    /// place.
    static func place(_ address: String?) -> String? {
        guard let address,
            case .ipv6(let high, let low, _, _) = SocketAddress(host: address, port: 0)
        else { return address }
        return high == 0 && low >> 32 == 0xFFFF ? address : "\(String(high, radix: 16))/64"
    }
}

/// The `for` parameters of the `Forwarded` header (RFC 7239, sections 4 to 6).
enum ForwardedFor {
    /// The `for` of each element, without ports and brackets, oldest first. An element without one,
    /// or with a name instead of an address, gives a text that is not an address.
    static func nodes(in headers: HTTPHeaders) -> [String] {
        (headers["Forwarded"].map { parts(of: $0[...], separator: ",") } ?? []).map(node)
    }

    private static func node(of element: Substring) -> String {
        for pair in parts(of: element, separator: ";") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, trimmed(halves[0]).lowercased() == "for" else { continue }
            return withoutPort(unquoted(trimmed(halves[1])))
        }
        return ""
    }

    /// Splits at separators outside quotes.
    private static func parts(of text: Substring, separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == separator, !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        parts.append(text[start...])
        return parts.filter { !trimmed($0).isEmpty }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// Removes the quotes of a quoted string. No address contains a character that needs an escape.
    private static func unquoted(_ text: Substring) -> Substring {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return text.dropFirst().dropLast()
    }

    /// "192.0.2.1:80" and "[2001:db8::1]:80" without port and brackets.
    private static func withoutPort(_ node: Substring) -> String {
        if node.hasPrefix("["), let end = node.firstIndex(of: "]") {
            return String(node[node.index(after: node.startIndex)..<end])
        }
        guard let colon = node.firstIndex(of: ":"), node.lastIndex(of: ":") == colon else {
            return String(node)
        }
        return String(node[..<colon])
    }
}
