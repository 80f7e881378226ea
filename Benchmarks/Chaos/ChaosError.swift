// Errors that prevent a run.

/// The harness failed, not the system under test.
struct ChaosError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
