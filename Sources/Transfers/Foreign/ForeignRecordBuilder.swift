// Converts a conversation of another system to transfer records.

import ChatProtocol

/// Creates records. The same conversation gets the same ids each time the same user imports it; another
/// user's import gets other ids, so that nobody learns from an import what others have.
struct ForeignRecordBuilder {
    let importer: ForeignImporter
    let limits: ForeignLimits

    /// Maximum bytes of a conversation's id and of a model's name.
    private static let nameByteCountMax = 200

    /// The records of one conversation; each comes after those that it refers to, except the leaf.
    /// - Throws: `SkippedConversation` if it cannot be imported.
    func records(
        of conversation: ForeignConversation,
        notes: inout ForeignNotes
    ) throws -> [TransferRecord] {
        guard conversation.id.utf8.count <= Self.nameByteCountMax,
            !conversation.id.utf8.contains(where: { $0 < 0x20 })
        else { throw SkippedConversation(reason: .badID) }
        let tree = ForeignTree(conversation.nodes)
        let builder = try TurnBuilder(tree, byteCountMax: limits.conversationByteCountMax)
        guard !builder.turns.isEmpty else {
            throw SkippedConversation(reason: .noMessages)
        }
        for change in tree.changes + builder.changes {
            notes.change(ForeignNotes.message(change.node), change.reason)
        }
        let names = [
            importer.namespace, conversation.system.rawValue, conversation.id,
        ]
        let times = builder.turns.compactMap(\.time)
        let began = conversation.createdAt ?? times.min()
        let id = ConversationID.derived(from: names, at: began ?? Timestamp(milliseconds: 0))
        let createdAt = began ?? importer.time
        let ids = builder.turns.map { turn in
            let time = turn.time ?? began ?? Timestamp(milliseconds: 0)
            return MessageID.derived(from: names + turn.names, at: time)
        }
        let prompt = systemPrompt(of: conversation, &notes)
        var records: [TransferRecord] = [
            .conversation(
                ConversationRecord(
                    id: id,
                    title: title(of: conversation, &notes),
                    settings: conversation.settings,
                    systemPromptVersion: prompt == nil ? nil : 1,
                    leaf: builder.leaf(through: conversation.currentNode).map { ids[$0] },
                    createdAt: createdAt,
                    updatedAt: max(createdAt, conversation.updatedAt ?? times.max() ?? createdAt),
                    source: TransferSource(
                        system: conversation.system.rawValue,
                        id: conversation.id
                    )
                )
            )
        ]
        if let prompt {
            records.append(
                .systemPrompt(
                    SystemPromptRecord(
                        id: .derived(from: names + ["", "system prompt"], at: createdAt),
                        conversation: id,
                        version: 1,
                        text: prompt,
                        author: importer.user,
                        createdAt: createdAt
                    )
                )
            )
        }
        if let user = importer.user {
            let member = MemberRecord(
                conversation: id,
                user: user,
                role: .owner,
                joinedAt: createdAt
            )
            records.append(.member(member))
        }
        for (place, turn) in builder.turns.enumerated() {
            let time = turn.time ?? createdAt
            records.append(.message(message(turn, place, ids, in: id, at: time, &notes)))
        }
        return records
    }

    private func message(
        _ turn: ForeignTurn,
        _ place: Int,
        _ ids: [MessageID],
        in conversation: ConversationID,
        at time: Timestamp,
        _ notes: inout ForeignNotes
    ) -> MessageRecord {
        let text = fit(
            turn.text,
            limits.textByteCountMax,
            ForeignNotes.message(turn.names[0]),
            &notes
        )
        let finish: FinishReason =
            switch turn.state {
            case .failed: .error
            case .stopped: .stopped
            default: .stop
            }
        return MessageRecord(
            id: ids[place],
            conversation: conversation,
            parent: turn.parent.map { ids[$0] },
            number: Int64(place) + 1,
            role: turn.role,
            author: turn.role == .user ? importer.user : nil,
            text: text,
            state: turn.state,
            finish: turn.role == .user ? nil : finish,
            model: turn.model.map { ForeignValue.fit($0, within: Self.nameByteCountMax).text },
            createdAt: time
        )
    }

    private func title(
        of conversation: ForeignConversation,
        _ notes: inout ForeignNotes
    ) -> String {
        let limit = ProtocolLimits.standard.titleBytes
        let title = fit(conversation.title, limit, "its title", &notes)
        let line = title.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? " " : String(scalar)
        }
        return line.joined()
    }

    private func systemPrompt(
        of conversation: ForeignConversation,
        _ notes: inout ForeignNotes
    ) -> String? {
        var seen = Set<String>()
        let texts = conversation.systemPrompts.filter { seen.insert($0).inserted }
        guard !texts.isEmpty else { return nil }
        if texts.count > 1 { notes.change("", .joinedPrompts) }
        let text = texts.joined(separator: "\n\n")
        return fit(text, ProtocolLimits.standard.textBytes, "its system prompt", &notes)
    }

    private func fit(
        _ text: String,
        _ limit: Int,
        _ part: String,
        _ notes: inout ForeignNotes
    ) -> String {
        let (text, changes) = ForeignValue.fit(text, within: limit)
        for change in changes { notes.change(part, change) }
        return text
    }
}
