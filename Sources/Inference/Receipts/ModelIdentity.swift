// The identity of a model: enough to distinguish two models years later, and cheap enough for every
// start.

package import Checkpoints
import Digests
package import Tokenizers

/// The identity of a model in receipts.
public struct ModelIdentity: Codable, Sendable, Hashable {
    /// The name for users.
    public var name: String
    /// SHA-256 of configuration and weights, of large tensors a sample; nil if it was not created
    /// from files.
    public var hash: String?
    /// SHA-256 of the chat template's text; nil if a remote engine applies its own.
    public var templateHash: String?

    /// Creates an identity.
    public init(name: String, hash: String? = nil, templateHash: String? = nil) {
        self.name = name
        self.hash = hash
        self.templateHash = templateHash
    }

    enum CodingKeys: String, CodingKey {
        case name, hash
        case templateHash = "template_hash"
    }
}

extension ModelIdentity {
    /// Tensors of at most this many bytes are hashed whole.
    private static let wholeByteCountMax = 4096
    /// Of the others, this many bytes are hashed at the start, in the middle and at the end.
    private static let sampleByteCount = 1024

    /// The hash of a model's files: config.json, or a GGUF file's header, and then for each tensor,
    /// ordered by name, its name, type and shape, and its bytes or samples of them. The same model in
    /// one file or in shards has the same hash. A changed byte between the samples is not detected: `stoa model
    /// verify` reads everything.
    package static func hash(of checkpoint: Checkpoint) throws(CheckpointError) -> String {
        var hash = SHA256()
        if let gguf = checkpoint.gguf {
            hash.update(gguf.headerBytes)
        } else {
            hash.update(try MappedFile(path: "\(checkpoint.folder)/config.json").contents)
        }
        for (name, tensor) in checkpoint.tensors.sorted(by: { $0.key < $1.key }) {
            let shape = tensor.shape.map(String.init).joined(separator: "x")
            hash.update("\n\(name) \(tensor.elementType.rawValue) \(shape)\n".utf8)
            defer { extendLifetime(tensor) }
            let bytes = tensor.bytes
            guard bytes.count > wholeByteCountMax else {
                hash.update(bytes)
                continue
            }
            for start in [0, bytes.count / 2, bytes.count - sampleByteCount] {
                hash.update(
                    UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(sampleByteCount))
                )
            }
        }
        return hash.finish().hexadecimal
    }

    /// The hash of a chat template.
    package static func hash(of template: ChatTemplate) -> String {
        SHA256.digest(of: template.source).hexadecimal
    }
}
