// The events of the server's models; they belong to no conversation and are told to everybody.

/// `model.changed`: a model came, has another state, or is further on.
public struct ModelChanged: Codable, Sendable {
    /// The model as it is now.
    public var model: Model

    /// Puts an event together.
    public init(model: Model) {
        self.model = model
    }
}

/// `model.removed`: the server does not have a model any more, or will not.
public struct ModelRemoved: Codable, Sendable {
    /// Its name.
    public var name: String

    /// Puts an event together.
    public init(name: String) {
        self.name = name
    }
}
