// Input that is too large to be in memory as a whole.

/// A source of bytes that returns one piece at a time.
public protocol ByteSource: AnyObject {
    /// The next piece, never empty; nil at the end.
    /// - Throws: if the following bytes are damaged or cannot be read.
    func next() throws -> [UInt8]?
}
