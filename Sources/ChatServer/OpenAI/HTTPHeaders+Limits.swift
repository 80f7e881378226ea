// The headers in which OpenAI's API reports what a client has left.
// https://platform.openai.com/docs/guides/rate-limits

import ChatProtocol
import HTTPProtocol

extension HTTPHeaders {
    /// Adds what is left of the requests per minute and of the token budget; nothing for what is
    /// unlimited.
    mutating func addLimits(
        requests: (limit: Int, remaining: Int, untilFull: Duration)?,
        tokens: Allowance?
    ) {
        if let requests {
            add("x-ratelimit-limit-requests", "\(requests.limit)")
            add("x-ratelimit-remaining-requests", "\(requests.remaining)")
            add("x-ratelimit-reset-requests", Self.text(of: requests.untilFull))
        }
        if let tokens {
            let milliseconds = tokens.resetsAt.milliseconds - Timestamp.now.milliseconds
            add("x-ratelimit-limit-tokens", "\(tokens.limit)")
            add(
                "x-ratelimit-remaining-tokens",
                "\(max(0, tokens.limit - tokens.used - tokens.reserved))"
            )
            add("x-ratelimit-reset-tokens", Self.text(of: .milliseconds(max(0, milliseconds))))
        }
    }

    /// A duration as OpenAI writes it: `1h2m3s`, or `20ms` below a second.
    private static func text(of duration: Duration) -> String {
        let milliseconds = Int64((duration / .milliseconds(1)).rounded(.up))
        guard milliseconds >= 1000 else { return "\(milliseconds)ms" }
        let seconds = (milliseconds + 999) / 1000
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let parts = [(hours, "h"), (minutes, "m"), (seconds % 60, "s")]
        return parts.drop { $0.0 == 0 }.map { "\($0.0)\($0.1)" }.joined()
    }
}
