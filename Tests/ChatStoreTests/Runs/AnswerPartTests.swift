import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("Checkpoints of running answers")
struct AnswerPartTests {
    /// A question whose answer a node has claimed and started.
    private struct Scene {
        let store: Store
        let node = UUID()
        let user: User
        let conversation: Conversation
        let run: ClaimedRun
        let start: RunStart

        init(_ store: Store, lease: Duration = .seconds(60)) async throws {
            self.store = store
            user = try await store.someone()
            conversation = try await store.someConversation(of: user)
            _ = try await store.say("q", in: conversation, by: user)
            run = try #require(try await store.claimRun(node: node, lease: lease))
            start = try #require(try await store.runs.begin(run, node: node))
        }

        func part(
            _ at: Int,
            _ text: String,
            _ tokens: [Int32] = [1],
            of other: ClaimedRun? = nil
        ) -> AnswerPart {
            AnswerPart(
                conversation: conversation.id,
                message: run.message,
                run: (other ?? run).run,
                at: at,
                text: text,
                tokens: tokens
            )
        }

        @discardableResult
        func keep(_ parts: [AnswerPart], by other: UUID? = nil) async throws -> HeldRuns {
            try await store.runs.storeCheckpoints(
                parts,
                engines: [run.message: "hash"],
                node: other ?? node
            )
        }

        /// As if the node had died: another one claims the run and starts it.
        func takeOver() async throws -> (run: ClaimedRun, node: UUID, start: RunStart) {
            _ = try await store.queue.renewLeases(
                of: [run.message],
                node: node,
                lease: .seconds(-1)
            )
            let other = UUID()
            let next = try #require(try await store.claimRun(node: other, lease: .seconds(60)))
            let start = try #require(try await store.runs.begin(next, node: other))
            return (next, other, start)
        }

        func stored() async throws -> StoredAnswer? {
            try await store.runs.storedAnswers(in: conversation.id).first
        }
    }

    @Test("have the probabilities of tokens that a request wants, which last until the answer does")
    func answerTokens() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            func token(_ at: Int, _ byte: UInt8) -> AnswerToken {
                let rated = AnswerToken.Rated(bytes: [byte, 0xFF], logprob: -0.1)
                return AnswerToken(at: at, token: rated, top: [rated, rated])
            }
            func stored(
                _ message: MessageID? = nil,
                from start: Int = 0
            ) async throws -> [AnswerToken] {
                try await store.runs.answerTokens(
                    of: message ?? scene.run.message,
                    in: scene.conversation.id,
                    from: start
                )
            }
            let tokens = [token(0, 1), token(0, 2), token(3, 0)]
            var first = scene.part(0, "abc")
            first.answerTokens = Array(tokens[..<2])
            var second = scene.part(3, "d")
            second.answerTokens = [tokens[2]]
            try await scene.keep([first, second, scene.part(4, "e")])
            #expect(try await stored() == tokens)
            #expect(try await stored(from: 1) == [tokens[2]])
            #expect(try await stored(from: 4).isEmpty)
            let next = try await scene.takeOver()
            #expect(next.start.answerTokens == tokens)
            #expect(try await stored() == tokens)
            let outcome = RunOutcome(
                text: "abcde",
                state: .complete,
                finish: .stop,
                answerTokens: tokens + [token(4, 7)]
            )
            #expect(try await store.runs.finish(next.run, outcome) != nil)
            #expect(try await stored() == tokens + [token(4, 7)])
            #expect(try await stored(from: 3) == [tokens[2], token(4, 7)])
        }
    }

    @Test("are stored in parts, and read from a reader's position")
    func reading() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            #expect((scene.start.attempts, scene.start.tries) == (1, 1))
            #expect(!scene.start.isTakeover)
            #expect(try await scene.stored()?.text == "")
            let held = try await scene.keep([scene.part(0, "Grün", [1, -2, .max])])
            #expect(held.messages == [scene.run.message])
            try await scene.keep([scene.part(5, " tea"), scene.part(9, "!")])
            // The acknowledgement was lost, so it is stored again.
            try await scene.keep([scene.part(9, "!")])
            #expect(try await scene.stored()?.text == "Grün tea!")
            #expect(try await scene.stored()?.base == nil)
            let new = try await store.runs.parts(after: [scene.run.run: 5, .make(): 0])
            #expect(new.map(\.text) == [" tea", "!"])
            #expect(new.map(\.end) == [9, 10])
            #expect(try await store.runs.parts(after: [scene.run.run: 10]).isEmpty)
        }
    }

    @Test("are passed to the run that takes over, with the tokens that led to them")
    func takingOver() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            try await scene.keep([
                scene.part(0, "Grün", [1, -2, .max]), scene.part(5, " tea", [7]),
            ])
            let next = try await scene.takeOver()
            #expect(next.start.isTakeover)
            #expect(next.start.text == "Grün tea")
            #expect(next.start.tokens == [1, -2, .max, 7])
            #expect(next.start.engine == "hash")
            // It made progress before it died: that is not a failed attempt.
            #expect((next.start.attempts, next.start.tries) == (1, 2))
            #expect(try await scene.stored()?.base == 9)
            #expect(try await scene.stored()?.run == next.run.run)
            #expect(
                try await store.runs.parts(after: [next.run.run: 0]).map(\.text).joined()
                    == "Grün tea"
            )
        }
    }

    @Test("are accepted neither from a run that was taken over nor from a node without the lease")
    func fencing() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            #expect(try await scene.keep([scene.part(0, "a")], by: UUID()).messages.isEmpty)
            let next = try await scene.takeOver()
            // The first node was alive after all.
            #expect(try await scene.keep([scene.part(0, "a")]).messages.isEmpty)
            #expect(try await scene.keep([scene.part(0, "a")], by: next.node).messages.isEmpty)
            let taken = try await scene.keep([scene.part(0, "b", of: next.run)], by: next.node)
            #expect(taken.messages == [scene.run.message])
            #expect(try await scene.stored()?.text == "b")
            #expect(try await store.runs.finish(scene.run, Self.done) == nil)
            #expect(try await store.runs.finish(next.run, Self.done) != nil)
        }
    }

    @Test("are deleted by a run that starts again, and when the answer ends")
    func forgetting() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            try await scene.keep([scene.part(0, "Green tea")])
            let next = try await scene.takeOver()
            try await store.runs.beginAnew(next.run, at: 0)
            #expect(try await scene.stored()?.text == "")
            #expect(try await scene.stored()?.base == 0)
            try await scene.keep([scene.part(0, "Black", of: next.run)], by: next.node)
            #expect(try await scene.stored()?.text == "Black")
            _ = try await store.runs.finish(next.run, Self.done)
            #expect(try await scene.stored() == nil)
            #expect(try await store.runs.parts(after: [next.run.run: 0]).isEmpty)
        }
    }

    @Test("an answer that was claimed but not started ends with the previous run's text")
    func claimedButNotBegun() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store, lease: .seconds(-1))
            let claim = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            #expect(claim.run != scene.run.run)
            let event = try await store.runs.finish(scene.run, Self.done)
            guard case .messageCompleted(let ended)? = event else {
                Issue.record("it did not end")
                return
            }
            #expect(ended.run == scene.run.run)
            #expect(try await store.runs.begin(claim, node: UUID()) == nil)
        }
    }

    @Test("attempts without progress are counted, and those with progress are not")
    func attempts() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let second = try await scene.takeOver()
            #expect((second.start.attempts, second.start.tries) == (2, 2))
            try await scene.keep([scene.part(0, "a", of: second.run)], by: second.node)
            _ = try await store.queue.renewLeases(
                of: [scene.run.message],
                node: second.node,
                lease: .seconds(-1)
            )
            let third = try await scene.takeOver()
            #expect((third.start.attempts, third.start.tries) == (1, 3))
            // An orderly release does not count as a failed attempt.
            try await store.queue.releaseLeases(node: third.node)
            let fourth = try await scene.takeOver()
            #expect(fourth.start.attempts == 1)
        }
    }

    @Test("the first stop request is persisted for the node that runs the answer")
    func stopRequests() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let message = scene.run.message
            #expect(try await store.queue.stopRequests(node: scene.node).isEmpty)
            #expect(try await store.queue.requestStop(message, seen: 4))
            #expect(try await store.queue.requestStop(message, seen: nil))
            let request = [message: StopRequest(seen: 4)]
            #expect(try await store.queue.stopRequests(node: scene.node) == request)
            #expect(try await scene.keep([scene.part(0, "Green")]).stops == request)
            let renewed = try await store.queue.renewLeases(
                of: [message],
                node: scene.node,
                lease: .seconds(60)
            )
            #expect(renewed.stops == request)
            let next = try await scene.takeOver()
            #expect(next.start.stop == StopRequest(seen: 4))
            _ = try await store.runs.finish(next.run, Self.done)
            #expect(try await store.queue.requestStop(message, seen: nil) == false)
        }
    }

    @Test("an answer that is stopped while no node runs it keeps its text, as far as it was read")
    func stoppedBetween() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            try await scene.keep([scene.part(0, "Grün"), scene.part(5, " tea")])
            try await store.queue.releaseLeases(node: scene.node)
            let event = try await store.runs.stopWaiting(
                scene.run.message,
                in: scene.conversation.id,
                seen: 7
            )
            #expect(event?.name == .messageStopped)
            let page = try await store.messages.page(
                of: scene.conversation.id,
                before: nil,
                limit: 5,
                for: scene.user.id
            )
            #expect(page.messages.last?.text == "Grün t")
        }
    }

    private static let done = RunOutcome(text: "done", state: .complete, finish: .stop)
}
