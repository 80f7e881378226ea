// What a download says while it receives nothing, as a sentence and as a code.

import ChatProtocol
import ModelHub

/// What a download does instead of receiving. While it waits to repeat a failed request, the note has
/// the error's code, one of `HubError.Code`.
package enum FetchNote: String, CaseIterable, Sendable {
    /// It requests the list of files.
    case listing
    /// It checks what an earlier download left.
    case checking
    /// It checks what has arrived.
    case finishing
    /// It waits until another download of the same file ends.
    case otherPull = "other_pull"

    /// The sentence and its code for a phase; nil if there is nothing to say.
    static func note(of phase: PullProgress.Phase) -> (sentence: String, code: SentenceCode)? {
        switch phase {
        case .listing: ("requesting the list of files", SentenceCode(listing.rawValue))
        case .checking: ("checking what is there already", SentenceCode(checking.rawValue))
        case .finishing: ("checking what has arrived", SentenceCode(finishing.rawValue))
        case .waiting(_, let delay): ("\(delay)", code(of: delay.cause))
        case .downloading, .done: nil
        }
    }

    private static func code(of cause: PullDelay.Cause) -> SentenceCode {
        switch cause {
        case .otherPull: SentenceCode(otherPull.rawValue)
        case .retry(let code, let values): SentenceCode(code.rawValue, values)
        }
    }
}
