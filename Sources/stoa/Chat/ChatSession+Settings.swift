// Commands that change the open conversation: its model, its title, its place in the list, links to it.

import ChatClient
import ChatProtocol
import TerminalText

extension ChatSession {
    /// Changes the model that answers, or lists the models.
    func model(_ name: String?) async throws(CommandFailure) {
        guard let follower else { return }
        guard let name else {
            let current = follower.view.conversation?.model
            let rows = (client?.welcome?.models ?? []).map { model in
                "\(model.name == current ? "*" : " ") \(model.name) (\(model.state.rawValue))"
            }
            note("\(rows.joined(separator: "\n"))")
            return
        }
        let request = ConversationUpdateRequest(conversation: follower.view.id, model: name)
        _ = try await ask(.conversationUpdate, request)
        note("\(name) answers from now on.")
    }

    /// Changes generation settings, or shows them.
    func settings(_ text: String?) async throws(CommandFailure) {
        guard let follower else { return }
        let current = follower.view.conversation?.settings ?? GenerationSettings()
        guard let text else {
            note("\(SettingsLine.text(current))")
            return
        }
        let changed: GenerationSettings
        do throws(SettingsLine.Mistake) {
            changed = try SettingsLine.changed(current, by: text)
        } catch {
            note("\(error.sentence)")
            return
        }
        let request = ConversationUpdateRequest(
            conversation: follower.view.id,
            settings: changed
        )
        _ = try await ask(.conversationUpdate, request)
        note("\(SettingsLine.text(changed))")
    }

    /// Changes the title.
    func setTitle(_ text: String) async throws(CommandFailure) {
        guard let follower else { return }
        let request = ConversationUpdateRequest(conversation: follower.view.id, title: text)
        _ = try await ask(.conversationUpdate, request)
    }

    /// Pins the conversation, or undoes that.
    func pin(_ isPinned: Bool) async throws(CommandFailure) {
        guard let follower else { return }
        let request = ConversationPinRequest(conversation: follower.view.id, pinned: isPinned)
        _ = try await ask(.conversationPin, request)
        note(isPinned ? "This conversation comes first in your list." : "It is no longer pinned.")
    }

    /// Creates a link to read the conversation.
    func share() async throws(CommandFailure) {
        guard let follower else { return }
        let request = ShareCreateRequest(conversation: follower.view.id)
        let reply = try await ask(.shareCreate, request)
        note("Anyone can read it at \(options.choice.server)/#shared=\(reply.token)")
    }
}
