// Every way in which a model folder can be unusable, each with what the person who sees it can do.

public import JSONText

/// Why a model folder cannot be used. Its `description` names the file, the cause and a remedy.
public enum CheckpointError: Error, Sendable, Equatable {
    /// `path` is not a folder that can be listed.
    case notAFolder(path: String, cause: String)
    /// A file that every model folder has is not there.
    case missingFile(path: String)
    /// The folder has no file that matches `model*.safetensors`.
    case noWeights(folder: String)
    /// The system refuses to open or map the file.
    case unreadable(path: String, operation: String, cause: String)
    /// A configuration file or a safetensors header is not JSON.
    case malformedJSON(path: String, JSONError)
    /// The file is not in the safetensors format; `tensor` is set where one entry is at fault.
    case malformedWeights(path: String, tensor: String?, reason: String)
    /// Two files have a tensor of the same name.
    case duplicateTensor(name: String, paths: [String])
    /// A tensor that the architecture needs is in no file; `indexedFile` is where the index puts
    /// it.
    case missingTensor(name: String, folder: String, indexedFile: String?)
    /// A tensor has other dimensions than the configuration demands.
    case wrongShape(path: String, tensor: String, expected: [Int], found: [Int])
    /// A tensor has elements of a type that cannot be used there.
    case wrongType(path: String, tensor: String, expected: [ElementType], found: ElementType)
    /// A tensor that the architecture has no place for.
    case unexpectedTensor(path: String, tensor: String)
    /// A setting that the architecture needs is not in the file.
    case missingSetting(path: String, key: String)
    /// A setting has a value that makes no sense.
    case invalidSetting(path: String, key: String, reason: String)
    /// The folder is sound, but of a kind that this engine does not compute.
    case unsupported(path: String, what: String, found: String, supported: String)
    /// No fault of the folder: the environment variable `STOA_KERNELS` names arithmetic that this
    /// processor does not have, and `known` is what it has.
    case unknownKernels(name: String, known: [String])
}

extension CheckpointError: CustomStringConvertible {
    /// One or two sentences for a person: what is wrong where, and what to do.
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
            "\(path): the tensor \(tensor) has the shape \(found) where config.json asks for "
                + "\(expected): weights and config.json are not of the same model"
        case .wrongType(let path, let tensor, let expected, let found):
            "\(path): the tensor \(tensor) has elements of type \(found.rawValue) where "
                + "\(expected.map(\.rawValue).joined(separator: " or ")) can be used: convert the "
                + "model with mlx_lm.convert"
        case .unexpectedTensor(let path, let tensor):
            "\(path): the tensor \(tensor) has no place in the model that config.json describes: "
                + "weights and config.json are not of the same model"
        case .missingSetting(let path, let key):
            "\(path) has no \"\(key)\": download it again"
        case .invalidSetting(let path, let key, let reason):
            "\(path): \"\(key)\" \(reason): download it again"
        case .unsupported(let path, let what, let found, let supported):
            "\(path): \(what) \(found) is not supported: use a model with \(supported)"
        case .unknownKernels(let name, let known):
            "STOA_KERNELS is \(name), and this processor has no such kernels: unset it, or set it "
                + "to one of \(known.joined(separator: ", "))"
        }
    }

    private static func place(_ tensor: String?) -> String {
        tensor.map { " at the tensor \($0)" } ?? ""
    }

    private static func missingTensorText(
        _ name: String,
        _ folder: String,
        _ indexedFile: String?
    ) -> String {
        if let indexedFile {
            "\(folder) lacks \(indexedFile), which holds the tensor \(name): download that file"
        } else {
            "no model*.safetensors in \(folder) has the tensor \(name): weights and config.json "
                + "are not of the same model, or a file is missing"
        }
    }
}
