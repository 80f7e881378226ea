// Stopped answers, queued answers, and answers that do not fit.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    /// Asks for stories until one is stopped while it runs: one takes a tenth of a second, which a
    /// busy machine may miss.
    /// - Parameters:
    ///   - peer: the asker.
    ///   - conversation: the conversation.
    ///   - request: makes the stop request, which is sent twice, for an answer with some text.
    /// - Returns: the answer, its text at that time, the states in the replies to the stop
    ///   requests, and the final text.
    /// - Throws: if none could be stopped.
    private func stopStory(
        _ peer: Peer,
        in conversation: ConversationID,
        request: (_ answer: MessageID, _ seen: String) -> GenerationStopRequest
    ) throws -> (answer: MessageID, seen: String, states: [MessageState], text: String) {
        var mirror = try peer.watch(conversation)
        for _ in 0..<8 {
            let answer = try peer.say("Tell me a long story.", in: conversation).answer.id
            try peer.follow(&mirror) { !$0.text(of: answer).isEmpty }
            let seen = mirror.text(of: answer)
            let states = try (0..<2).map { _ in
                try peer.call(
                    .generationStop,
                    request(answer, seen),
                    as: GenerationStopReply.self
                ).state
            }
            try peer.follow(&mirror, until: answer)
            guard mirror.state(of: answer) == .stopped else { continue }
            return (answer, seen, states, mirror.text(of: answer))
        }
        throw HarnessError("eight stories, and none was stopped")
    }

    @Test("an answer is stopped once, however often it is requested")
    func stopping() throws {
        let peer = try connect("fay")
        let conversation = try peer.createConversation()
        let (answer, _, states, text) = try stopStory(peer, in: conversation) { answer, _ in
            GenerationStopRequest(message: answer)
        }
        let request = GenerationStopRequest(message: answer)
        let third: GenerationStopReply = try peer.call(.generationStop, request)

        #expect(states[0] == .streaming)
        #expect([.streaming, .stopped].contains(states[1]))
        #expect(third.state == .stopped)
        let stored = try #require(peer.messages(of: conversation).last)
        #expect(stored.state == .stopped)
        #expect(stored.finish == .stopped)
        #expect(!stored.text.isEmpty)
        #expect(stored.text == text)
    }

    @Test("an answer ends at its reader's position")
    func stoppingWhereRead() throws {
        let peer = try connect("fay")
        let conversation = try peer.createConversation()
        let (_, seen, _, text) = try stopStory(peer, in: conversation) { answer, seen in
            GenerationStopRequest(message: answer, seen: seen.utf8.count)
        }
        #expect(text == seen)
        #expect(try peer.messages(of: conversation).last?.text == seen)
    }

    @Test("a queued answer can be stopped, and the one before it continues")
    func stoppingWhatWaits() throws {
        let peer = try connect("fay")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        // The last of them waits for all the others.
        let answers = try (0..<12).map { _ in
            try peer.say("Tell me a long story.", in: conversation).answer.id
        }
        let request = GenerationStopRequest(message: answers[11])
        let reply: GenerationStopReply = try peer.call(.generationStop, request)
        #expect(reply.state == .queued)
        for answer in answers { try peer.follow(&mirror, until: answer) }
        let states = answers.map { mirror.state(of: $0) }
        #expect(states.dropLast().allSatisfy { $0 == .complete })
        #expect(states[11] == .stopped)
    }

    @Test("a second message is queued behind the first one's answer")
    func waitingInOrder() throws {
        let peer = try connect("gus")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let texts = ["Tell me a long story.", "What is the capital of France?", "What is 2 + 3?"]
        let replies = try texts.map { try peer.say($0, in: conversation) }
        for (index, reply) in replies.enumerated() {
            try peer.follow(&mirror, until: reply.answer.id)
            for later in replies[(index + 1)...] {
                #expect(mirror.text(of: later.answer.id).isEmpty, "one grows at a time")
            }
        }
        #expect(mirror.order == replies.flatMap { [$0.message.id, $0.answer.id] })
        #expect(mirror.text(of: replies[1].answer.id).contains("Paris"))
        #expect(mirror.text(of: replies[2].answer.id).contains("5"))
        let stored = try peer.messages(of: conversation)
        #expect(stored.map(\.parent) == [nil] + stored.dropLast().map(\.id))
    }

    @Test("a history longer than the context is cut by whole messages, and reports that")
    func longHistory() throws {
        let peer = try connect("hal")
        let conversation = try peer.createConversation(
            settings: GenerationSettings(maxTokens: 16)
        )
        var mirror = try peer.watch(conversation)
        let filler = String(repeating: "I like cats and dogs and horses. ", count: 60)
        var dropped = 0
        for _ in 0..<8 where dropped == 0 {
            let answer = try peer.say(filler, in: conversation).answer.id
            try peer.follow(&mirror, until: answer)
            #expect(mirror.state(of: answer) == .complete)
            dropped = mirror.droppedMessages(of: answer) ?? 0
        }
        #expect(dropped > 0, "the demo model's context holds 2048 tokens")
        let last = try #require(peer.messages(of: conversation).last)
        #expect(last.droppedMessages == dropped)
        let usage = try #require(last.usage)
        #expect(usage.promptTokens <= 2048 - 16)
        let answer = try peer.ask("What is the capital of France?", in: conversation, &mirror)
        #expect(!answer.isEmpty)
    }

    @Test(
        "a message that alone is longer than the context is refused with its tokens, and not stored"
    )
    func tooLongForTheContext() throws {
        let peer = try connect("hal")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let text = String(repeating: "far too long ", count: 4000)
        func refused(_ body: () throws -> Void) throws -> String {
            do {
                try body()
                return "granted"
            } catch let error as WireError {
                #expect(error.code == .contextExceeded)
                return error.message
            }
        }
        let message = try refused { _ = try peer.say(text, in: conversation) }
        let count = try #require(message.firstMatch(of: /take (\d+) tokens.* room for (\d+):/))
        #expect(try #require(Int(count.1)) > 10_000 && count.2 == "1024", "\(message)")
        #expect(try peer.messages(of: conversation).isEmpty)
        // A short question is answered, but no edit of it may become too long.
        let question = try peer.say("What is 2 + 3?", in: conversation)
        try peer.follow(&mirror, until: question.answer.id)
        #expect(mirror.state(of: question.answer.id) == .complete)
        let edit = MessageEditRequest(
            conversation: conversation,
            key: "long",
            message: question.message.id,
            text: text
        )
        let ofEdit = try refused {
            _ = try peer.call(.messageEdit, edit, as: MessageSendReply.self)
        }
        #expect(ofEdit.contains("tokens"))
        let system = ConversationUpdateRequest(conversation: conversation, systemPrompt: text)
        _ = try peer.call(.conversationUpdate, system, as: ConversationReply.self)
        let again = MessageAgainRequest(
            conversation: conversation,
            key: "again",
            message: question.answer.id
        )
        let ofAnswer = try refused {
            _ = try peer.call(.messageRegenerate, again, as: MessageAnswerReply.self)
        }
        #expect(ofAnswer.contains("tokens"))
        #expect(try refused { _ = try peer.say("Hello", in: conversation) }.contains("tokens"))
        #expect(try peer.messages(of: conversation).count == 2)
        let brief = ConversationUpdateRequest(conversation: conversation, systemPrompt: "")
        _ = try peer.call(.conversationUpdate, brief, as: ConversationReply.self)
        #expect(try !peer.ask("What is 2 + 3?", in: conversation, &mirror).isEmpty)
    }
}
