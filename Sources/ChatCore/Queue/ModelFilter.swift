// Which models' answers can start at a given moment.

/// Which models' answers a node can generate at a given moment.
public enum ModelFilter: Sendable, Hashable {
    /// Only those of these models.
    case only([String])
    /// Those of all models, including models that the node does not have, except these.
    case allBut([String])

    /// Whether an answer of `model` can start.
    public func allows(_ model: String) -> Bool {
        switch self {
        case .only(let names): names.contains(model)
        case .allBut(let names): !names.contains(model)
        }
    }
}
