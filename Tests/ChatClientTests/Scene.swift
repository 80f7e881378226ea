// The events of one conversation, for tests of client views.

import ChatClient
import ChatProtocol
import Digests

/// A conversation with one question and one unfinished answer.
struct Scene {
    let conversation = ConversationID.make()
    let question = MessageID.make()
    let answer = MessageID.make()
    let run = RunID.make()
    let user = User(id: .make(), name: "ada")
    let time = Timestamp(milliseconds: 1_700_000_000_000)

    func message(
        _ id: MessageID,
        _ role: MessageRole = .assistant,
        _ text: String = "",
        state: MessageState = .queued,
        run: RunID? = nil,
        parent: MessageID? = nil
    ) -> Message {
        // The answer is the question's child, and further messages are the answer's.
        let usual = id == question ? nil : id == answer ? question : answer
        return Message(
            id: id,
            conversation: conversation,
            parent: parent ?? usual,
            role: role,
            author: role == .user ? user : nil,
            text: text,
            state: state,
            run: run,
            createdAt: time
        )
    }

    func snapshot(
        n: Int64,
        _ messages: [Message],
        growing: [GrowingAnswer] = []
    ) -> ConversationWatchReply {
        let all = Conversation(
            id: conversation,
            title: "Tea",
            systemPrompt: "Be kind.",
            model: "demo",
            role: .owner,
            members: [Member(user: user, role: .owner)],
            settings: GenerationSettings(),
            n: n,
            createdAt: time,
            updatedAt: time
        )
        return ConversationWatchReply(
            n: n,
            snapshot: ConversationSnapshot(conversation: all, messages: messages, more: false),
            growing: growing
        )
    }

    func created(_ n: Int64, _ message: Message) -> ServerEvent {
        .messageCreated(MessageCreated(conversation: conversation, n: n, message: message))
    }

    func started(_ run: RunID) -> ServerEvent {
        .messageStarted(
            MessageStarted(
                conversation: conversation,
                message: answer,
                run: run,
                promptTokens: 9,
                cachedTokens: 0,
                droppedMessages: 0
            )
        )
    }

    func restarted(_ run: RunID, at: Int = 0) -> ServerEvent {
        .messageRestarted(
            MessageRestarted(conversation: conversation, message: answer, run: run, at: at)
        )
    }

    func delta(_ at: Int, _ text: String, run other: RunID? = nil) -> ServerEvent {
        .messageDelta(
            MessageDelta(
                conversation: conversation,
                message: answer,
                run: other ?? run,
                at: at,
                to: at + text.utf8.count,
                text: text
            )
        )
    }

    func growing(_ at: Int, _ text: String, run other: RunID? = nil) -> GrowingAnswer {
        GrowingAnswer(
            message: answer,
            run: other ?? run,
            at: at,
            to: at + text.utf8.count,
            text: text
        )
    }

    /// The end of the answer; `stored` is its stored text.
    func ended(
        _ n: Int64,
        stored: String,
        told: Bool = false,
        run other: RunID? = nil
    ) -> ServerEvent {
        .messageCompleted(
            MessageEnded(
                conversation: conversation,
                n: n,
                message: answer,
                run: other ?? run,
                to: stored.utf8.count,
                sha256: SHA256.digest(of: stored).hexadecimal,
                text: told ? stored : nil,
                usage: Usage(
                    promptTokens: 9,
                    cachedTokens: 0,
                    completionTokens: 3,
                    timeToFirstTokenMilliseconds: 12,
                    tokensPerSecond: 40
                ),
                finish: .stop
            )
        )
    }

    /// A view after event 1, the question, and event 2, the queued answer.
    func view() -> ConversationView {
        var view = ConversationView(conversation)
        _ = view.apply(
            snapshot(
                n: 2,
                [message(question, .user, "Tea?", state: .complete), message(answer)]
            )
        )
        return view
    }
}
