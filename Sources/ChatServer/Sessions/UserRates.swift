// How often a user may ask for what costs more than a look. Each node counts what is asked of it, in
// memory: behind several nodes a user may have as much of each.

import ChatCore
import ChatProtocol
import EventLoop

/// What is bounded, each by itself.
enum RatedRequest: CaseIterable {
    /// Whatever has an answer made.
    case question
    case search
    /// An export or an import.
    case transfer
}

/// Bounds how often users ask for what costs. Lives on its loop.
final class UserRates {
    private let loop: EventLoop
    /// What has none is not bounded.
    private var limiters: [RatedRequest: RateLimiter<UserID>] = [:]

    init(loop: EventLoop, settings: ServerSettings) {
        self.loop = loop
        for request in RatedRequest.allCases {
            let perMinute = settings.perMinute(of: request)
            if perMinute > 0 { limiters[request] = RateLimiter(perMinute: perMinute) }
        }
    }

    /// Counts a request of a user's.
    /// - Throws: `rateLimited`, with the time until the next is let in, where it is one too many.
    func take(_ request: RatedRequest, of user: UserID) throws(WireError) {
        guard let wait = limiters[request]?.take(user, now: loop.now),
            let perMinute = limiters[request]?.perMinute
        else { return }
        throw WireError(
            .rateLimited,
            "more than \(perMinute) \(request.plural) in a minute",
            retryAfter: wait.seconds
        )
    }
}

extension RatedRequest {
    fileprivate var plural: String {
        switch self {
        case .question: "questions"
        case .search: "searches"
        case .transfer: "exports and imports"
        }
    }
}

extension ServerSettings {
    fileprivate func perMinute(of request: RatedRequest) -> Int {
        switch request {
        case .question: questionsPerMinute
        case .search: searchesPerMinute
        case .transfer: transfersPerMinute
        }
    }
}

extension RequestBody {
    /// What its asker may ask for only so often; nil for what is as often as they like.
    var rated: RatedRequest? {
        switch self {
        case .messageSend, .messageEdit, .messageRegenerate, .messageContinue: .question
        case .search: .search
        default: nil
        }
    }
}
