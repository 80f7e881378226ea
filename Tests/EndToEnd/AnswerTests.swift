// Answers that are stopped, that wait, and that don't fit.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    @Test("an answer is stopped once, however often one asks")
    func stopping() throws {
        let peer = try connect("fay")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let answer = try peer.say("Tell me a long story.", in: conversation).answer.id
        try peer.follow(&mirror) { !$0.text(of: answer).isEmpty }
        let request = GenerationStopRequest(message: answer)
        let first: GenerationStopReply = try peer.call(.generationStop, request)
        let second: GenerationStopReply = try peer.call(.generationStop, request)
        try peer.follow(&mirror, until: answer)
        let third: GenerationStopReply = try peer.call(.generationStop, request)

        #expect(first.state == .streaming)
        #expect([.streaming, .stopped].contains(second.state))
        #expect(third.state == .stopped)
        let stored = try #require(peer.messages(of: conversation).last)
        #expect(stored.state == .stopped)
        #expect(stored.finish == .stopped)
        #expect(!stored.text.isEmpty)
        #expect(stored.text == mirror.text(of: answer))
    }

    @Test("an answer ends where its reader had got to")
    func stoppingWhereRead() throws {
        let peer = try connect("fay")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let answer = try peer.say("Tell me a long story.", in: conversation).answer.id
        try peer.follow(&mirror) { !$0.text(of: answer).isEmpty }
        let seen = mirror.text(of: answer)
        let request = GenerationStopRequest(message: answer, seen: seen.utf8.count)
        _ = try peer.call(.generationStop, request, as: GenerationStopReply.self)
        try peer.follow(&mirror, until: answer)
        #expect(mirror.text(of: answer) == seen)
        #expect(try peer.messages(of: conversation).last?.text == seen)
    }

    @Test("an answer that waits can be stopped, and the one before it goes on")
    func stoppingWhatWaits() throws {
        let peer = try connect("fay")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let first = try peer.say("Tell me a long story.", in: conversation).answer.id
        let second = try peer.say("Tell me a long story.", in: conversation).answer.id
        let request = GenerationStopRequest(message: second)
        _ = try peer.call(.generationStop, request, as: GenerationStopReply.self)
        try peer.follow(&mirror, until: first)
        try peer.follow(&mirror, until: second)
        #expect(mirror.state(of: first) == .complete)
        #expect(mirror.state(of: second) == .stopped)
    }

    @Test("a second message waits its turn behind the first one's answer")
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

    @Test("a history longer than the context is cut by whole messages, and says so")
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

    @Test("a message that alone is longer than the context fails with a clear error")
    func tooLongForTheContext() throws {
        let peer = try connect("hal")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let text = String(repeating: "far too long ", count: 4000)
        let answer = try peer.say(text, in: conversation).answer.id
        try peer.follow(&mirror, until: answer)
        #expect(mirror.state(of: answer) == .failed)
        let stored = try #require(peer.messages(of: conversation).last)
        #expect(stored.error?.code == .contextExceeded)
        #expect(stored.error?.message.contains("tokens") == true, "\(stored.error?.message ?? "")")
        // The conversation is not lost: the failed turn is as good as unsaid.
        #expect(try !peer.ask("What is 2 + 3?", in: conversation, &mirror).isEmpty)
    }
}
