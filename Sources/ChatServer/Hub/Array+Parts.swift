// A crowd in parts: what is asked of the database for each of them in turn keeps the loop for a moment only.

extension Array {
    /// The elements in their order, so many in each part but the last.
    func parts(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
