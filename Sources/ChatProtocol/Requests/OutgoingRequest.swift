// A client's side of a request: number, operation and body in one flat JSON object.

/// A request to the server.
public struct OutgoingRequest<Body: Encodable>: Encodable {
    private let id: Int64
    private let operation: String
    private let body: Body

    /// Creates a request.
    public init<Reply>(id: Int64, _ operation: Operation<Body, Reply>, _ body: Body)
    where Body: Codable & Sendable {
        self.init(id: id, named: operation.name, body)
    }

    /// Creates a request whose fields need not be those of the operation, for tests of servers.
    /// - Parameters:
    ///   - id: the client's number for it.
    ///   - name: the operation's name on the wire.
    ///   - body: the fields.
    public init(id: Int64, named name: String, _ body: Body) {
        self.id = id
        operation = name
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
