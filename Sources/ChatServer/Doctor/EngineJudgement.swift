// Checks models against the machine's resources.

import Inference
import ModelHub

/// A model that the server would load.
package struct ModelFacts: Hashable {
    /// Its name for clients.
    package var name: String
    /// Its folder; nil for the demo model, which is inside the program.
    package var folder: String?
    /// The model that it changes; nil for a model that is not another one with an adapter.
    package var base: String?
    /// What is wrong with it; nil if it can be used.
    package var problem: DoctorFinding?
    /// Whether administrators unloaded it: it takes no memory, and need not be usable.
    package var isUnloaded = false
    /// Size of its weights, or of its adapter's matrices, in bytes.
    package var weightBytes: Int64 = 0
    /// Size of the buffers of a pass and of the tokenizer, in bytes.
    package var bufferBytes: Int64 = 0
    /// Size of the KV cache for an answer of full length, in bytes.
    package var cacheBytes: Int64 = 0

    /// A model without problems.
    package init(name: String, folder: String?, problem: DoctorFinding? = nil) {
        self.name = name
        self.folder = folder
        self.problem = problem
    }
}

/// The machine's resources for models.
package struct MachineFacts: Hashable {
    /// The kernels in use: "avx2-int8", "scalar"; the fastest if STOA_KERNELS names an unavailable
    /// one.
    package var kernels: String
    /// The value of the environment variable STOA_KERNELS.
    package var forcedKernels: String?
    /// The processor's architecture, as in uname(2).
    package var architecture: String
    /// Number of cores.
    package var coreCount: Int
    /// Memory available to a process, in bytes; nil if unknown.
    package var memoryBytes: Int64?

    /// A machine with a number of cores.
    package init(
        kernels: String,
        forcedKernels: String? = nil,
        architecture: String,
        coreCount: Int,
        memoryBytes: Int64? = nil
    ) {
        self.kernels = kernels
        self.forcedKernels = forcedKernels
        self.architecture = architecture
        self.coreCount = coreCount
        self.memoryBytes = memoryBytes
    }
}

/// Checks models and the resources to run them.
package enum EngineJudgement {
    /// Memory needed besides the models: for two concurrent password hashes, and the server itself.
    private static let otherBytes: Int64 = 640 << 20

    /// Checks the models and the machine for a server with these settings.
    package static func checks(
        _ models: [ModelFacts],
        _ machine: MachineFacts,
        settings: ServerSettings
    ) -> [DoctorCheck] {
        var checks = models.map(model)
        let models = loaded(models)
        checks.append(processor(machine))
        checks.append(threads(machine, settings))
        if let memory = machine.memoryBytes {
            checks.append(self.memory(models, memory, settings))
        }
        return checks
    }

    /// The models whose weights are in memory for them or for one of their adapters. The matrices of
    /// all adapters count with the weights.
    private static func loaded(_ models: [ModelFacts]) -> [ModelFacts] {
        models.filter { $0.base == nil }.compactMap { model in
            let adapters = models.filter { $0.base == model.name }
            guard ([model] + adapters).contains(where: { !$0.isUnloaded }) else { return nil }
            var model = model
            model.weightBytes += adapters.reduce(0) { $0 + $1.weightBytes }
            return model
        }
    }

    private static func model(_ facts: ModelFacts) -> DoctorCheck {
        if facts.isUnloaded {
            return .ok(.engine, "model", .known(.unloadedModel, ["name": facts.name]))
        }
        if let problem = facts.problem {
            return .failure(
                .engine,
                "model",
                problem,
                do: facts.base == nil ? .fetchModel : .otherAdapter
            )
        }
        guard let folder = facts.folder else { return .ok(.engine, "model", .known(.demoModel)) }
        let size = "\(ByteCount(Int(facts.weightBytes)))"
        return .ok(
            .engine,
            "model",
            .known(.modelSize, ["name": facts.name, "size": size, "folder": folder])
        )
    }

    private static func processor(_ machine: MachineFacts) -> DoctorCheck {
        let names = ["kernels": machine.kernels, "architecture": machine.architecture]
        let found = DoctorFinding.known(.kernels, names)
        if let forced = machine.forcedKernels, forced != machine.kernels {
            return .failure(
                .engine,
                "processor",
                .known(.missingKernels, ["kernels": forced]),
                do: .badKernels,
                ["kernels": found.sentence]
            )
        }
        guard machine.kernels.hasPrefix("scalar") else { return .ok(.engine, "processor", found) }
        let advice: DoctorAdvice =
            machine.forcedKernels == nil
            ? .slowProcessor
            : .slowKernels
        return .warning(.engine, "processor", found, do: advice)
    }

    private static func threads(_ machine: MachineFacts, _ settings: ServerSettings) -> DoctorCheck
    {
        let count =
            settings.threadCount == 0
            ? EngineConfiguration.threads(onProcessors: machine.coreCount) : settings.threadCount
        let found = DoctorFinding.known(
            .threadCount,
            ["cores": "\(machine.coreCount)", "threads": "\(count)"]
        )
        guard settings.threadCount > machine.coreCount else {
            return .ok(.engine, "threads", found)
        }
        return .warning(
            .engine,
            "threads",
            found,
            do: .fewerThreads
        )
    }

    private static func memory(
        _ models: [ModelFacts],
        _ memory: Int64,
        _ settings: ServerSettings
    ) -> DoctorCheck {
        let weights = models.reduce(0) { $0 + $1.weightBytes }
        // Each model has this limit, and at least what its longest answer needs.
        let limit = Int64(settings.keyValueMebibytes(of: memory)) << 20
        let caches = models.reduce(0) { $0 + max($1.cacheBytes, limit) }
        let needed = weights + caches + otherBytes
        let found = DoctorFinding.known(
            .memoryUse,
            [
                "memory": "\(ByteCount(Int(memory)))", "weights": "\(ByteCount(Int(weights)))",
                "caches": "\(ByteCount(Int(caches)))", "rest": "\(ByteCount(Int(otherBytes)))",
            ]
        )
        let least = models.map { $0.weightBytes + $0.bufferBytes + $0.cacheBytes }
        let most = Int64(settings.modelMemoryBytes(of: memory))
        if let largest = least.max(), largest > most {
            return .failure(.engine, "memory", found, do: .modelLimit)
        }
        if least.reduce(0, +) > most {
            return .warning(.engine, "memory", found, do: .modelTurns)
        }
        // Under a limit that is larger than the machine.
        if weights + otherBytes > memory {
            return .failure(
                .engine,
                "memory",
                found,
                do: .smallerModel
            )
        }
        if needed > memory / 10 * 9 {
            return .warning(
                .engine,
                "memory",
                found,
                do: .lessCache
            )
        }
        return .ok(.engine, "memory", found)
    }
}
