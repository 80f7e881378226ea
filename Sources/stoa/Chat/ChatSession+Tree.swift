// Commands that create, show and delete branches. The server stores the selected branch for the next
// opening; other devices do not change.

import ChatClient
import ChatProtocol
import TerminalText

extension ChatSession {
    /// Edits the last question.
    func edit(_ text: String) async throws(CommandFailure) {
        guard let follower, let question = lastQuestion else {
            note("You have no question here.")
            return
        }
        expect(text)
        let request = MessageEditRequest(
            conversation: follower.view.id,
            key: MessageID.make().description,
            message: question.id,
            text: text
        )
        let answer = try await ask(.messageEdit, request).answer.id
        try await show(answer)
    }

    /// Regenerates or continues the last answer.
    func again(
        _ operation: Operation<MessageAgainRequest, MessageAnswerReply>
    ) async throws(CommandFailure) {
        guard let follower,
            let answer = follower.view.messages.last(where: { $0.role == .assistant })
        else {
            note("No answer yet.")
            return
        }
        let request = MessageAgainRequest(
            conversation: follower.view.id,
            key: MessageID.make().description,
            message: answer.id
        )
        let reply = try await ask(operation, request)
        try await show(reply.answer.id)
    }

    /// Shows the branch of a new answer; a script waits for the answer's end.
    private func show(_ answer: MessageID) async throws(CommandFailure) {
        guard let follower else { return }
        do throws(ChatClientError) {
            _ = try await follower.wait(within: .seconds(60)) { $0.message(answer) != nil }
        } catch {
            throw CommandFailure(error)
        }
        follower.show(answer)
        if isScripted { try await waitForEnd(of: answer) }
    }

    /// Lists the branching points of the visible branch.
    func listBranches() {
        guard let view = follower?.view else { return }
        let places = view.messages.filter { view.siblings(of: $0.id).count > 1 }
        let rows = places.map { message in
            let siblings = view.siblings(of: message.id)
            let number = (siblings.firstIndex(of: message.id) ?? 0) + 1
            let text = TerminalSanitizer.clean(message.text).prefix { !$0.isNewline }.prefix(50)
            return "\(number) of \(siblings.count): \(text)"
        }
        note(
            rows.isEmpty
                ? "One version only; /edit and /regenerate create others."
                : "\(rows.joined(separator: "\n"))\n/branch N shows version N of the last one."
        )
    }

    /// Shows another sibling at the last branching point.
    func openBranch(_ number: Int) async throws(CommandFailure) {
        guard let view = follower?.view,
            let place = view.messages.last(where: { view.siblings(of: $0.id).count > 1 })
        else {
            note("One version only.")
            return
        }
        let siblings = view.siblings(of: place.id)
        guard siblings.indices.contains(number - 1) else {
            note("The versions are 1 to \(siblings.count).")
            return
        }
        try await select(siblings[number - 1])
    }

    /// Selects a branch, here and on the server.
    func select(_ message: MessageID?) async throws(CommandFailure) {
        guard let follower else { return }
        do throws(ChatClientError) {
            try await follower.select(message)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Copies the visible branch, and opens the copy.
    func fork(title: String?) async throws(CommandFailure) {
        guard let follower, let last = follower.view.messages.last else {
            note("Nothing to copy yet.")
            return
        }
        let request = ConversationForkRequest(
            conversation: follower.view.id,
            key: MessageID.make().description,
            message: last.id,
            title: title
        )
        let copy = try await ask(.conversationFork, request)
        try await open(copy.conversation.id)
        if !isTerminal { note("Opened the copy: \(copy.conversation.id)") }
    }

    /// Deletes the last question and its descendants.
    func deleteLast() async throws(CommandFailure) {
        guard let follower, let question = lastQuestion else {
            note("You have no question here.")
            return
        }
        let request = MessageDeleteRequest(
            conversation: follower.view.id,
            message: question.id
        )
        _ = try await ask(.messageDelete, request)
        if !isTerminal { note("Your last question was deleted.") }
    }

    /// This user's last message on the visible branch.
    private var lastQuestion: Message? {
        guard let user = client?.welcome?.user.id else { return nil }
        return follower?.view.messages.last { $0.author?.id == user }
    }
}
