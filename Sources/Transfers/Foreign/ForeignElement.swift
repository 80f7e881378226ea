// One element of a file: the members of an object, of a bounded size. LibreChat's messages hold their
// replies inside of them, as deep as a conversation is long; these are read flat.

import JSONText

/// An object that may be a conversation.
struct ForeignElement {
    /// A message that stood inside the one that it answers.
    struct Nested {
        let members: JSONObject
        /// The place of the message around it.
        let parent: Int?
    }

    let members: JSONObject
    /// The messages of `messagesTree`, each after the one around it; nil where there is none.
    let nested: [Nested]?
    /// How many keys stood twice in one object.
    let duplicateKeyCount: Int

    /// Reads the object whose brace `reader` has just passed.
    init(from reader: inout JSONReader, limits: JSONElementLimits) throws {
        var trees = JSONTreeReader(reader, limits: limits)
        var members: [(key: String, value: JSONValue)] = []
        var nested: [Nested]?
        while case .key(let key) = try trees.token(from: &reader) {
            if key == "messagesTree" {
                nested = try Self.nested(from: &reader, &trees)
            } else {
                members.append((key, try trees.value(from: &reader)))
            }
        }
        self.members = trees.object(of: members)
        self.nested = nested
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
        var found: [(members: [(key: String, value: JSONValue)], parent: Int?)] = []
        /// The messages that are open, and arrays between them: nil.
        var open: [Int?] = [nil]
        while let top = open.last {
            let token = try trees.token(from: &reader)
            switch (token, top) {
            case (.endArray, nil), (.endObject, _?): open.removeLast()
            case (.beginObject, nil):
                found.append(([], open.dropLast().last ?? nil))
                open.append(found.count - 1)
            case (.key("children"), _?):
                switch try trees.token(from: &reader) {
                case .beginArray: open.append(nil)
                case .null: break
                default: throw SkippedConversation(reason: "its messages are not a list")
                }
            case (.key(let key), let place?):
                found[place].members.append((key, try trees.value(from: &reader)))
            default: throw SkippedConversation(reason: "a message is not an object")
            }
        }
        return found.map { Nested(members: trees.object(of: $0.members), parent: $0.parent) }
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
