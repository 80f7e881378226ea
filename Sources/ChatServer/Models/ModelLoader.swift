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
        /// What its weights take of memory.
        case measure(@Sendable () throws -> ModelFootprint)
        /// All but its adapter.
        case read(folder: String)
        /// Its adapter, for weights that are in memory.
        case adapt(folder: String, LoadedModel)
    }

    /// The result or progress of loading a model.
    enum Event: Sendable {
        case measured(String, ModelFootprint)
        case progress(String, Double)
        case loaded(String, LoadedModel)
        case adapted(String, LoadedAdapter)
        case failed(String, reason: ModelFailure)
    }

    private let load: Load
    private let receive: (Event) -> Void
    private var mailbox: Mailbox<Event>?
    private var waiting: [(name: String, work: Work)] = []
    /// The model that is measured or read.
    private var current: String?

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

    /// Whether a model is measured or read, or waits for that.
    func has(_ name: String) -> Bool {
        current == name || waiting.contains { $0.name == name }
    }

    /// Queues work on a model. An adapter does not wait for other weights, which take much longer.
    func add(_ name: String, _ work: Work) {
        if case .adapt = work {
            waiting.insert((name, work), at: 0)
        } else {
            waiting.append((name, work))
        }
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
        case .measured, .loaded, .adapted, .failed: current = nil
        }
        receive(event)
        loadNext()
    }

    private func loadNext() {
        guard current == nil, let mailbox, !waiting.isEmpty else { return }
        let (name, work) = waiting.removeFirst()
        current = name
        let load = load
        do throws(SystemError) {
            // The thread is detached: shutdown does not wait until a model is read.
            try detachThread(name: "loading") {
                do {
                    switch work {
                    case .measure(let measure):
                        mailbox.post(.measured(name, try measure()))
                    case .read(let folder):
                        let model = try load(folder) { _ = mailbox.post(.progress(name, $0)) }
                        mailbox.post(.loaded(name, model))
                    case .adapt(let folder, let model):
                        let adapter = try LoadedAdapter.load(folder: folder, for: model)
                        mailbox.post(.adapted(name, adapter))
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
