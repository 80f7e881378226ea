// How the server ends conversations for its sessions and jobs.

import ChatCore
import ChatProtocol
import ChatStore
import Inference

extension Server {
    /// When conversations expire and are purged.
    var lifeCycle: LifeCycleRules { LifeCycleRules(undoDays: settings.undoDays) }

    /// Publishes a conversation's deletion, stops its answers, and removes its KV cache pages.
    func tellDeletion(_ committed: Committed<[UserID]>, of conversation: ConversationID) {
        dispatcher.stopAll(in: conversation)
        hub.publish(committed.events, in: conversation)
        for member in committed.value { hub.expel(member, from: conversation) }
        forgetPages(of: [conversation])
    }

    /// Removes KV cache pages of conversations that are gone, or have lost messages.
    func forgetPages(of conversations: [ConversationID]) { caches.forget(conversations) }
}
