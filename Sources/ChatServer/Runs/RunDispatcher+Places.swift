// What those who wait are told: their place, and when it will be their turn; and once a second that
// something works.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference

extension RunDispatcher {
    /// Places are told at most so often.
    private static let tellingPause = Duration.milliseconds(250)
    /// Who waits, and whose answer is at work in silence, is looked at so often: so nobody is without
    /// an event for a second.
    private static let pulsePause = Duration.milliseconds(450)
    /// The most that are told of their places at a time.
    private static let tellingCountMax = 2000

    // MARK: Places

    /// Tells those who wait how many are before them and how long it will take; at most four times a
    /// second.
    func tellPlaces() {
        guard !placesAreDue else {
            placesHaveChanged = true
            return
        }
        guard !mirror.queue.waiting.isEmpty else {
            places = [:]
            firstPlaces = firstPlaces.filter { claims.contains($0.key) }
            return
        }
        placesAreDue = true
        placesHaveChanged = false
        let begin = ContinuousClock.now
        computePlaces()
        for place in places.values where place.position <= Self.tellingCountMax { tell(place) }
        tellingSpan = ContinuousClock.now - begin
        placesToldAt = loop.now
        // A very long queue is told of less often: never more than a twentieth of the time.
        _ = loop.schedule(after: max(Self.tellingPause, tellingSpan * 20)) { [weak self] in
            guard let self else { return }
            self.placesAreDue = false
            if self.placesHaveChanged { self.tellPlaces() }
        }
    }

    private func tell(_ place: QueuePlace) {
        hub.tell(
            .messageQueued(
                MessageQueued(
                    conversation: place.answer.conversation,
                    message: place.answer.message,
                    position: place.position,
                    eta: place.seconds.map { ($0 * 100).rounded() / 100 },
                    model: pool?.awaited(by: place.answer.model)
                )
            ),
            in: place.answer.conversation
        )
    }

    private func computePlaces() {
        let models = pool?.board.claimable ?? .only([])
        var occupied: [StartEstimate.Occupied] = []
        var slots = pool?.slots ?? 1
        let freed = ending.union(stopping)
        for (message, answer) in mirror.queue.running where !freed.contains(message) {
            // Another node's slots are those that it is seen to use.
            if !claims.contains(message) { slots += 1 }
            occupied.append(StartEstimate.Occupied(answer: answer, seconds: remaining(answer)))
        }
        let all = estimate.places(in: mirror.queue, occupied: occupied, slots: slots) {
            models.allows($0.model)
        }
        places = Dictionary(uniqueKeysWithValues: all.map { ($0.answer.message, $0) })
        firstPlaces = firstPlaces.filter { places[$0.key] != nil || claims.contains($0.key) }
        for place in all where place.seconds != nil && firstPlaces[place.answer.message] == nil {
            firstPlaces[place.answer.message] = (place, loop.now)
        }
    }

    /// Seconds until the slot of an answer in the making is free.
    private func remaining(_ answer: QueuedAnswer) -> Double {
        guard let progress = progress[answer.message] else {
            // It is being prepared, or another node makes it: in the mean it is half done there.
            let whole = estimate.duration(
                promptTokens: answer.promptTokens,
                answerTokens: answer.answerTokens
            )
            return claims.contains(answer.message) ? whole : whole / 2
        }
        return estimate.remaining(
            user: answer.user,
            atMost: configuration.maxTokens,
            unread: progress.promptTokens - progress.read,
            written: progress.written
        )
    }

    /// Whether there is room again for a user's answers, and when: when the first of theirs, or of
    /// anybody's where they have none, has ended.
    /// - Returns: seconds from 1 on; nil where nothing is known.
    func secondsUntilRoom(for user: UserID) -> Double? {
        guard estimate.isKnown else { return nil }
        let running = mirror.queue.running.values
        let own = running.filter { $0.user == user }
        let ends = (own.isEmpty ? Array(running) : own).map { remaining($0) }
        guard let first = ends.min() else { return nil }
        return max(1, first.rounded(.up))
    }

    /// How many answers wait or are being made, as far as this node knows.
    var queueCount: Int { mirror.queue.waiting.count + mirror.queue.running.count }

    // MARK: The pulse

    /// Says that something works, where no other event says so.
    func pulse() {
        _ = loop.schedule(after: Self.pulsePause) { [weak self] in
            guard let self, !self.isReleasing else { return }
            for message in self.claims where !self.ending.contains(message) {
                self.tellProgress(of: message)
            }
            if !self.mirror.queue.waiting.isEmpty,
                self.loop.now - self.placesToldAt > Self.pulsePause
            {
                self.tellPlaces()
            }
            self.pulse()
        }
    }

    private func tellProgress(of message: MessageID) {
        guard let answer = mirror.queue.running[message] else { return }
        let known = progress[message]
        // While its prompt is built nobody knows yet how long that is.
        guard known.map({ loop.now - $0.heardAt > Self.pulsePause }) ?? true else { return }
        hub.tell(
            .messageProgress(
                MessageProgress(
                    conversation: answer.conversation,
                    message: message,
                    done: known?.read ?? 0,
                    total: known?.promptTokens ?? answer.promptTokens
                )
            ),
            in: answer.conversation
        )
    }

    // MARK: What engines tell

    /// Notes how far an answer is, and learns from those that are done.
    func note(_ event: TokenEvent) {
        guard let message = runs[event.id]?.claim.message else { return }
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            if let chosen = chosenAt.removeValue(forKey: message) {
                estimate.learn(turnaround: (loop.now - chosen).seconds)
            }
            if let (place, at) = firstPlaces.removeValue(forKey: message) {
                estimate.learn(
                    simulated: place.simulatedSeconds ?? 0,
                    came: (loop.now - at).seconds,
                    isBehindOwn: place.isBehindOwn
                )
            }
            progress[message] = RunProgress(
                promptTokens: promptTokens,
                read: cachedTokens,
                heardAt: loop.now
            )
        case .progress(_, let done, _):
            progress[message]?.read = done
            progress[message]?.heardAt = loop.now
        case .text(_, _, let tokens):
            if let total = progress[message]?.promptTokens { progress[message]?.read = total }
            progress[message]?.written += tokens.count
            progress[message]?.heardAt = loop.now
        case .finished(_, let completion):
            progress[message] = nil
            learn(from: completion, message)
        case .failed:
            progress[message] = nil
        }
    }

    private func learn(from completion: Completion, _ message: MessageID) {
        guard let answer = mirror.queue.running[message] else { return }
        let tokens = completion.completionTokens
        let writeSeconds = completion.tokensPerSecond.map { Double(tokens - 1) / $0 }
        estimate.learn(
            StartEstimate.Measured(
                expectedPromptTokens: answer.promptTokens,
                promptTokens: completion.promptTokens - completion.cachedTokens,
                answerTokens: completion.finish == .stopped ? 0 : tokens,
                readSeconds: completion.timeToFirstToken?.seconds,
                writeSeconds: writeSeconds ?? 0
            ),
            of: answer.user
        )
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
