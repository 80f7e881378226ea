// Entity tags, RFC 9110 section 8.8.3, and the conditions that compare them.

/// A validator that identifies one version of a resource.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes.
    public let opaque: String
    /// Whether equal tags mean equivalent content, not equal bytes.
    public let isWeak: Bool

    /// Creates a tag; nil if `opaque` has characters that are not allowed in one.
    public init?(_ opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The value of the `ETag` field.
    public var description: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

    /// Whether `If-None-Match` contains this tag: respond to GET and HEAD with 304. The comparison
    /// is weak (RFC 9110 section 13.1.2); "*" matches every tag. A malformed list matches nothing,
    /// so the client gets the full response.
    public func matches(ifNoneMatch value: String) -> Bool {
        if value == "*" { return true }
        return Self.parseList(value)?.contains { $0.opaque == opaque } ?? false
    }

    /// Whether `If-Match` contains this tag: if not, respond with 412. The comparison is strong
    /// (RFC 9110 section 13.1.1).
    public func matches(ifMatch value: String) -> Bool {
        if value == "*" { return true }
        return Self.parseList(value)?.contains { isStronglyEqual(to: $0) } ?? false
    }

    /// Strong comparison, as for `If-Match` and `If-Range`.
    public func isStronglyEqual(to other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Parses a list of tags; nil if it is malformed. Tags may contain commas.
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
