// Where an imported conversation goes: nowhere, where it is there already; under its own identifier, where
// that is free; else under a new one.

import ChatProtocol
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
        let earlier = try await store.imported(source, by: owner.user?.id)
        var replaced: ConversationID?
        if let earlier {
            if earlier.isComplete {
                if earlier.isShown { return .found }
                replaced = earlier.conversation
            } else if !isDryRun {
                try await store.dropHidden(earlier.conversation)
            }
        }
        switch try await store.isShown(conversation.id, to: owner.user?.id) {
        case nil: return .free(conversation.id, replacing: replaced)
        case true?: return .found
        case false?: return .free(.make(), replacing: replaced)
        }
    }
}
