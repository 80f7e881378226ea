// Which models' answers can begin at a moment.

/// Which models' answers a node can make at a moment.
public enum ModelFilter: Sendable, Hashable {
    /// Those of these models.
    case only([String])
    /// Those of all models, also such as the node has not, but for these.
    case allBut([String])

    /// Whether an answer of `model` may begin.
    public func allows(_ model: String) -> Bool {
        switch self {
        case .only(let names): names.contains(model)
        case .allBut(let names): !names.contains(model)
        }
    }
}
