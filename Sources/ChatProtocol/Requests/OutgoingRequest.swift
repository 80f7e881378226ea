// A client's side of a request: number, operation and body in one flat JSON object.

/// A request on its way to the server.
public struct OutgoingRequest<Body: Encodable>: Encodable {
    private let id: Int64
    private let operation: Operation
    private let body: Body

    /// Puts a request together.
    public init(id: Int64, _ operation: Operation, _ body: Body) {
        self.id = id
        self.operation = operation
        self.body = body
    }

    private enum Key: String, CodingKey { case id, op }

    /// Writes the wire form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(operation, forKey: .op)
    }
}
