// The target id of an imported conversation: none if it exists already; its own id if that is free;
// otherwise a new one.

import ChatProtocol
import Transfers

extension TransferImport {
    enum Place {
        /// It exists already.
        case found
        /// It is to be created, replacing one that an earlier import created and that no longer
        /// exists.
        case free(ConversationID, replacing: ConversationID?)
    }

    /// The key under which imports record a conversation.
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
