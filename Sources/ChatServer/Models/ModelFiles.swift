// The files of a model of this machine.

/// Where a model's files are.
package struct ModelFiles: Sendable, Hashable {
    /// The folder or GGUF file with its weights.
    package var folder: String
    /// The folder of the adapter that changes them; nil for none.
    package var adapter: String?

    /// Creates a value.
    package init(folder: String, adapter: String? = nil) {
        self.folder = folder
        self.adapter = adapter
    }
}
