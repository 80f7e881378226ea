// Whether a model can be told of tools, and by whom.

/// Who tells a model of tools.
enum ToolSupport: Sendable {
    /// Nobody: its template has no place for them.
    case none
    /// Its template, which is applied here.
    case template
    /// The engine on another machine, which applies a template that is not known here.
    case engine
}
