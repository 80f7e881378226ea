// SHA-256, and git's SHA-1, of bytes that arrive in parts.

import COpenSSL

// Safety: an instance is used by one thread at a time: each job on a worker pool starts after the
// previous one has ended.
/// A digest that is being computed.
final class StreamingDigest: @unchecked Sendable {
    private let context: OpaquePointer

    /// SHA-256.
    convenience init() { self.init(EVP_sha256()) }

    /// The kind of `digest`, for a content of `byteCount` bytes.
    convenience init(like digest: ContentDigest, byteCount: Int) {
        switch digest {
        case .sha256: self.init(EVP_sha256())
        case .git:
            self.init(EVP_sha1())
            // What git hashes before the content.
            Array("blob \(byteCount)\0".utf8).withUnsafeBytes { update($0) }
        }
    }

    private init(_ kind: OpaquePointer?) {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        self.context = context
        EVP_DigestInit_ex(context, kind, nil)
    }

    private init(copy other: StreamingDigest) {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        self.context = context
        EVP_MD_CTX_copy_ex(context, other.context)
    }

    deinit { EVP_MD_CTX_free(context) }

    /// An independent copy of the current state.
    func copy() -> StreamingDigest { StreamingDigest(copy: self) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest in hexadecimal digits. `update` must not be called afterwards.
    func finish() -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_DigestFinal_ex(context, &digest, &count)
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.prefix(Int(count)).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
