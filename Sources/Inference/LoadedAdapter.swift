// Adapters beside a loaded model.

public import Checkpoints
import Digests
public import PhiModel

/// An adapter that requests of one loaded model may use. Cheap to copy.
public struct LoadedAdapter: Sendable {
    /// Its matrices, in memory of the process.
    public let adapter: Adapter
    /// Its identity in receipts.
    public let identity: AdapterIdentity

    /// Loads the adapter in `folder` for `model`, and reads all of it.
    /// - Parameters:
    ///   - folder: has adapter_config.json, and adapters.safetensors of mlx-lm or
    ///     adapter_model.safetensors of PEFT. It is not used afterwards.
    ///   - model: the model that it is for.
    /// - Returns: the adapter.
    /// - Throws: `.modelMissing` if a file cannot be read, `.modelDamaged` if one is damaged or the
    ///   adapter is not one of this model, `.modelUnsupported` for another kind of adapter.
    public static func load(
        folder: String,
        for model: LoadedModel
    ) throws(EngineError) -> LoadedAdapter {
        let checkpoint: AdapterCheckpoint
        do throws(CheckpointError) { checkpoint = try AdapterCheckpoint.open(folder) } catch {
            throw EngineError(error, loading: folder)
        }
        return try LoadedAdapter(checkpoint, for: model)
    }

    /// Creates the adapter of an open checkpoint, and reads all of it.
    /// - Throws: `.modelDamaged` or `.modelUnsupported` if it is not an adapter of `model`.
    public init(_ checkpoint: AdapterCheckpoint, for model: LoadedModel) throws(EngineError) {
        do throws(CheckpointError) { adapter = try Adapter(checkpoint, for: model.model) } catch {
            throw EngineError(error, loading: checkpoint.folder)
        }
        identity = AdapterIdentity(
            name: LoadedModel.name(of: checkpoint.folder),
            hash: AdapterIdentity.hash(of: checkpoint)
        )
    }

    /// Validates that `folder` has an adapter for the model in `modelFolder`, without reading the
    /// weights of either.
    /// - Throws: as `load`, and as `LoadedModel.check`.
    public static func check(folder: String, modelFolder: String) throws(EngineError) {
        do throws(CheckpointError) {
            try Adapter.check(AdapterCheckpoint.open(folder), for: PhiModel(folder: modelFolder))
        } catch {
            throw EngineError(error, loading: folder)
        }
    }
}

extension LoadedAdapter {
    /// What the adapter in `folder` takes of memory, in bytes; its matrices are not read.
    /// - Throws: as `load`, for what does not depend on the model.
    public static func byteCount(folder: String) throws(EngineError) -> Int {
        do throws(CheckpointError) {
            return try AdapterCheckpoint.open(folder).modules.reduce(0) { sum, module in
                sum + module.down.byteRange.count + module.up.byteRange.count
            }
        } catch {
            throw EngineError(error, loading: folder)
        }
    }
}

/// The identity of an adapter in receipts, and where keys and values are kept.
public struct AdapterIdentity: Codable, Sendable, Hashable {
    /// The name of its folder.
    public var name: String
    /// SHA-256 of all of its matrices and factors.
    public var hash: String

    /// Creates an identity.
    public init(name: String, hash: String) {
        self.name = name
        self.hash = hash
    }

    /// The hash of an adapter: of each change, ordered by path, its path, format, rank, factor, types
    /// and all bytes. Two adapters with the same hash give the same answers.
    static func hash(of checkpoint: AdapterCheckpoint) -> String {
        var hash = SHA256()
        for module in checkpoint.modules {
            let (down, up) = (module.down, module.up)
            let parts = [
                module.path, "\(checkpoint.format)", "\(module.rank)",
                "\(module.scale.bitPattern)", down.elementType.rawValue, up.elementType.rawValue,
            ]
            hash.update("\n\(parts.joined(separator: " "))\n".utf8)
            hash.update(down.bytes)
            hash.update(up.bytes)
            extendLifetime(module)
        }
        return hash.finish().hexadecimal
    }
}
