// Loading, unloading and the default model, and remote engines, for administrators. What they choose is in the database:
// every node on it applies it to the models that it has, now and at each start.

import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop
package import Logging

/// Applies administrators' choices of models. Lives on its loop.
package final class ModelAdministration {
    /// Interval of reading the choices, for nodes that miss a notification.
    private static let pause = Duration.seconds(30)

    /// The engines on other machines.
    let engines: RemoteEngineRegistry?
    private let pool: EnginePool
    private let store: Store
    private let nodes: NodeLink
    private let loop: EventLoop
    private let logger: Logger
    /// Number of reads so far, and the last of them that was applied: an older one that returns after
    /// it is dropped.
    private var readCount = 0
    private var appliedRead = 0

    /// - Parameters:
    ///   - pool: has the models.
    ///   - engines: the engines on other machines; nil if there cannot be any.
    ///   - store: has the choices.
    ///   - nodes: tells other nodes about changes.
    ///   - loop: the loop on which this object lives.
    ///   - logger: logs failures.
    package init(
        pool: EnginePool,
        engines: RemoteEngineRegistry? = nil,
        store: Store,
        nodes: NodeLink,
        loop: EventLoop,
        logger: Logger
    ) {
        self.pool = pool
        self.engines = engines
        self.store = store
        self.nodes = nodes
        self.loop = loop
        self.logger = logger
    }

    /// Starts to apply choices that are made on other nodes.
    package func start() {
        nodes.modelsChanged = { [weak self, loop] in
            loop.spawn { await self?.refresh() }
        }
        nodes.enginesLeft = { [weak self, loop] in
            loop.spawn {
                await self?.refresh()
                self?.engines?.leaveRemoved()
            }
        }
        poll()
    }

    private func poll() {
        _ = loop.schedule(after: Self.pause) { [weak self, loop] in
            loop.spawn { await self?.refresh() }
            self?.poll()
        }
    }

    // MARK: Requests

    /// Loads a model on all nodes that have it; acknowledged after the commit.
    /// - Throws: `WireError` if it is not known, or its files are not here; `PostgresError`.
    package func load(_ name: String, by user: User) async throws {
        try requireFiles(of: name)
        try await store.models.setLoaded(true, name, by: user)
        await changed()
        // A new attempt, as the files may have been repaired.
        if case .failed? = pool.board[name] { pool.reload(name) }
    }

    /// Unloads a model on all nodes; acknowledged after the commit. Its running answers finish
    /// first, and its conversations are answered by the default model.
    /// - Throws: `WireError` if it is not known, or is the default; `PostgresError`.
    package func unload(_ name: String, by user: User) async throws {
        try requireFiles(of: name)
        guard name != pool.board.defaultName else {
            throw WireError.defaultModelStaysLoaded(name)
        }
        try await store.models.setLoaded(false, name, by: user)
        await changed()
    }

    /// Makes a model the default of all nodes that have it; acknowledged after the commit.
    /// - Throws: `WireError` if it is not known, or not loaded; `PostgresError`.
    package func makeDefault(_ name: String, by user: User) async throws {
        switch pool.board[name] {
        case .loading?, .ready?, .standby?, .leaving?: break
        case .unloading?, .unloaded?, .failed?:
            throw WireError(.conflict, "\(name) is not loaded: load it first")
        case .fetching?:
            throw WireError(.conflict, "\(name) is being pulled: try again when it is loaded")
        case nil: throw Self.unknown(name)
        }
        try await store.models.setDefault(name, by: user)
        await changed()
    }

    private func requireFiles(of name: String) throws(WireError) {
        switch pool.board[name] {
        case nil: throw Self.unknown(name)
        case .fetching?:
            throw WireError(
                .conflict,
                "\(name) is being pulled: it is loaded when that is done; model.pull.cancel ends it"
            )
        case .loading?, .ready?, .unloading?, .unloaded?, .standby?, .leaving?, .failed?:
            guard !pool.isRemote(name) else {
                throw WireError(
                    .conflict,
                    "\(name) is on other machines: it is neither loaded nor unloaded here"
                )
            }
            guard pool.hasFolder(name) else {
                throw WireError(.conflict, "the files of \(name) are not here: pull it again")
            }
        }
    }

    private static func unknown(_ name: String) -> WireError {
        WireError(.notFound, "there is no model “\(name)”: model.list shows those that exist")
    }

    // MARK: Choices

    private func changed() async {
        await refresh()
        notify()
    }

    /// Tells other nodes that choices or engines have changed.
    func notify() { nodes.bus.send(.models(sender: nodes.bus.node)) }

    /// Tells other nodes that engines were removed, which running answers leave at once. A node that
    /// misses it gives them some time.
    func notifyLeaving() {
        // Nodes of an earlier version know only this one.
        notify()
        nodes.bus.send(.engines(sender: nodes.bus.node))
    }

    /// Reads the choices, and applies them. Afterwards those that were made before are applied.
    private func refresh() async {
        readCount += 1
        let read = readCount
        do {
            let choices = try await store.models.choices()
            guard read > appliedRead else { return }
            appliedRead = read
            pool.choose(choices)
            try await engines?.refresh()
        } catch {
            // The next poll tries again.
            logger.debug("reading models and engines failed", metadata: ["error": "\(error)"])
        }
    }
}
