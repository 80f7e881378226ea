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
            return
        }
        placesAreDue = true
        placesHaveChanged = false
        computePlaces()
        for place in places.values where place.position <= Self.tellingCountMax { tell(place) }
        _ = loop.schedule(after: Self.tellingPause) { [weak self] in
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
        for (message, answer) in mirror.queue.running where !ending.contains(message) {
            // Another node's slots are those that it is seen to use.
            if !claims.contains(message) { slots += 1 }
            occupied.append(StartEstimate.Occupied(answer: answer, seconds: remaining(answer)))
        }
        let all = estimate.places(in: mirror.queue, occupied: occupied, slots: slots) {
            models.allows($0.model)
        }
        places = Dictionary(uniqueKeysWithValues: all.map { ($0.answer.message, $0) })
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

    // MARK: What engines tell

    /// Notes how far an answer is, and learns from those that are done.
    func note(_ event: TokenEvent) {
        guard let message = runs[event.id]?.claim.message else { return }
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            if let chosen = chosenAt.removeValue(forKey: message) {
                estimate.learn(turnaround: (loop.now - chosen).seconds)
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
