// The table of operations in docs/reference/protocol.md, and the requests of
// docs/reference/conformance/requests.json.

import ChatProtocol

enum OperationTable {
    /// The rows of the table, in the order of the definitions.
    static var rows: [String] {
        OperationDefinition.all.map { operation in
            let cells = [
                "`\(operation.name)`", operation.documentation.takes,
                operation.documentation.replies, operation.allowed, operation.scope.rawValue,
            ]
            return "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
        }
    }
}

extension OperationDefinition {
    /// Who may request it, in words.
    var allowed: String { documentation.allowed ?? requirement.holders }
}

extension Requirement {
    /// Who meets it, in words.
    fileprivate var holders: String {
        switch self {
        case .nothing: "anybody"
        case .signedIn: "signed in"
        case .conversation(let action):
            switch action {
            case .read, .leave: "member"
            case .write, .change, .deleteOwnMessages: "owner, editor"
            case .deleteMessages, .manageMembers, .share, .delete: "owner"
            }
        case .team(let action):
            switch action {
            case .see, .leave: "in the team"
            case .write, .managePrompts: "the team's members except viewers"
            case .manageMembers, .change, .audit, .export: "the team's owners and admins"
            case .own: "the team's owners"
            }
        case .server: "administrators"
        }
    }
}

enum ExampleRequests {
    /// One line for each example of each operation: a list of JSON.
    static var lines: [String] {
        let frames = OperationDefinition.all.flatMap { operation in
            operation.examples.map { example in
                let fields = String(decoding: WireEncoding.text(example), as: UTF8.self).dropFirst()
                let separator = fields == "}" ? "" : ","
                return "  {\"id\":1,\"op\":\"\(operation)\"\(separator)\(fields)"
            }
        }
        return frames.dropLast().map { $0 + "," } + frames.suffix(1)
    }
}
