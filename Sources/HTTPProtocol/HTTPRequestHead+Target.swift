// The decoded request target: path segments and query items.

/// One name and value of a query or form, decoded.
public struct HTTPQueryItem: Sendable, Hashable {
    /// The part before "=".
    public var name: String
    /// The part after "="; empty if there is none.
    public var value: String

    /// A name with a value.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The items of "a=1&b=two+words" (`application/x-www-form-urlencoded`), or nil if one has a
    /// wrong escape.
    public static func parse(_ encoded: some StringProtocol) -> [HTTPQueryItem]? {
        var items: [HTTPQueryItem] = []
        for pair in encoded.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = PercentEncoding.decode(
                    parts.count > 1 ? parts[1] : "",
                    plusIsSpace: true
                )
            else { return nil }
            items.append(HTTPQueryItem(name: name, value: value))
        }
        return items
    }
}

extension HTTPRequestHead {
    /// The decoded path segments: "/a/b%20c" is ["a", "b c"], "/" is [], and "/a/" is ["a", ""].
    /// Nil if the path is unsafe: a wrong escape, a "." or ".." segment, a slash, backslash or
    /// control character inside a segment, or an empty segment in the middle. So the segments
    /// cannot name a file outside of a folder.
    public var pathSegments: [String]? {
        let slash = UInt8(ascii: "/")
        let path = path.utf8
        guard path.first == slash else { return nil }
        let encoded = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        if encoded.count == 1, encoded[0].isEmpty { return [] }
        var segments: [String] = []
        for (index, part) in encoded.enumerated() {
            guard let segment = PercentEncoding.decode(Substring(part)),
                segment != ".", segment != "..",
                !segment.isEmpty || index == encoded.count - 1,
                segment.utf8.allSatisfy({ byte in
                    byte >= 0x20 && byte != 0x7F && byte != slash
                        && byte != UInt8(ascii: "\\")
                })
            else { return nil }
            segments.append(segment)
        }
        return segments
    }

    /// The query's items in order, or nil if one has a wrong escape.
    public var queryItems: [HTTPQueryItem]? {
        HTTPQueryItem.parse(query ?? "")
    }

    /// The value of the first query item `name`, or nil if there is none or the query has a
    /// wrong escape.
    public func queryValue(_ name: String) -> String? {
        queryItems?.first { $0.name == name }?.value
    }
}
