// Limits per minute on expensive requests of a user. Each node counts its own requests in memory:
// with several nodes, the limit applies on each.

import ChatCore
import ChatProtocol
import EventLoop

/// Limits how often users send expensive requests. Lives on its loop.
final class UserRates {
    private let loop: EventLoop
    /// Requests without a limiter are unlimited.
    private var limiters: [RatedRequest: RateLimiter<UserID>] = [:]

    init(loop: EventLoop, settings: ServerSettings) {
        self.loop = loop
        for request in RatedRequest.allCases {
            let perMinute = settings.perMinute(of: request)
            if perMinute > 0 { limiters[request] = RateLimiter(perMinute: perMinute) }
        }
    }

    /// How many requests a user has left; nil without a limit.
    func state(
        of request: RatedRequest,
        of user: UserID
    ) -> (limit: Int, remaining: Int, untilFull: Duration)? {
        guard let limiter = limiters[request] else { return nil }
        let (remaining, untilFull) = limiter.state(of: user, now: loop.now)
        return (limiter.perMinute, remaining, untilFull)
    }

    /// Counts a request of a user.
    /// - Throws: `rateLimited`, with the time until the next request is accepted.
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
