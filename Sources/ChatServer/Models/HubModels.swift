// Models from the hub, in the cache that it shares with other tools.

package import ChatProtocol
package import EventLoop
import ModelHub

/// The hub that the environment configures.
package struct HubModels: ModelSource, Sendable {
    /// Maximum length of a name, as in the table of models.
    private static let nameBytesMax = 200

    let configuration: Result<HubConfiguration, HubError>

    /// - Parameters:
    ///   - environment: HF_ENDPOINT, HF_HOME, HF_TOKEN and related variables, as for the hub's
    ///     tools.
    ///   - dataDirectory: contains the cache if the user has no home directory.
    package init(environment: [String: String], dataDirectory: String) {
        var environment = environment
        let places = ["HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME"]
        if places.allSatisfy({ (environment[$0] ?? "").isEmpty }) {
            environment["HF_HUB_CACHE"] = "\(dataDirectory)/models/hub"
        }
        let variables = environment
        configuration = Result { () throws(HubError) in
            try HubConfiguration(environment: variables)
        }
    }

    package var shortNames: [String] { ModelName.registry.keys.sorted() }

    package func fullName(of text: String) throws(WireError) -> String {
        let name: String
        do throws(HubError) { name = try PullTarget(text).description } catch {
            throw WireError(.badRequest, "\(error)")
        }
        guard name.utf8.count <= Self.nameBytesMax else {
            throw WireError(.badRequest, "the name has more than \(Self.nameBytesMax) bytes")
        }
        return name
    }

    package func folder(of name: String, revision: String) -> String? {
        guard let target = try? PullTarget(name), let configuration = try? configuration.get()
        else { return nil }
        return ModelCache(configuration).path(of: target, revision: revision)
    }

    package func fetch(
        _ name: String,
        revision: String,
        on loop: EventLoop,
        receive: @escaping (FetchEvent) -> Void
    ) -> any RunningFetch {
        let configuration = configuration
        return HubFetch(loop: loop, receive) { hubLoop, report throws(HubError) in
            let model = try PullTarget(name)
            let pull = try ModelPull(loop: hubLoop, configuration: try configuration.get()) {
                report(FetchProgress($0))
            }
            return try await pull.run(model, revision: revision)
        }
    }
}

/// A download on a loop of its own, so that its speed does not affect chats.
private final class HubFetch: RunningFetch {
    typealias Work =
        @Sendable (
            EventLoop, @escaping (FetchProgress) -> Void
        ) async throws(HubError) -> String

    private enum Message: Sendable {
        case began(LoopTask)
        case event(FetchEvent)
    }

    private let receive: (FetchEvent) -> Void
    private var task: LoopTask?
    private var isCancelled = false

    init(
        loop: EventLoop,
        _ receive: @escaping (FetchEvent) -> Void,
        _ work: @escaping Work
    ) {
        self.receive = receive
        // Progress is reported about ten times a second.
        let mailbox = loop.mailbox(capacity: 1 << 16) { [weak self] (messages: [Message]) in
            for message in messages { self?.take(message) }
        }
        do throws(SystemError) {
            _ = try EventLoop.launch(name: "hub") { hubLoop in
                let task = hubLoop.spawn {
                    let end: FetchEvent
                    do throws(HubError) {
                        let folder = try await work(hubLoop) { progress in
                            mailbox.post(.event(.progress(progress)))
                        }
                        end = .done(folder: folder)
                    } catch .cancelled {
                        end = .cancelled
                    } catch {
                        end = .failed(reason: ModelFailure(error))
                    }
                    mailbox.post(.event(end))
                    hubLoop.stop()
                }
                mailbox.post(.began(task))
            }
        } catch {
            mailbox.post(.event(.failed(reason: .noThread("\(error)"))))
        }
    }

    func cancel() {
        isCancelled = true
        task?.cancel()
    }

    private func take(_ message: Message) {
        switch message {
        case .began(let task):
            self.task = task
            if isCancelled { task.cancel() }
        case .event(let event):
            receive(event)
        }
    }
}

extension FetchProgress {
    /// A download's figures for clients.
    fileprivate init(_ progress: PullProgress) {
        let note = FetchNote.note(of: progress.phase)
        self.init(
            doneBytes: progress.bytesDone,
            totalBytes: progress.bytesTotal,
            bytesPerSecond: progress.bytesPerSecond,
            secondsLeft: progress.secondsLeft,
            note: note?.sentence,
            noteCode: note?.code
        )
    }
}
