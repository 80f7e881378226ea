// One element of a file: the members of an object, of a bounded size. LibreChat's messages hold their
// replies inside of them, as deep as a conversation is long; these are read flat.

/// An object that may be a conversation.
struct ForeignElement {
    /// A message that stood inside the one that it answers.
    struct Nested {
        let members: JSONMembers
        /// The place of the message around it.
        let parent: Int?
    }

    private(set) var members = JSONMembers()
    /// The messages of `messagesTree`, each after the one around it; nil where there is none.
    private(set) var nested: [Nested]?
    /// How many keys stood twice in one object.
    private(set) var duplicateKeyCount = 0

    /// Reads the object whose brace `reader` has just passed.
    init(from reader: inout JSONReader, limits: JSONElementLimits) throws {
        var trees = JSONTreeReader(reader, limits: limits)
        while case .key(let key) = try trees.token(from: &reader) {
            if key == "messagesTree" {
                nested = try Self.nested(from: &reader, &trees)
            } else {
                let value = try trees.value(from: &reader)
                if !members.set(value, for: key) { trees.noteDuplicateKey() }
            }
        }
        duplicateKeyCount = trees.duplicateKeyCount
    }

    /// Reads an array of messages whose `children` are such arrays, without a call for each level.
    private static func nested(
        from reader: inout JSONReader,
        _ trees: inout JSONTreeReader
    ) throws -> [Nested]? {
        switch try trees.token(from: &reader) {
        case .beginArray: break
        case .null: return nil
        default: throw SkippedConversation(reason: "its messages are not a list")
        }
        var found: [(members: JSONMembers, parent: Int?)] = []
        /// The messages that are open, and arrays between them: nil.
        var open: [Int?] = [nil]
        while let top = open.last {
            let token = try trees.token(from: &reader)
            switch (token, top) {
            case (.endArray, nil), (.endObject, _?): open.removeLast()
            case (.beginObject, nil):
                found.append((JSONMembers(), open.dropLast().last ?? nil))
                open.append(found.count - 1)
            case (.key("children"), _?):
                switch try trees.token(from: &reader) {
                case .beginArray: open.append(nil)
                case .null: break
                default: throw SkippedConversation(reason: "its messages are not a list")
                }
            case (.key(let key), let place?):
                let value = try trees.value(from: &reader)
                if !found[place].members.set(value, for: key) { trees.noteDuplicateKey() }
            default: throw SkippedConversation(reason: "a message is not an object")
            }
        }
        return found.map { Nested(members: $0.members, parent: $0.parent) }
    }

    /// Whose conversation it is; nil where it is none that is known.
    var system: ForeignSystem? {
        if members["mapping"] != nil { return .chatGPT }
        let chat = members["chat"] ?? .object(members)
        if chat["history"] != nil { return .openWebUI }
        let hasMessages = nested != nil || members["messages"] != nil
        return members["conversationId"] != nil && hasMessages ? .libreChat : nil
    }
}
