/// Why bytes could not be packed or unpacked.
package enum DeflateError: Error, Sendable, Hashable {
    /// The bytes are not what deflate makes.
    case malformed
    /// There was no memory for zlib's state.
    case outOfMemory
}
