// A text that is too large to be held as a whole.

/// Bytes one piece after the other, each no larger than a reader wants to hold.
public protocol ByteSource: AnyObject {
    /// The next piece, never empty; nil at the end.
    /// - Throws: where what follows is damaged, or cannot be read.
    func next() throws -> [UInt8]?
}
