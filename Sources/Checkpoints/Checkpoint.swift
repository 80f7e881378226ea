// The weights of a model: tensors of one or several safetensors files, or of a GGUF file, by name.

import FoundationEssentials
import JSONText

/// The tensors of a model by name.
public struct Checkpoint: Sendable {
    /// The path of the folder or of the GGUF file, as given.
    public let folder: String
    /// All tensors of all files, by mlx-lm's names; of a multimodal model, those of its text model.
    public let tensors: [String: Tensor]
    /// The GGUF file that has them; nil for safetensors.
    package let gguf: GGUFFile?

    /// Maps every `model*.safetensors` of `folder`, as MLX's loader does; other files are ignored.
    /// `folder` may also be a GGUF file, or a folder with one and without config.json.
    ///
    /// Fast for any size: only headers are read.
    /// - Throws: `CheckpointError` if a file is missing or damaged.
    public static func open(_ folder: String) throws(CheckpointError) -> Checkpoint {
        if let gguf = try GGUFFile.open(folder) {
            return Checkpoint(folder: folder, tensors: gguf.tensors, gguf: gguf)
        }
        var tensors: [String: Tensor] = [:]
        let names = try fileNames(in: folder)
        guard !names.isEmpty else { throw .noWeights(folder: folder) }
        let isMultimodal = try isMultimodal(folder)
        for name in names {
            for tensor in try SafetensorsFile(path: "\(folder)/\(name)").tensors {
                let name = isMultimodal ? MultimodalTensorNames.name(of: tensor.name) : tensor.name
                guard let name else { continue }
                if let earlier = tensors.updateValue(tensor, forKey: name) {
                    throw .duplicateTensor(
                        name: tensor.name,
                        paths: [earlier.file.path, tensor.file.path]
                    )
                }
            }
        }
        return Checkpoint(folder: folder, tensors: tensors, gguf: nil)
    }

    /// Whether the model has other parts than a text model; false without config.json.
    private static func isMultimodal(_ folder: String) throws(CheckpointError) -> Bool {
        let config = try ConfigurationFile.optional(folder: folder, name: "config.json")
        guard let type = try config?.string("model_type") else { return false }
        return Architecture(modelType: type) == .phi4mm
    }

    private static func fileNames(in folder: String) throws(CheckpointError) -> [String] {
        guard let contents = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw .notAFolder(path: folder, cause: "it cannot be listed")
        }
        return contents.filter { $0.hasPrefix("model") && $0.hasSuffix(".safetensors") }.sorted()
    }

    /// Whether a tensor of this name exists.
    public func contains(_ name: String) -> Bool { tensors[name] != nil }

    /// The tensor `name`.
    /// - Throws: `.missingTensor`.
    public func tensor(_ name: String) throws(CheckpointError) -> Tensor {
        guard let tensor = tensors[name] else {
            throw .missingTensor(
                name: name,
                folder: gguf?.file.path ?? folder,
                indexedFile: missingFile(of: name)
            )
        }
        return tensor
    }

    /// The file that should contain the tensor `name` according to the folder's index, but is
    /// missing.
    ///
    /// Only for the error message: the index is not needed otherwise, and conversions leave stale
    /// ones.
    private func missingFile(of name: String) -> String? {
        guard let index = try? MappedFile(path: "\(folder)/model.safetensors.index.json"),
            let files = try? index.parseJSON()["weight_map"]?.object,
            let file = files.first(where: { MultimodalTensorNames.name(of: $0.0) == name })?.1
                .string,
            !FileManager.default.fileExists(atPath: "\(folder)/\(file)")
        else { return nil }
        return file
    }
}
