// Loads models while the server runs: one at a time, each on a thread of its own, since loading
// waits for the disk and nothing else may wait for that.

import EventLoop
import Inference

/// Loads models. Lives on its loop.
final class ModelLoader {
    /// Loads a model's folder on the calling thread, and reports progress from 0 to 1.
    typealias Load = @Sendable (String, (Double) -> Void) throws -> LoadedModel

    /// What is read of a model.
    enum Work: Sendable {
        /// What it takes of memory.
        case measure(folder: String, EnginePool.Memory.Measure)
        /// All of it.
        case read(folder: String)
    }

    /// The result or progress of loading a model.
    enum Event: Sendable {
        case measured(String, ModelFootprint)
        case progress(String, Double)
        case loaded(String, LoadedModel)
        case failed(String, reason: ModelFailure)
    }

    private let load: Load
    private let receive: (Event) -> Void
    private var mailbox: Mailbox<Event>?
    private var waiting: [(name: String, work: Work)] = []
    private var isBusy = false

    /// - Parameters:
    ///   - loop: the loop on which `receive` is called.
    ///   - load: loads a folder.
    ///   - receive: receives the events.
    init(loop: EventLoop, load: @escaping Load, receive: @escaping (Event) -> Void) {
        self.load = load
        self.receive = receive
        // Progress is reported once per file part: some hundreds per model.
        mailbox = loop.mailbox(capacity: 1 << 16) { [weak self] events in
            for event in events { self?.take(event) }
        }
    }

    /// Whether a model is measured next.
    var isMeasuring: Bool {
        waiting.contains { if case .measure = $0.work { true } else { false } }
    }

    /// Queues work on a model.
    func add(_ name: String, _ work: Work) {
        waiting.append((name, work))
        loadNext()
    }

    /// Removes a model that waits for its turn.
    /// - Returns: false if it is being read, or is not known.
    func cancel(_ name: String) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.name == name }) else { return false }
        waiting.remove(at: index)
        return true
    }

    private func take(_ event: Event) {
        switch event {
        case .progress: break
        case .measured, .loaded, .failed: isBusy = false
        }
        receive(event)
        loadNext()
    }

    private func loadNext() {
        guard !isBusy, let mailbox, !waiting.isEmpty else { return }
        isBusy = true
        let (name, work) = waiting.removeFirst()
        let load = load
        do throws(SystemError) {
            // The thread is detached: shutdown does not wait until a model is read.
            try detachThread(name: "loading") {
                do {
                    switch work {
                    case .measure(let folder, let measure):
                        mailbox.post(.measured(name, try measure(folder)))
                    case .read(let folder):
                        let model = try load(folder) { _ = mailbox.post(.progress(name, $0)) }
                        mailbox.post(.loaded(name, model))
                    }
                } catch {
                    mailbox.post(.failed(name, reason: .notLoaded("\(error)")))
                }
            }
        } catch {
            take(.failed(name, reason: .noThread("\(error)")))
        }
    }
}
