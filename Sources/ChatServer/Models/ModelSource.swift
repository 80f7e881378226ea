// Where models come from: the seam between the server and the hub.

package import ChatProtocol
package import EventLoop

/// A place that models are fetched from, and the cache of those that were.
package protocol ModelSource {
    /// Short names of models that fit, as suggestions.
    var shortNames: [String] { get }

    /// The model that `text` stands for: a short name, or a full one.
    /// - Throws: `WireError.badRequest` where it is no name.
    func fullName(of text: String) throws(WireError) -> String

    /// The folder of a model that is in the cache as a whole. Asks nobody; reads the disk, so never
    /// on a loop that serves.
    /// - Returns: nil where it is not there.
    func folder(of name: String, revision: String) -> String?

    /// Fetches a model into the cache. What an earlier attempt has fetched is not fetched again.
    /// - Parameters:
    ///   - name: its full name.
    ///   - revision: a branch, a tag or a commit.
    ///   - loop: where `receive` is called; not before this function has returned.
    ///   - receive: takes what comes of it; `.progress` is never the last.
    /// - Returns: a handle on what has begun.
    func fetch(
        _ name: String,
        revision: String,
        on loop: EventLoop,
        receive: @escaping (FetchEvent) -> Void
    ) -> any RunningFetch
}

/// What comes of fetching a model.
package enum FetchEvent: Sendable {
    /// It is further on.
    case progress(FetchProgress)
    /// All of it is in the cache, in this folder.
    case done(folder: String)
    /// It did not work; why, and what to do.
    case failed(reason: String)
    /// It was cancelled.
    case cancelled
}

/// A model that is on its way.
package protocol RunningFetch: AnyObject {
    /// Ends it soon, by `.cancelled`, unless another end comes first. What has arrived is kept.
    func cancel()
}
