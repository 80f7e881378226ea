// One element of a file: the members of an object, of bounded size. LibreChat nests replies inside
// messages, as deep as a conversation is long; they are read into a flat list.

import JSONText

/// An object that may be a conversation.
struct ForeignElement {
    /// A message that was nested inside the one that it replies to.
    struct Nested {
        let members: JSONObject
        /// The index of the message around it.
        let parent: Int?
    }

    let members: JSONObject
    /// The messages of `messagesTree`, each after the one around it; nil if there are none.
    let nested: [Nested]?
    /// The number of duplicate keys in objects.
    let duplicateKeyCount: Int

    /// Reads the object whose opening brace `reader` has just read.
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

    /// Reads an array of messages whose `children` are such arrays, without recursion.
    private static func nested(
        from reader: inout JSONReader,
        _ trees: inout JSONTreeReader
    ) throws -> [Nested]? {
        switch try trees.token(from: &reader) {
        case .beginArray: break
        case .null: return nil
        default: throw SkippedConversation(reason: .messagesNotAList)
        }
        var found: [(members: [(key: String, value: JSONValue)], parent: Int?)] = []
        /// The open messages; nil for an array between them.
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
                default: throw SkippedConversation(reason: .messagesNotAList)
                }
            case (.key(let key), let place?):
                found[place].members.append((key, try trees.value(from: &reader)))
            default: throw SkippedConversation(reason: .messageNotAnObject)
            }
        }
        return found.map { Nested(members: trees.object(of: $0.members), parent: $0.parent) }
    }

    /// The system that it comes from; nil if unknown.
    var system: ForeignSystem? {
        if members["mapping"] != nil { return .chatGPT }
        let chat = members["chat"] ?? .object(members)
        if chat["history"] != nil { return .openWebUI }
        let hasMessages = nested != nil || members["messages"] != nil
        return members["conversationId"] != nil && hasMessages ? .libreChat : nil
    }
}
