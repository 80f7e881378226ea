// Where models are that settings and commands name.

import FoundationEssentials
import Inference

/// A model's files.
package struct ModelPlace: Sendable, Hashable {
    /// Its folder or GGUF file.
    package let path: String
    /// Its name for clients, unless a setting gives it another one.
    package let name: String

    /// The folder or GGUF file `text`, or the model of this name in the hub's cache; or of a
    /// repository's name, a colon, and a quantization or a file's name, one GGUF file of it.
    /// - Throws: `StartupError`, which says what to do.
    package init(_ text: String, in source: any ModelSource) throws(StartupError) {
        let isPath = text.hasPrefix("/") || text.hasPrefix(".")
        guard !isPath, !FileManager.default.fileExists(atPath: text) else {
            (path, name) = (text, LoadedModel.name(of: text))
            return
        }
        guard let name = try? source.fullName(of: text) else {
            throw StartupError(.noInput, "there is no folder \(text), nor a model of that name")
        }
        guard let path = source.folder(of: name, revision: "main") else {
            throw StartupError(
                .noInput,
                "\(name) is neither a folder nor in the hub's cache: fetch it with"
                    + " “stoa model pull \(text)”"
            )
        }
        (self.path, self.name) = (path, name)
    }
}
