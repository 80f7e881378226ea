// Maps error responses, of the hub and of the hosts it redirects to, to errors.

import EventLoop
import HTTPProtocol

/// What a request is about, for error messages.
struct HubSubject: CustomStringConvertible {
    var name: ModelName
    var revision: String?
    var file: String?

    var description: String { file.map { "\($0) of \(name)" } ?? "\(name)" }
}

extension HubClient {
    /// The error for `exchange`'s status, which is not a success.
    func refusal(_ exchange: HubExchange, about subject: HubSubject) -> HubError {
        let head = exchange.head
        let isHub = exchange.url.origin == configuration.endpoint.origin
        let hasToken = configuration.token != nil
        switch head.headers["X-Error-Code"] {
        case "GatedRepo": return .gated(subject.name, hasToken: hasToken)
        case "RepoNotFound": return .modelNotFound(subject.name, hasToken: hasToken)
        case "RevisionNotFound":
            return .revisionNotFound(subject.name, revision: subject.revision ?? "")
        case "EntryNotFound": return .fileNotFound(subject.name, file: subject.file ?? "")
        default: break
        }
        switch head.status.code {
        case 401 where isHub:
            let words = head.headers["X-Error-Message"] ?? ""
            let isTokenWrong = words.contains("Invalid credentials")
            return isTokenWrong ? .badToken : .modelNotFound(subject.name, hasToken: hasToken)
        case 403 where isHub: return .gated(subject.name, hasToken: hasToken)
        case 404 where isHub:
            if let file = subject.file { return .fileNotFound(subject.name, file: file) }
            return .modelNotFound(subject.name, hasToken: hasToken)
        case 416:
            return .wrongRange(file: subject.file ?? "", "an existing range was refused")
        // From another host: a signed URL that has expired. The hub issues a new one.
        case 400 where !isHub, 401, 403, 404, 410, 408, 429, 500...:
            return .unavailable(
                host: exchange.url.origin.host,
                head.status,
                retryAfter: askedDelay(head.headers)
            )
        default: break
        }
        let host = exchange.url.origin.host
        return .badResponse("\(host) responded with \(head.status) for \(subject)")
    }

    /// The delay that a host asks for: `Retry-After` in seconds, or the `t` of the hub's
    /// `RateLimit` field, the seconds until its request count resets.
    private func askedDelay(_ headers: HTTPHeaders) -> Duration? {
        if let seconds = headers[.retryAfter].flatMap({ Int($0) }) {
            return .seconds(min(max(seconds, 0), 86_400))
        }
        let parameters = headers["RateLimit"]?.split(separator: ";") ?? []
        let reset = parameters.first { $0.hasPrefix("t=") }
        return reset.flatMap { Int($0.dropFirst(2)) }.map { .seconds(min(max($0, 0), 86_400)) }
    }
}
