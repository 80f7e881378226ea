// An answer whose server crashes resumes from its checkpoint; one that crashes its server is given
// up, without affecting others.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.Failures {
    /// Each test has a server of its own to kill.
    @Suite("Crashes during an answer")
    struct WhenAnAnswersServerDies {
        private static let question = "Tell me a long story."
        /// A prompt that takes a second to read.
        private static let long = String(
            repeating: "The long winter night is quiet. ",
            count: 120
        )

        private func server(lease: Int) throws -> (StoaServer, token: String) {
            // Without vector instructions the model takes seconds for a story, not a tenth of one:
            // checkpoints are written a few times a second, and a kill must happen during the text.
            let server = try StoaServer(
                ["--lease-seconds", "\(lease)", "--threads", "1"],
                environment: ["STOA_KERNELS": "scalar"]
            )
            try server.addUser("ada")
            return (server, try server.signIn("ada"))
        }

        /// Where a receipt says that its run resumed.
        private struct Receipt: Decodable {
            struct Place: Decodable { let bytes: Int }
            let attempts: Int
            let place: Place?

            enum CodingKeys: String, CodingKey {
                case attempts
                case place = "continued_at"
            }
        }

        private func receipt(
            _ server: StoaServer,
            _ token: String,
            _ conversation: ConversationID,
            _ answer: MessageID
        ) throws -> Receipt {
            try server.get(
                "/api/v1/conversations/\(conversation)/messages/\(answer)/receipt",
                headers: [.authorization: "Bearer \(token)"]
            ).decode(as: Receipt.self)
        }

        @Test(
            "the answer resumes from its checkpoint, and ends as it would have",
            arguments: ["by itself", "before a stop string"]
        )
        func resumes(ends: String) throws {
            let (server, token) = try server(lease: 3)
            var peer = try server.connect(token)
            let undisturbed = try peer.createConversation()
            var whole = try peer.watch(undisturbed)
            var expected = try peer.ask(Self.question, in: undisturbed, &whole)
            var settings = GenerationSettings()
            if ends == "before a stop string" {
                let stop = String(expected.suffix(expected.count / 9))
                settings.stop = ["never said", stop]
                let start = try #require(expected.firstRange(of: stop)).lowerBound
                expected = String(expected[..<start])
            }
            // A kill may still come before the first checkpoint.
            for ninths in 3..<9 {
                let conversation = try peer.createConversation(settings: settings)
                var mirror = try peer.watch(conversation)
                let answer = try peer.say(Self.question, in: conversation).answer.id
                try peer.follow(&mirror) {
                    $0.text(of: answer).utf8.count > expected.utf8.count * ninths / 9
                        || $0.state(of: answer)?.isFinal == true
                }
                try server.kill()
                try server.start()
                peer = try server.connect(token)
                // A subscriber who joins before the takeover sees the checkpoint.
                let late = try server.connect(token)
                var lateMirror = try late.watch(conversation)
                try peer.watchAgain(conversation, &mirror)
                try peer.follow(&mirror, until: answer)
                try late.follow(&lateMirror, until: answer)
                #expect(mirror.text(of: answer) == expected)
                #expect(lateMirror.text(of: answer) == expected)
                let receipt = try receipt(server, token, conversation, answer)
                guard let place = receipt.place, place.bytes > 0 else { continue }
                #expect(receipt.attempts == 2)
                return
            }
            Issue.record("six answers, and no text of them was kept")
        }

        @Test("an answer that crashes the server three times fails, and no other does")
        func repeatedCrashes() throws {
            let (server, token) = try server(lease: 5)
            var peer = try server.connect(token)
            let neighbours = try peer.createConversation()
            let neighbour = try peer.say(Self.question, in: neighbours).answer.id
            // A kill may come too late: then the test repeats.
            var error: WireError?
            for _ in 0..<3 where error == nil { error = try crashRepeatedly(server, token, &peer) }
            #expect(error?.message.contains("give up on this answer") == true)

            var spared = try peer.watch(neighbours)
            try peer.follow(&spared, until: neighbour)
            #expect(spared.state(of: neighbour) == .complete)
            #expect(try !peer.ask("Who are you?", in: neighbours, &spared).isEmpty)
        }

        /// Asks a question with a prompt that takes a while to read, and kills the server three
        /// times meanwhile.
        /// - Returns: why the answer failed; nil if a checkpoint had text before a kill.
        private func crashRepeatedly(
            _ server: StoaServer,
            _ token: String,
            _ peer: inout Peer
        ) throws -> WireError? {
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let answer = try peer.say(Self.long, in: conversation).answer.id
            var runs: Set<RunID> = []
            for _ in 0..<3 {
                guard try peer.seesReading(of: answer, &mirror, besides: &runs) else { return nil }
                try server.kill()
                try server.start()
                peer = try server.connect(token)
                mirror = try peer.watch(conversation)
            }
            guard mirror.text(of: answer).isEmpty else { return nil }
            try peer.follow(&mirror, until: answer)
            if mirror.state(of: answer) == .complete {
                // A checkpoint may have tokens whose text is held back: that kill, too, came too
                // late.
                let receipt = try receipt(server, token, conversation, answer)
                #expect(receipt.place != nil, "complete in run \(receipt.attempts)")
                return nil
            }
            #expect(mirror.state(of: answer) == .failed)
            return try peer.messages(of: conversation).last?.error
        }
    }
}

extension Peer {
    /// Applies events until a new run has read a part of an answer's prompt. Other nodes are told of
    /// a run's progress by the database, which also tells them of a dead node's.
    /// - Parameters:
    ///   - answer: the answer.
    ///   - mirror: the conversation.
    ///   - runs: the earlier runs; the new one is added.
    /// - Returns: false if text or the end comes first.
    /// - Throws: `HarnessError`.
    fileprivate func seesReading(
        of answer: MessageID,
        _ mirror: inout Mirror,
        besides runs: inout Set<RunID>
    ) throws -> Bool {
        var isNew = false
        while mirror.text(of: answer).isEmpty, mirror.state(of: answer)?.isFinal != true {
            let event = try nextEvent()
            if case .messageStarted(let body) = event, body.message == answer,
                runs.insert(body.run).inserted
            {
                isNew = true
            }
            if case .messageProgress(let body) = event, body.message == answer, body.done > 0,
                isNew
            {
                return true
            }
            try mirror.take(event)
        }
        return false
    }
}
