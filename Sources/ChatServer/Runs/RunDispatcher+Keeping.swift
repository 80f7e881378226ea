// Keeps the text of growing answers in the database, a few times a second for all of them at once, so
// that an answer whose node dies goes on from there.

import ChatProtocol
import ChatStore
import EventLoop
import Logging

extension RunDispatcher {
    /// When what grows is kept next, and whether that is going on.
    struct Keeping {
        /// When the next time is due; nil where nothing has grown.
        var due: ContinuousClock.Instant?
        var isRunning = false
        /// Whether something grew meanwhile that shall not wait.
        var isWanted = false
    }

    /// Notes that an answer has text that is not kept.
    func keepSoon(_ conversation: ConversationID) {
        let isHurried = isWatchedElsewhere(conversation)
        keep(after: isHurried ? configuration.hurriedKeepInterval : configuration.keepInterval)
    }

    private func keep(after pause: Duration) {
        let due = loop.now + pause
        if let earlier = keeping.due, earlier <= due { return }
        keeping.due = due
        _ = loop.schedule(after: pause) { [weak self] in
            guard let self, self.keeping.due == due else { return }
            self.keeping.due = nil
            self.loop.spawn { await self.keepTexts() }
        }
    }

    /// Keeps what has grown of all answers; one statement at a time.
    func keepTexts() async {
        guard !keeping.isRunning else {
            keeping.isWanted = true
            return
        }
        keeping.isRunning = true
        repeat {
            keeping.isWanted = false
            await keepOnce()
        } while keeping.isWanted
        keeping.isRunning = false
    }

    private func keepOnce() async {
        var parts: [AnswerPart] = []
        var engines: [MessageID: String] = [:]
        var counts: [UInt64: Int] = [:]
        for (id, run) in runs where !run.unkept.isEmpty {
            let taken = runs[id]?.unkept.take() ?? []
            parts += taken.map { run.claim.part($0) }
            engines[run.claim.message] = run.identity
            counts[id] = taken.count
        }
        guard !parts.isEmpty else { return }
        do {
            let held = try await store.keep(parts, engines: engines, node: configuration.node)
            for (id, count) in counts {
                // One that has ended meanwhile is in the database whole.
                guard let run = runs[id] else { continue }
                guard held.messages.contains(run.claim.message) else {
                    lose(run)
                    continue
                }
                runs[id]?.unkept.confirm(count)
                clearSuspect(run.claim.message)
            }
            obey(held.stops)
            let told = parts.filter { held.messages.contains($0.message) }
            onKept(Set(told.map(\.conversation)))
        } catch {
            // It is in memory; the pool has logged that the database is away.
            logger.debug("writing checkpoints failed", metadata: ["error": "\(error)"])
            keep(after: .seconds(1))
        }
    }

    /// Keeps the last of what has grown, for whoever goes on with it.
    func keepLast() async {
        await keepTexts()
        let deadline = loop.now + .seconds(2)
        while keeping.isRunning, loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(5)) } catch { return }
        }
    }

    // MARK: Wishes

    /// Ends the answers that somebody wants ended, who asked another node or before this run began.
    package func obeyStopWishes() async {
        guard let wishes = try? await store.stopWishes(node: configuration.node) else { return }
        obey(wishes)
    }

    func obey(_ wishes: [MessageID: StopWish]) {
        for (message, wish) in wishes { _ = stop(message, seen: wish.seen) }
    }

    // MARK: Suspects

    /// Whether an answer may begin now. One whose earlier tries ended without a word may be what ended
    /// its node: such begin one after the other, so that each ends no other's try.
    func mayBegin(_ claim: ClaimedRun) -> Bool {
        guard claim.attempt > 1, suspect != claim.message else { return true }
        guard suspect == nil else {
            waitingSuspects.append(claim)
            return false
        }
        suspect = claim.message
        return true
    }

    /// An answer got on, or is not made here any more: the next suspect may begin.
    func clearSuspect(_ message: MessageID) {
        waitingSuspects.removeAll { $0.message == message }
        guard suspect == message else { return }
        suspect = nil
        guard !waitingSuspects.isEmpty, let pool, !isReleasing else { return }
        let next = waitingSuspects.removeFirst()
        suspect = next.message
        loop.spawn { [self] in await begin(next, with: pool) }
    }
}

extension ClaimedRun {
    /// A part of its text, as the database keeps it.
    fileprivate func part(_ part: UnkeptText.Part) -> AnswerPart {
        AnswerPart(
            conversation: conversation,
            message: message,
            run: run,
            at: part.at,
            text: part.text,
            tokens: part.tokens
        )
    }
}
