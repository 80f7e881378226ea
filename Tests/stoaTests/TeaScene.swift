// A conversation about tea, and events in it.

import ChatClient
import ChatProtocol
import Digests

struct TeaScene {
    let conversation = ConversationID.make()
    let ada = User(id: .make(), name: "ada")
    let grace = User(id: .make(), name: "gr\u{1B}[2Jace")
    let answer = MessageID.make()
    let run = RunID.make()

    func message(_ author: User?, _ text: String, id: MessageID = .make()) -> Message {
        Message(
            id: id,
            conversation: conversation,
            parent: nil,
            role: author == nil ? .assistant : .user,
            author: author,
            text: text,
            state: author == nil ? .queued : .complete,
            createdAt: Timestamp(milliseconds: 0)
        )
    }

    func view() -> ConversationView {
        var view = ConversationView(conversation)
        let all = Conversation(
            id: conversation,
            title: "Tea",
            systemPrompt: "",
            model: "phi",
            role: .owner,
            members: [Member(user: ada, role: .owner)],
            settings: GenerationSettings(),
            n: 1,
            createdAt: Timestamp(milliseconds: 0),
            updatedAt: Timestamp(milliseconds: 0)
        )
        let snapshot = ConversationSnapshot(conversation: all, messages: [], more: false)
        _ = view.apply(ConversationWatchReply(n: 1, snapshot: snapshot, growing: []))
        return view
    }

    func created(_ n: Int64, _ message: Message) -> ServerEvent {
        .messageCreated(MessageCreated(conversation: conversation, n: n, message: message))
    }

    func delta(_ at: Int, _ text: String) -> ServerEvent {
        .messageDelta(
            MessageDelta(
                conversation: conversation,
                message: answer,
                run: run,
                at: at,
                to: at + text.utf8.count,
                text: text
            )
        )
    }

    func completed(_ n: Int64, _ text: String, id: MessageID? = nil) -> ServerEvent {
        .messageCompleted(
            MessageEnded(
                conversation: conversation,
                n: n,
                message: id ?? answer,
                run: run,
                to: text.utf8.count,
                sha256: SHA256.digest(of: text).hexadecimal,
                usage: nil,
                finish: .stop
            )
        )
    }
}
