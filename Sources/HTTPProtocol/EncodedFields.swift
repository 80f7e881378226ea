// Field lines that are encoded once and sent with many responses.

/// Field lines as they are sent.
public struct EncodedFields: Sendable, Hashable {
    /// None.
    public static let none = EncodedFields([:])

    let bytes: [UInt8]

    /// Encodes `headers`.
    /// - Precondition: they have no field that the connection writes itself, nor `Connection`.
    public init(_ headers: HTTPHeaders) {
        precondition(
            !headers.contains(.contentLength) && !headers.contains(.transferEncoding)
                && !headers.contains(.connection),
            "the connection writes this field"
        )
        var bytes: [UInt8] = []
        headers.encode(into: &bytes)
        self.bytes = bytes
    }
}
