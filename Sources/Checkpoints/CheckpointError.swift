// Errors of model folders, each with a remedy.

public import JSONText

/// Why a model folder cannot be used. Its `description` names the file, the cause and a remedy.
public enum CheckpointError: Error, Sendable, Equatable {
    /// `path` is not a folder that can be listed.
    case notAFolder(path: String, cause: String)
    /// A required file is missing.
    case missingFile(path: String)
    /// The folder has no file that matches `model*.safetensors`.
    case noWeights(folder: String)
    /// The file cannot be opened or mapped.
    case unreadable(path: String, operation: String, cause: String)
    /// A configuration file or a safetensors header is not JSON.
    case malformedJSON(path: String, JSONError)
    /// The file is not in the safetensors format; `tensor` is set if one entry is wrong.
    case malformedWeights(path: String, tensor: String?, reason: String)
    /// Two files have a tensor with the same name.
    case duplicateTensor(name: String, paths: [String])
    /// A required tensor is in no file; `indexedFile` is its file according to the index.
    case missingTensor(name: String, folder: String, indexedFile: String?)
    /// A tensor has other dimensions than the configuration requires.
    case wrongShape(path: String, tensor: String, expected: [Int], found: [Int])
    /// A tensor has an unsupported element type.
    case wrongType(path: String, tensor: String, expected: [ElementType], found: ElementType)
    /// A tensor that the architecture does not have.
    case unexpectedTensor(path: String, tensor: String)
    /// A required setting is missing in the file.
    case missingSetting(path: String, key: String)
    /// A setting has an invalid value.
    case invalidSetting(path: String, key: String, reason: String)
    /// The folder is valid, but of a kind that this engine does not support.
    case unsupported(path: String, what: String, found: String, supported: String)
    /// `folder` has no adapter: the file `name` is missing.
    case noAdapter(folder: String, name: String)
    /// The file belongs to an adapter of a kind that this engine does not support.
    case unsupportedAdapter(path: String, what: String, supported: String)
    /// An adapter's weights are not those that its configuration or the model asks for.
    case mismatchedAdapter(path: String, reason: String)
    /// The environment variable `STOA_KERNELS` names kernels that this processor does not support;
    /// `known` are those that it does.
    case unknownKernels(name: String, known: [String])
}

extension CheckpointError: CustomStringConvertible {
    /// One or two sentences: what is wrong with which file, and what to do.
    public var description: String {
        switch self {
        case .notAFolder(let path, let cause):
            "\(path) is not a readable model folder (\(cause)): give the path of a folder with "
                + "config.json and model.safetensors"
        case .missingFile(let path):
            "\(path) does not exist: give the path of a model folder, or download the model again"
        case .noWeights(let folder):
            "\(folder) has no model*.safetensors: download the model again, or convert it with "
                + "mlx_lm.convert"
        case .unreadable(let path, let operation, let cause):
            "\(path) cannot be read (\(operation): \(cause)): check the file and its permissions"
        case .malformedJSON(let path, let error):
            "\(path) is damaged (\(error)): download it again"
        case .malformedWeights(let path, let tensor, let reason):
            "\(path) is damaged\(Self.place(tensor)): \(reason); download it again"
        case .duplicateTensor(let name, let paths):
            "the tensor \(name) is in several files (\(paths.joined(separator: ", "))): remove the "
                + "ones that do not belong to this model"
        case .missingTensor(let name, let folder, let indexedFile):
            Self.missingTensorText(name, folder, indexedFile)
        case .wrongShape(let path, let tensor, let expected, let found):
            "\(path): the tensor \(tensor) has the shape \(found) where \(Self.source(path)) asks "
                + "for \(expected): weights and \(Self.source(path)) are not of the same model"
        case .wrongType(let path, let tensor, let expected, let found):
            "\(path): the tensor \(tensor) has elements of type \(found.rawValue) where "
                + "\(expected.map(\.rawValue).joined(separator: " or ")) can be used: convert the "
                + "model with mlx_lm.convert"
        case .unexpectedTensor(let path, let tensor):
            "\(path): the tensor \(tensor) has no place in the model that \(Self.source(path)) "
                + "describes: weights and \(Self.source(path)) are not of the same model"
        case .missingSetting(let path, let key):
            "\(path) has no \"\(key)\": download it again"
        case .invalidSetting(let path, let key, let reason):
            "\(path): \"\(key)\" \(reason): download it again"
        case .unsupported(let path, let what, let found, let supported):
            "\(path): \(what) \(found) is not supported: use a model with \(supported)"
        case .noAdapter(let folder, let name):
            "\(folder) has no \(name): give the path of a folder with adapter_config.json, and "
                + "with adapters.safetensors of mlx-lm or adapter_model.safetensors of PEFT"
        case .unsupportedAdapter(let path, let what, let supported):
            "\(path): \(what) is not supported: use \(supported)"
        case .mismatchedAdapter(let path, let reason):
            "\(path): \(reason): use the adapter with the model that it was trained for, or "
                + "download it again"
        case .unknownKernels(let name, let known):
            "STOA_KERNELS is \(name), and this processor has no such kernels: unset it, or set it "
                + "to one of \(known.joined(separator: ", "))"
        }
    }

    /// What describes the model whose weights are in the file `path`.
    private static func source(_ path: String) -> String {
        path.hasSuffix(GGUFFile.suffix) ? "the metadata" : "config.json"
    }

    private static func place(_ tensor: String?) -> String {
        tensor.map { " at the tensor \($0)" } ?? ""
    }

    private static func missingTensorText(
        _ name: String,
        _ folder: String,
        _ indexedFile: String?
    ) -> String {
        if folder.hasSuffix(GGUFFile.suffix) {
            "\(folder) lacks the tensor \(name): convert the model again with convert_hf_to_gguf.py, "
                + "which fuses queries, keys and values"
        } else if let indexedFile {
            "\(folder) lacks \(indexedFile), which holds the tensor \(name): download that file"
        } else {
            "no model*.safetensors in \(folder) has the tensor \(name): weights and config.json "
                + "are not of the same model, or a file is missing"
        }
    }
}
