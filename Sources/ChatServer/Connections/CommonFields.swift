// The fields of every response, encoded once a second, because `Date` is one of them.

import ChatProtocol
import HTTPProtocol

/// The fields that a loop's responses have in common.
final class CommonFields {
    private let policy: String?
    private var seconds = Int.min
    private var latest: (headers: HTTPHeaders, encoded: EncodedFields) = ([:], .none)

    /// Creates them with `policy`, the value of `Strict-Transport-Security`; nil for none.
    init(strictTransportSecurity policy: String?) { self.policy = policy }

    /// The fields for a response that is sent now.
    var headers: HTTPHeaders {
        update()
        return latest.headers
    }

    /// The same fields, encoded.
    var encoded: EncodedFields {
        update()
        return latest.encoded
    }

    private func update() {
        let now = Int(Timestamp.now.milliseconds / 1000)
        guard now != seconds else { return }
        seconds = now
        var headers: HTTPHeaders = [.date: HTTPDate.format(secondsSince1970: now)]
        // In every response (RFC 6797, section 7.1): a browser may see only one.
        headers["Strict-Transport-Security"] = policy
        latest = (headers, EncodedFields(headers))
    }
}
