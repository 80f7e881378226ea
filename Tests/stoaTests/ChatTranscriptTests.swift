// How a conversation is printed, in a terminal and in a pipe.

import ChatClient
import ChatProtocol
import Digests
import Testing
import stoa

@Suite("A conversation on the screen")
struct ChatTranscriptTests {
    let conversation = ConversationID.make()
    let ada = User(id: .make(), name: "ada")
    let grace = User(id: .make(), name: "grace")
    let answer = MessageID.make()
    let run = RunID.make()
    let time = Timestamp(milliseconds: 0)

    private func message(
        _ id: MessageID,
        _ author: User?,
        _ text: String,
        _ state: MessageState = .complete
    ) -> Message {
        Message(
            id: id,
            conversation: conversation,
            parent: nil,
            role: author == nil ? .assistant : .user,
            author: author,
            text: text,
            state: state,
            createdAt: time
        )
    }

    private func view(_ list: [Message]) -> ConversationView {
        // Each is the child of the one before.
        var messages = list
        for index in messages.indices.dropFirst() {
            messages[index].parent = messages[index - 1].id
        }
        var view = ConversationView(conversation)
        let all = Conversation(
            id: conversation,
            title: "Te\u{1B}[31ma",
            systemPrompt: "",
            model: "demo",
            role: .owner,
            members: [Member(user: ada, role: .owner)],
            settings: GenerationSettings(),
            n: 1,
            createdAt: time,
            updatedAt: time
        )
        _ = view.apply(
            ConversationWatchReply(
                n: 1,
                snapshot: ConversationSnapshot(conversation: all, messages: messages, more: false),
                growing: []
            )
        )
        return view
    }

    private func created(_ n: Int64, _ message: Message) -> ServerEvent {
        .messageCreated(MessageCreated(conversation: conversation, n: n, message: message))
    }

    private func delta(_ at: Int, _ text: String) -> ServerEvent {
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

    private func ended(_ n: Int64, _ text: String) -> ServerEvent {
        .messageCompleted(
            MessageEnded(
                conversation: conversation,
                n: n,
                message: answer,
                run: run,
                to: text.utf8.count,
                sha256: SHA256.digest(of: text).hexadecimal,
                usage: Usage(
                    promptTokens: 1,
                    cachedTokens: 0,
                    completionTokens: 7,
                    timeToFirstTokenMilliseconds: 12.4,
                    tokensPerSecond: 33.33
                ),
                finish: .stop
            )
        )
    }

    /// Applies events one by one and returns the output.
    private func play(
        _ events: [ServerEvent],
        from messages: [Message] = [],
        isTerminal: Bool,
        said: [String] = []
    ) -> String {
        var transcript = ChatTranscript(user: ada.id, isTerminal: isTerminal)
        for text in said { transcript.expect(text) }
        var view = view(messages)
        var written = transcript.show([.reloaded], of: view)
        for event in events {
            let changes = view.apply(event.following(view.messages.last?.id))
            written += transcript.show(changes, of: view)
        }
        return written.replacing("\r\u{1B}[K", with: "").replacing("> ", with: "")
    }

    @Test("a terminal shows all members' messages, the running answer and its speed")
    func terminal() {
        let written = play(
            [
                created(2, message(.make(), ada, "Tea?")),
                created(3, message(answer, nil, "", .queued)),
                delta(0, "Gre"), delta(3, "en\u{1B}]0;x"), delta(10, "y\u{7}."),
                created(4, message(.make(), grace, "And\u{9B}31m cake?")),
                delta(13, " Hot."), ended(5, "Green\u{1B}]0;xy\u{7}. Hot."),
            ],
            from: [message(.make(), grace, "Hello")],
            isTerminal: true,
            said: ["Tea?"]
        )
        #expect(
            written == """
                — Tea (ada) —
                grace: Hello
                phi: Green. Hot.
                (7 tokens, 33.3 tokens/s, first after 12 ms)
                grace: And cake?

                """
        )
    }

    @Test("a pipe gets only answers, and old messages are not repeated")
    func pipe() {
        let written = play(
            [
                created(2, message(.make(), ada, "Tea?")),
                created(3, message(answer, nil, "", .queued)),
                delta(0, "Green"), ended(4, "Green"),
            ],
            from: [message(.make(), grace, "Hello"), message(.make(), nil, "Hi")],
            isTerminal: false,
            said: ["Tea?"]
        )
        #expect(written == "Green\n")
    }

    @Test("messages that the user sent on another device are shown")
    func elsewhere() {
        let written = play(
            [created(2, message(.make(), ada, "Tea?"))],
            isTerminal: false,
            said: ["Coffee?"]
        )
        #expect(written == "ada: Tea?\n")
    }

    @Test("an answer that restarts is printed again")
    func restart() {
        let restarted = MessageRestarted(
            conversation: conversation,
            message: answer,
            run: .make(),
            at: 0
        )
        let written = play(
            [
                created(2, message(answer, nil, "", .queued)), delta(0, "Gre"),
                .messageRestarted(restarted),
            ],
            isTerminal: true
        )
        #expect(written.hasSuffix("phi: Gre\n(the answer restarts)\nphi: "))
    }

    @Test("the prompt is printed below all other output")
    func prompt() {
        var transcript = ChatTranscript(user: ada.id, isTerminal: true)
        let text = transcript.show([.reloaded], of: view([]))
        #expect(text.hasPrefix("\r\u{1B}[K— Tea"))
        #expect(text.hasSuffix("\n> "))
        #expect(transcript.note("Done.") == "\r\u{1B}[KDone.\n> ")
    }

    @Test("another branch is printed from where it differs from the one on the screen")
    func branches() {
        let (question, other, reply) = (MessageID.make(), MessageID.make(), MessageID.make())
        var edited = message(other, ada, "Coffee?")
        edited.siblings = [question, other]
        var events = [created(2, edited)]
        var late = message(reply, nil, "", .queued)
        late.parent = other
        events.append(created(3, late))
        for (isTerminal, expected) in [
            (true, "(version 2 of 2)\nada: Coffee?\n"), (false, "ada: Coffee?\n"),
        ] {
            var transcript = ChatTranscript(user: ada.id, isTerminal: isTerminal)
            var view = view([message(question, ada, "Tea?"), message(answer, nil, "Green.")])
            _ = transcript.show([.reloaded], of: view)
            var written = ""
            for event in events { written += transcript.show(view.apply(event), of: view) }
            written = written.replacing("\r\u{1B}[K", with: "").replacing("> ", with: "")
            #expect(written == expected)
            // Back to the first branch: printed again in a terminal, not in a pipe.
            let back = transcript.show(view.select(question), of: view)
            #expect(back.contains("(version 1 of 2)") == isTerminal)
            #expect(back.contains("Green.") == isTerminal)
            // Changes on hidden branches are not printed.
            #expect(transcript.show([.queued(reply, position: 3, eta: nil)], of: view).isEmpty)
        }
    }
}

extension ServerEvent {
    /// The same event with another parent for its message.
    fileprivate func following(_ parent: MessageID?) -> ServerEvent {
        guard case .messageCreated(var created) = self else { return self }
        created.message.parent = parent
        return .messageCreated(created)
    }
}
