// Loads models while the server runs: one at a time, each on a thread of its own, since loading
// waits for the disk and nothing else may wait for that.

import EventLoop
import Inference

/// Loads models. Lives on its loop.
final class ModelLoader {
    /// Loads a model's folder on the calling thread, and reports progress from 0 to 1.
    typealias Load = @Sendable (String, (Double) -> Void) throws -> LoadedModel

    /// The result or progress of loading a model.
    enum Event: Sendable {
        case progress(String, Double)
        case loaded(String, LoadedModel, LoadedAdapter?)
        case failed(String, reason: ModelFailure)
    }

    private let load: Load
    private let known: (String) -> LoadedModel?
    private let receive: (Event) -> Void
    private var mailbox: Mailbox<Event>?
    private var waiting: [(name: String, files: ModelFiles)] = []
    private var isBusy = false

    /// - Parameters:
    ///   - loop: the loop on which `receive` is called.
    ///   - load: loads a folder.
    ///   - known: the model in a folder if it is in memory.
    ///   - receive: receives the events.
    init(
        loop: EventLoop,
        load: @escaping Load,
        known: @escaping (String) -> LoadedModel?,
        receive: @escaping (Event) -> Void
    ) {
        self.load = load
        self.known = known
        self.receive = receive
        // Progress is reported once per file part: some hundreds per model.
        mailbox = loop.mailbox(capacity: 1 << 16) { [weak self] events in
            for event in events { self?.take(event) }
        }
    }

    /// Queues a model for loading: its weights if they are not in memory, and its adapter.
    func add(_ name: String, files: ModelFiles) {
        waiting.append((name, files))
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
        case .loaded, .failed: isBusy = false
        }
        receive(event)
        loadNext()
    }

    private func loadNext() {
        guard !isBusy, let mailbox, !waiting.isEmpty else { return }
        isBusy = true
        let (name, files) = waiting.removeFirst()
        let load = load
        let known = known(files.folder)
        do throws(SystemError) {
            // The thread is detached: shutdown does not wait until a model is read.
            try detachThread(name: "loading") {
                do {
                    let model =
                        try known
                        ?? load(files.folder) { _ = mailbox.post(.progress(name, $0)) }
                    let adapter = try files.adapter.map { folder in
                        try LoadedAdapter.load(folder: folder, for: model)
                    }
                    mailbox.post(.loaded(name, model, adapter))
                } catch {
                    mailbox.post(.failed(name, reason: .notLoaded("\(error)")))
                }
            }
        } catch {
            take(.failed(name, reason: .noThread("\(error)")))
        }
    }
}
