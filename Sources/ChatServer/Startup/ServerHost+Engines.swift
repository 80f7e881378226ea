// The engines of a server: compute threads, memory and pages that they share, and the models that
// they start with.

import ChatStore
import EventLoop
import Inference
import Logging
import PhiModel

extension ServerHost {
    /// The remote engines of the settings, to which those in the database are added.
    private func remoteEngines(_ models: StartupModels, _ pool: EnginePool) -> RemoteEngineRegistry
    {
        RemoteEngineRegistry(
            settings.remoteEngines,
            models.remote,
            environment: models.environment,
            pool: pool,
            store: server.store,
            loop: loop,
            workers: workers,
            logger: logger
        )
    }

    /// Opens the folder of KV cache pages; nil if none are to be stored, or it cannot be used.
    static func openPages(_ settings: ServerSettings, _ logger: Logger) -> PageStore? {
        let folder = settings.keyValueFolder
        guard settings.keyValueDiskMebibytes > 0 else {
            PageStore.removeFolder(folder) { logger.warning("\($0)") }
            return nil
        }
        do throws(PageStoreError) {
            return try PageStore(
                folder: folder,
                byteLimit: settings.keyValueDiskMebibytes << 20
            ) { logger.warning("\($0)") }
        } catch {
            logger.warning(
                "KV cache pages are kept in memory only",
                metadata: ["folder": "\(folder)", "error": "\(error)"]
            )
            return nil
        }
    }

    /// Creates the pool of engines, and registers the models.
    func startEngines(
        _ models: StartupModels,
        _ source: HubModels,
        _ choices: ModelChoices,
        _ makeEngine: EnginePool.MakeEngine?
    ) throws {
        let configuration = try EngineConfiguration(
            slots: settings.slotCount,
            threads: settings.computeThreadCount,
            keyValueMebibytes: settings.keyValueMebibytes(of: EngineProbe.memory()),
            speculates: settings.speculation == .on,
            ropeRule: settings.ropeRule
        )
        let dispatcher = server.dispatcher
        let keyValueBits = settings.keyValueBits
        let pages = server.pages
        let pool = EnginePool(
            loop: loop,
            slots: configuration.slots,
            contextLimit: configuration.contextLimit,
            memory: makeEngine == nil ? memory(for: configuration) : nil,
            threads: makeEngine == nil ? threads : nil,
            thinkingLimits: Dictionary(
                uniqueKeysWithValues: settings.modelThinking.map { ($0.name, $0.tokensMax) }
            ),
            makeEngine: makeEngine ?? { [logger, threads] model, cacheMebibytes, sink in
                let model = model.keeping(keyValueBits)
                logger.info(
                    "starting engine",
                    metadata: [
                        "kernels": "\(model.model.kernelName)",
                        "threads": "\(threads.count)",
                        "slots": "\(configuration.slots)",
                    ]
                )
                return try Engine(
                    model: model,
                    configuration: try configuration.with(
                        keyValueMebibytes: cacheMebibytes ?? configuration.keyValueMebibytes
                    ),
                    threads: threads,
                    pages: pages,
                    sink: sink
                )
            },
            receive: { dispatcher.receive($0) }
        )
        news = ModelNews(pool: pool, dispatcher: dispatcher)
        server.caches.pool = pool
        dispatcher.start(pool)
        // Registered, not loaded: which of them are wanted is known with the downloaded ones.
        pool.choose(choices)
        for folder in models.folders { pool.register(folder.name, in: folder.path) }
        if let demo = models.demo { pool.register(demo.folder.name, in: demo.folder.path) }
        for (folder, base) in models.adapters {
            pool.register(folder.name, adapter: folder.path, of: base)
        }
        if let (folder, model) = models.demo, pool.board.isWanted(folder.name) {
            try pool.addMeasured(model, as: folder.name)
        }
        server.modelAdministration = ModelAdministration(
            pool: pool,
            engines: remoteEngines(models, pool),
            store: server.store,
            nodes: server.nodes,
            loop: loop,
            logger: logger
        )
        server.pulls = ModelPulls(
            pool: pool,
            source: source,
            store: server.store,
            workers: workers,
            loop: loop,
            logger: logger
        )
    }

    /// The memory of the models under the limit of the settings.
    private func memory(for configuration: EngineConfiguration) -> EnginePool.Memory {
        let keyValueBits = settings.keyValueBits
        return EnginePool.Memory(
            ModelMemory(
                limitBytes: settings.modelMemoryBytes(of: EngineProbe.memory()),
                cacheMebibytes: configuration.keyValueMebibytes
            )
        ) { folder in
            try ModelFootprint(folder: folder, configuration: configuration, keeping: keyValueBits)
        }
    }
}
