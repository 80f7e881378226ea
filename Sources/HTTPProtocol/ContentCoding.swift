// Content codings, and choosing one: RFC 9110, sections 8.4.1 and 12.5.3.

/// A content coding that Stoa writes.
public enum ContentCoding: String, Sendable, CaseIterable {
    // The server's order where the client has no preference.
    case brotli = "br"
    case gzip
    /// No coding.
    case identity

    /// The coding of a response.
    /// - Parameters:
    ///   - codings: those that the server has.
    ///   - headers: the request's headers. Codings that the client prefers equally are chosen in
    ///     the order of this type's cases. Malformed elements are ignored.
    /// - Returns: the coding; nil if the client accepts none of them.
    public static func preferred(
        of codings: Set<ContentCoding>,
        by headers: HTTPHeaders
    ) -> ContentCoding? {
        preferences(headers).first(where: codings.contains)
    }

    /// The codings that a client accepts, the best first.
    public static func preferences(_ headers: HTTPHeaders) -> [ContentCoding] {
        // Without the field any coding is acceptable, but the client may know none.
        guard headers.contains(.acceptEncoding) else { return [.identity] }
        let weights = Weights(headers.tokens(of: .acceptEncoding))
        let accepted = allCases.enumerated().compactMap { place, coding in
            weights[coding].map { (coding: coding, weight: $0, place: place) }
        }
        return accepted.sorted { ($1.weight, $0.place) < ($0.weight, $1.place) }.map(\.coding)
    }
}

/// The weights of an `Accept-Encoding` field, in thousandths.
private struct Weights {
    private var named: [String: Int] = [:]

    /// Parses the field's elements, which are in lower case.
    init(_ elements: [String]) {
        for element in elements {
            let parts = element.split(
                separator: ";",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = trimmed(parts[0])
            guard CharacterClass.isToken(name), let weight = Self.weight(parts.dropFirst().first)
            else { continue }
            // "x-gzip" is another name of gzip (section 8.4.1.3).
            named[name == "x-gzip" ? "gzip" : name] = weight
        }
    }

    /// The weight of `coding`; nil if it is not acceptable.
    subscript(coding: ContentCoding) -> Int? {
        if let weight = named[coding.rawValue] ?? named["*"] { return weight > 0 ? weight : nil }
        // Identity is acceptable unless it is excluded, and comes after all that are named.
        return coding == .identity ? 0 : nil
    }

    /// The value of "q=0.5" in thousandths (section 12.4.2); nil if malformed.
    private static func weight(_ parameter: Substring?) -> Int? {
        guard let parameter else { return 1_000 }
        let text = trimmed(parameter)
        guard text.hasPrefix("q=") else { return nil }
        let parts = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        guard parts.count <= 2, parts[0] == "0" || parts[0] == "1", decimals.utf8.count <= 3,
            decimals.utf8.allSatisfy(CharacterClass.isDigit)
        else { return nil }
        let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count))
        let weight = (parts[0] == "1" ? 1_000 : 0) + (thousandths ?? 0)
        return weight <= 1_000 ? weight : nil
    }
}

private func trimmed(_ text: Substring) -> String {
    String(decoding: CharacterClass.trimmed(Array(text.utf8)[...]), as: UTF8.self)
}
