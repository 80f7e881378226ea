// The interface between the server and the model hub.

package import ChatProtocol
package import EventLoop

/// Downloads models into a cache, and finds those in it.
package protocol ModelSource {
    /// Short names of supported models, as suggestions.
    var shortNames: [String] { get }

    /// The full name for a short or full name of a model, or of one GGUF file of a repository.
    /// - Throws: `WireError.badRequest` if it is not a valid name.
    func fullName(of text: String) throws(WireError) -> String

    /// The folder, or the GGUF file, of a model that is completely in the cache. Sends no request; reads the disk, so
    /// never call it on a loop that serves clients.
    /// - Returns: nil if it is not in the cache.
    func folder(of name: String, revision: String) -> String?

    /// Estimates what a model needs, from its list of files and its configuration; downloads
    /// nothing else.
    /// - Parameters:
    ///   - name: its full name.
    ///   - revision: a branch, a tag or a commit.
    ///   - loop: the loop of the caller.
    /// - Returns: the estimate, or why there is none.
    func estimate(
        _ name: String,
        revision: String,
        on loop: EventLoop
    ) async -> Result<ModelEstimate, ModelFailure>

    /// Downloads a model into the cache. Parts from an earlier attempt are reused.
    /// - Parameters:
    ///   - name: its full name.
    ///   - revision: a branch, a tag or a commit.
    ///   - loop: the loop on which `receive` is called, after this function has returned.
    ///   - receive: receives events; `.progress` is never the last one.
    /// - Returns: a handle for the download.
    func fetch(
        _ name: String,
        revision: String,
        on loop: EventLoop,
        receive: @escaping (FetchEvent) -> Void
    ) -> any RunningFetch
}

/// An event of a download.
package enum FetchEvent: Sendable {
    /// Progress.
    case progress(FetchProgress)
    /// Everything is in the cache, in this folder.
    case done(folder: String)
    /// It failed; why, and what to do.
    case failed(reason: ModelFailure)
    /// It was cancelled.
    case cancelled
}

/// A running download.
package protocol RunningFetch: AnyObject {
    /// Cancels it; `.cancelled` follows soon, unless it ends otherwise first. Downloaded parts are
    /// kept.
    func cancel()
}
