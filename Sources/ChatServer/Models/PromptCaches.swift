// The KV cache pages of all engines, in memory and on disk, by conversations.

package import ChatProtocol
import Inference

/// Removes what engines have read for conversations that are gone. Lives on the server's loop.
package final class PromptCaches: DeletionObserver {
    /// The engines; nil before the server has any.
    weak var pool: EnginePool?
    /// KV cache pages on disk; nil where none are stored.
    var pages: PageStore?

    /// Caches without engines.
    package init() {}

    package func deleted(in conversation: ConversationID) { forget([conversation]) }

    /// Removes what was read for conversations that are gone, or have lost messages.
    func forget(_ conversations: [ConversationID]) {
        guard !conversations.isEmpty else { return }
        let scopes = conversations.map { "\($0)" }
        pool?.forget(scopes)
        // Also where the model that read them is not loaded.
        pages?.remove(scopes)
    }
}
