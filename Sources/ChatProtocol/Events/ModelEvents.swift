// Events about the server's models; they belong to no conversation and are sent to all clients.

/// `model.changed`: a model was added, or its state or progress changed.
public struct ModelChanged: Codable, Sendable {
    /// The model's current state.
    public var model: Model

    /// Creates an event.
    public init(model: Model) {
        self.model = model
    }
}

/// `model.removed`: the server no longer has a model, or will not get it.
public struct ModelRemoved: Codable, Sendable {
    /// Its name.
    public var name: String

    /// Creates an event.
    public init(name: String) {
        self.name = name
    }
}
