// Sends model changes to clients: a new state at once, progress a few times a second.

import ChatProtocol
import EventLoop
import Logging

/// Sends changes of the pool's models to all connections, and wakes the runs that wait for them.
package final class ModelNews {
    private let loop: EventLoop
    private let hub: ConversationHub
    private let pool: EnginePool
    private let dispatcher: RunDispatcher
    private let logger: Logger
    /// Models whose progress has not been sent yet.
    private var due: Set<String> = []

    /// How long progress updates are merged.
    private let mergeInterval: Duration = .milliseconds(250)

    /// - Parameters:
    ///   - pool: the pool whose changes are sent.
    ///   - dispatcher: runs the answers that may wait for a model.
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
            send(name)
            // Its answers can start now, or fail with the reason.
            dispatcher.wake()
            dispatcher.finishUnloading()
        case .standing:
            send(name)
            // Answers of models that are not here are the new default's.
            dispatcher.wake()
        case .progress:
            let isFirst = due.isEmpty
            due.insert(name)
            guard isFirst else { return }
            _ = loop.schedule(after: mergeInterval) { [weak self] in self?.sendDue() }
        }
    }

    private func sendDue() {
        for name in due { send(name) }
        due = []
        dispatcher.positions.broadcast()
    }

    private func send(_ name: String) {
        hub.broadcastToAll { isAdministrator in
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
        case .unloading?: logger.info("unloading model", metadata: ["model": "\(name)"])
        case .unloaded?: logger.info("model unloaded", metadata: ["model": "\(name)"])
        case .standby?: logger.info("model in standby", metadata: ["model": "\(name)"])
        case .leaving?:
            logger.info("another model needs its memory", metadata: ["model": "\(name)"])
        case .failed(let reason)?:
            logger.error(
                "model unavailable",
                metadata: ["model": "\(name)", "reason": "\(reason)"]
            )
        case nil: break
        }
    }
}
