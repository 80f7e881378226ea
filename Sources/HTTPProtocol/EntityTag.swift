// Entity tags, RFC 9110 section 8.8.3, and the conditions that compare them.

/// A tag that names one state of a resource.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes.
    public let opaque: String
    /// Whether equal tags promise equal meaning only, not equal bytes.
    public let isWeak: Bool

    /// A tag, or nil where `opaque` holds what can't stand between the quotes.
    public init?(_ opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The value of the `ETag` field.
    public var description: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

    /// Whether the client's copy, by its `If-None-Match`, is this one: answer 304 to GET and HEAD.
    /// The comparison is weak, as section 13.1.2 asks; "*" matches everything. A list that can't be
    /// read matches nothing, so that the client gets the whole response.
    public func matches(ifNoneMatch value: String) -> Bool {
        if value == "*" { return true }
        return Self.parseList(value)?.contains { $0.opaque == opaque } ?? false
    }

    /// Whether the client's copy, by its `If-Match`, is this one: where it is not, answer 412. The
    /// comparison is strong, as section 13.1.1 asks.
    public func matches(ifMatch value: String) -> Bool {
        if value == "*" { return true }
        return Self.parseList(value)?.contains { isStronglyEqual(to: $0) } ?? false
    }

    /// Whether both are strong and equal: what `If-Match` and `If-Range` ask.
    public func isStronglyEqual(to other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The tags of a list, or nil where it is none. Tags may hold commas, so it can't just be split.
    public static func parseList(_ value: String) -> [EntityTag]? {
        var tags: [EntityTag] = []
        var rest = Array(value.utf8)[...]
        while true {
            rest = rest.drop { CharacterClass.isBlank($0) || $0 == UInt8(ascii: ",") }
            if rest.isEmpty { return tags }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            let opaque = rest.dropFirst().prefix(while: isTagByte)
            guard opaque.endIndex < rest.endIndex, rest[opaque.endIndex] == UInt8(ascii: "\""),
                let tag = EntityTag(String(decoding: opaque, as: UTF8.self), isWeak: isWeak)
            else { return nil }
            tags.append(tag)
            rest = rest[(opaque.endIndex + 1)...].drop(while: CharacterClass.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
    }

    /// `etagc`: visible ASCII but for the quote, and bytes above ASCII.
    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"")
    }
}
