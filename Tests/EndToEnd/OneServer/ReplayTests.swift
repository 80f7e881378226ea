// The input of a model: receipts have the engine's own counts, and the prompt is reconstructed from
// the database alone, byte for byte.

import ChatProtocol
import HTTPProtocol
import TestSupport
import Testing

/// The parts of a stored receipt that these tests check.
private struct StoredReceipt: Decodable {
    struct Entry: Decodable {
        let message: MessageID?
        let tokens: Int
    }
    struct LeftOut: Decodable {
        let first: MessageID?
        let last: MessageID?
        let count: Int
    }
    struct Run: Decodable {
        struct Prompt: Decodable {
            let tokens: Int
            let cached: Int
        }
        let prompt: Prompt
    }

    let version: Int
    let policy: ContextPolicy
    let system_prompt: SystemPromptVersion?
    let entries: [Entry]
    let scaffold_tokens: Int
    let prompt_tokens: Int
    let cached_tokens: Int
    let left_out: LeftOut?
    let run: Run
}

extension EndToEnd.OneServer {
    private func receipt(
        of answer: MessageID,
        in conversation: ConversationID,
        for user: String
    ) throws -> StoredReceipt {
        let token = try #require(SharedServer.tokens[user])
        let answer = try SharedServer.server().get(
            "/api/v1/conversations/\(conversation)/messages/\(answer)/receipt",
            headers: [.authorization: "Bearer \(token)"]
        )
        return try answer.decode(as: StoredReceipt.self)
    }

    private func update(_ peer: Peer, _ request: ConversationUpdateRequest) throws -> Conversation {
        try peer.call(.conversationUpdate, request, as: ConversationReply.self).conversation
    }

    private static let words = ["cats <|end|> ", "mélange ", "\n\n", "7 "]
    private static let prompts = [nil, "", "Be brief. 🙂"]

    @Test("a receipt has the engine's counts, and names each message of the branch")
    func counts() throws {
        var generator = SeededGenerator(seed: 4)
        let peer = try connect("gus")
        for _ in 0..<4 {
            let conversation = try peer.createConversation(
                systemPrompt: Self.prompts.randomElement(using: &generator) ?? nil,
                settings: GenerationSettings(maxTokens: 8)
            )
            var mirror = try peer.watch(conversation)
            for _ in 0..<8 {
                let words = Int.random(in: 20...150, using: &generator)
                let word = Self.words.randomElement(using: &generator) ?? ""
                let text = "Hello " + String(repeating: word, count: words)
                let answer = try peer.say(text, in: conversation).answer.id
                try peer.follow(&mirror, until: answer)
                let messages = try peer.messages(of: conversation)
                let usage = try #require(messages.last?.usage)
                let receipt = try receipt(of: answer, in: conversation, for: "gus")
                #expect(receipt.version == 4)
                let sum = receipt.entries.reduce(receipt.scaffold_tokens) { $0 + $1.tokens }
                #expect(sum == usage.promptTokens)
                #expect(receipt.prompt_tokens == usage.promptTokens)
                #expect(receipt.run.prompt.tokens == usage.promptTokens)
                #expect(receipt.cached_tokens == usage.cachedTokens)
                let before = messages.dropLast().filter { !$0.text.isEmpty }.map(\.id)
                let sent = receipt.entries.compactMap(\.message)
                #expect(Array(before.suffix(sent.count)) == sent)
                let leftOut = before.dropLast(sent.count)
                #expect(receipt.left_out?.count ?? 0 == leftOut.count)
                #expect(receipt.left_out?.first == leftOut.first)
                #expect(receipt.left_out?.last == leftOut.last)
            }
        }
    }

    @Test("a prompt is reconstructed from the database, after a restart and prompt changes")
    func rebuilding() throws {
        let server = try SharedServer.server()
        let answers: [MessageID]
        do {
            let peer = try connect("gus")
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            func ask(_ text: String) throws -> MessageID {
                let answer = try peer.say(text, in: conversation).answer.id
                try peer.follow(&mirror, until: answer)
                return answer
            }
            let first = try ask("My favourite colour is teal. <|end|>")
            _ = try update(peer, .init(conversation: conversation, systemPrompt: "Be brief."))
            let second = try ask("What is my favourite colour?")
            _ = try update(peer, .init(conversation: conversation, usesServerPrompt: true))
            answers = [first, second, try ask("Thanks!")]
            let versions = try answers.map {
                try receipt(of: $0, in: conversation, for: "gus").system_prompt
            }
            #expect(versions.map(\.?.scope) == [.server, .conversation, .server])
        }
        #expect(try server.stop() == .exited(0))
        // First without a server, then beside it.
        func replay(_ answer: MessageID, _ options: [String] = []) throws -> String {
            let (end, output, errors) = try server.command(
                ["replay", "\(answer)"] + options + ["--data-dir", server.dataDirectory]
            )
            #expect(end == .exited(0), "\(errors)")
            #expect(options == ["--run"] || errors.contains("the same prompt"), "\(errors)")
            return output
        }
        let text = try replay(answers[1])
        let start = "<|system|>\nBe brief.<|end|>\n<|user|>\nMy favourite colour is teal. <|end|>"
        #expect(text.hasPrefix("\(start)<|end|>\n"), "\(text)")
        let end = "<|user|>\nWhat is my favourite colour?<|end|>\n<|assistant|>\n"
        #expect(text.hasSuffix(end), "\(text)")
        try server.start()
        let first = "<|system|>\nYou are a helpful assistant.<|end|>\n"
        #expect(try replay(answers[0]).hasPrefix(first))
        let ids = try replay(answers[2], ["--format", "ids"])
        #expect(ids.split(separator: " ").allSatisfy { Int($0.filter { $0 != "\n" }) != nil })
        #expect(try replay(answers[2], ["--run"]).hasPrefix("the same "))

        let wrong = try server.command(
            ["replay", "\(MessageID.make())", "--data-dir", server.dataDirectory]
        )
        #expect(wrong.end == .exited(65))
        #expect(wrong.errors.contains("no message"), "\(wrong.errors)")
        let malformed = try server.command(["replay", "x", "--data-dir", server.dataDirectory])
        #expect(malformed.end == .exited(64))
    }

    @Test("the policy `refuse` stores no turn that is too long, and the error says how long it is")
    func refusing() throws {
        let peer = try connect("hal")
        let conversation = try peer.createConversation(settings: GenerationSettings(maxTokens: 8))
        let changed = try update(peer, .init(conversation: conversation, contextPolicy: .refuse))
        #expect(changed.contextPolicy == .refuse)
        var mirror = try peer.watch(conversation)
        let filler = String(repeating: "I like cats and dogs and horses. ", count: 60)
        var error: WireError?
        var count = 0
        for _ in 0..<8 where error == nil {
            do {
                let answer = try peer.say(filler, in: conversation).answer.id
                try peer.follow(&mirror, until: answer)
                #expect(mirror.state(of: answer) == .complete)
                count += 2
            } catch let refusal as WireError {
                error = refusal
            }
        }
        #expect(error?.code == .contextExceeded)
        #expect(error?.message.contains("the answer the model has room for 2040") == true)
        #expect(try peer.messages(of: conversation).count == count)
        // When the oldest turns are dropped, the question is answered.
        _ = try update(peer, .init(conversation: conversation, contextPolicy: .dropOldest))
        let answer = try peer.say("What is the capital of France?", in: conversation).answer.id
        try peer.follow(&mirror, until: answer)
        #expect(mirror.state(of: answer) == .complete)
    }
}
