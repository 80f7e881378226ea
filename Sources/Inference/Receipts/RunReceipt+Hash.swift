// The hash of a prompt.

public import Checkpoints
import Digests

extension RunReceipt.Prompt {
    /// SHA-256 of the ids as little-endian 32-bit numbers, in hexadecimal digits.
    public static func hash(of ids: [TokenID]) -> String {
        var hash = SHA256()
        ids.map(\.littleEndian).withUnsafeBytes { hash.update($0) }
        return hash.finish().hexadecimal
    }
}
