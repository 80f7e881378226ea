// Where an imported conversation goes: nowhere, where it is there already; under its own identifier, where
// that is free; else under a new one.

import ChatProtocol
import FoundationEssentials
import Postgres
import Transfers

extension TransferImport {
    enum Place {
        /// It is there.
        case found
        /// It is to be made, in place of one that an earlier import made and that has gone.
        case free(ConversationID, replacing: ConversationID?)
    }

    /// Under which name an import remembers a conversation.
    static func source(of conversation: ConversationRecord) -> TransferSource {
        guard let source = conversation.source else {
            return TransferSource(system: TransferHeader.stoaFormat, id: "\(conversation.id)")
        }
        return TransferSource(
            system: ImportedText(source.system, atMost: 64).text,
            id: ImportedText(source.id, atMost: 200).text
        )
    }

    func place(of conversation: ConversationRecord) async throws -> Place {
        let source = Self.source(of: conversation)
        let rows = try await store.pool.query(
            """
            SELECT i.conversation_id, i.is_complete, c.deleted_at IS NULL AS is_there
            FROM imports i JOIN conversations c ON c.id = i.conversation_id
            WHERE i.owner_id IS NOT DISTINCT FROM $1 AND i.source_system = $2 AND i.source_id = $3
            """,
            [.optional(owner.user?.id), .text(source.system), .text(source.id)]
        )
        var replaced: ConversationID?
        if let row = rows.first {
            let id = try row.id("conversation_id", of: Conversation.self)
            let isComplete = try row.decode("is_complete", as: Bool.self)
            if isComplete, try row.decode("is_there", as: Bool.self) { return .found }
            if isComplete {
                replaced = id
            } else if !isDryRun {
                try await store.dropHidden(id)
            }
        }
        let others = try await store.pool.query(
            """
            SELECT c.deleted_at IS NULL AND ($2::uuid IS NULL OR EXISTS (
                SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2
            ))
            FROM conversations c WHERE c.id = $1
            """,
            [.uuid(conversation.id), .optional(owner.user?.id)]
        )
        guard let other = others.first else {
            return .free(conversation.id, replacing: replaced)
        }
        if try other.decode(as: Bool.self) { return .found }
        return .free(.make(), replacing: replaced)
    }
}

extension Store {
    /// Removes what an import has written of a conversation that is not whole.
    func dropHidden(_ id: ConversationID) async throws {
        _ = try await pool.query(
            """
            DELETE FROM conversations c WHERE c.id = $1 AND EXISTS (
                SELECT FROM imports i WHERE i.conversation_id = c.id AND NOT i.is_complete
            )
            """,
            [.uuid(id)]
        )
    }
}
