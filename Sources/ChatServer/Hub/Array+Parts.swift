// Splits large sets, so that each database query occupies the event loop only briefly.

extension Array {
    /// The elements in order, in parts of `size`; the last part may be smaller.
    func parts(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
