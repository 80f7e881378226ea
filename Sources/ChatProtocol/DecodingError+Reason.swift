// Decoding errors in our own words: the library's texts contain names of types and internals.

extension DecodingError {
    /// The field that is wrong and why, such as "user.name is missing"; never its value.
    public var reason: String {
        switch self {
        case .keyNotFound(let key, let context):
            "\(Self.name(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context):
            "\(Self.name(context.codingPath)) is missing"
        case .typeMismatch(_, let context):
            "\(Self.name(context.codingPath)) is of the wrong type"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "it is not JSON"
        case .dataCorrupted(let context):
            "\(Self.name(context.codingPath)) is malformed"
        @unknown default:
            "it has another form"
        }
    }

    /// The reason for an error of a decoder.
    public static func reason(of error: any Error) -> String {
        (error as? DecodingError)?.reason ?? "it has another form"
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "it" : path.map(\.stringValue).joined(separator: ".")
    }
}
