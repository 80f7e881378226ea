// Why a model cannot be used, as a sentence for administrators and as a code for their languages.

package import ChatProtocol
import ModelHub

/// Why a model cannot be used, and what an administrator can do.
package struct ModelFailure: Error, Hashable, CustomStringConvertible {
    /// What only a server has; the other codes are those of `HubError`.
    package enum Code: String, CaseIterable, Sendable {
        /// Its files cannot be loaded.
        case notLoaded = "not_loaded"
        /// It takes more than the memory limit of all models.
        case exceedsMemory = "exceeds_memory"
        /// The system gives no thread.
        case noThread = "no_thread"
        /// It was fetched, and its files are gone.
        case goneFromCache = "gone_from_cache"
    }

    /// The sentence.
    package let description: String
    /// The sentence's code.
    package let code: SentenceCode

    /// All codes: the server's and the hub's.
    package static var codes: [String] {
        Code.allCases.map(\.rawValue) + HubError.Code.allCases.map(\.rawValue)
    }

    private init(_ description: String, _ code: Code, _ values: [String: String] = [:]) {
        self.description = description
        self.code = SentenceCode(code.rawValue, values)
    }

    /// The model could not be fetched.
    init(_ error: HubError) {
        let (code, values) = error.coded
        description = "\(error)"
        self.code = SentenceCode(code.rawValue, values)
    }

    /// The model could not be loaded, as `reason` says.
    package static func notLoaded(_ reason: String) -> ModelFailure {
        ModelFailure(reason, .notLoaded, ["detail": reason])
    }

    /// It takes more than the limit of the memory of all models.
    static func exceedsMemory(_ needed: Int, limit: Int) -> ModelFailure {
        let (needed, limit) = ("\(ByteCount(needed))", "\(ByteCount(limit))")
        return ModelFailure(
            "it needs \(needed) of memory, and all models together may take \(limit)"
                + " (--model-memory): raise the limit, or use a smaller model",
            .exceedsMemory,
            ["needed": needed, "limit": limit]
        )
    }

    /// The system gives no thread to fetch or load it.
    static func noThread(_ reason: String) -> ModelFailure {
        ModelFailure("the system gives no thread for it: \(reason)", .noThread, ["detail": reason])
    }

    /// It was fetched, and its files are gone.
    static let goneFromCache = ModelFailure(
        "it is not in the hub's cache any more: fetch it again",
        .goneFromCache
    )
}
