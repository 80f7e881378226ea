// Tells clients of models that change: another state at once, progress a few times a second.

import ChatProtocol
import EventLoop
import Logging

/// Says what the pool's models are doing to all connections, and to those who wait for an answer.
package final class ModelNews {
    private let loop: EventLoop
    private let hub: ConversationHub
    private let pool: EnginePool
    private let dispatcher: RunDispatcher
    private let logger: Logger
    /// Models whose progress was not told yet.
    private var due: Set<String> = []

    /// How long progress is gathered.
    private let mergeInterval: Duration = .milliseconds(250)

    /// - Parameters:
    ///   - pool: whose changes are told.
    ///   - dispatcher: makes the answers that may wait for them.
    package init(pool: EnginePool, dispatcher: RunDispatcher) {
        loop = dispatcher.loop
        hub = dispatcher.hub
        logger = dispatcher.logger
        self.pool = pool
        self.dispatcher = dispatcher
        pool.onChange = { [weak self] name, change in self?.changed(name, change) }
    }

    private func changed(_ name: String, _ change: ModelBoard.Change) {
        switch change {
        case .none: break
        case .state:
            log(name)
            due.remove(name)
            tell(name)
            // Its answers may begin now, or end with the reason why they cannot.
            dispatcher.wake()
        case .progress:
            let isFirst = due.isEmpty
            due.insert(name)
            guard isFirst else { return }
            _ = loop.schedule(after: mergeInterval) { [weak self] in self?.tellDue() }
        }
    }

    private func tellDue() {
        for name in due { tell(name) }
        due = []
        dispatcher.tellPlaces()
    }

    private func tell(_ name: String) {
        hub.tellAll { isAdministrator in
            guard let model = pool.board.model(name, isAdministrator: isAdministrator) else {
                return .modelRemoved(ModelRemoved(name: name))
            }
            return .modelChanged(ModelChanged(model: model))
        }
    }

    private func log(_ name: String) {
        switch pool.board[name] {
        case .fetching?: logger.info("pulling model", metadata: ["model": "\(name)"])
        case .loading?: logger.info("loading model", metadata: ["model": "\(name)"])
        case .ready?: logger.info("model ready", metadata: ["model": "\(name)"])
        case .failed(let reason)?:
            logger.error(
                "model unavailable",
                metadata: ["model": "\(name)", "reason": "\(reason)"]
            )
        case nil: break
        }
    }
}
