/// Why compression or decompression failed.
package enum DeflateError: Error, Sendable, Hashable {
    /// The input is not valid deflate data (RFC 1951).
    case malformed
    /// zlib could not allocate its state.
    case outOfMemory
}
