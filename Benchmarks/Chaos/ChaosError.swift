// What keeps a run from being made at all.

/// The run itself failed, not what it tests.
struct ChaosError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
