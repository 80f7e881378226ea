// Signing in by a link and a code: the device authorization grant (RFC 8628), as its device.

public import ChatProtocol
import EventLoop
import FoundationEssentials
import HTTPProtocol

/// How the sign-in by a code ended without a user.
public enum DeviceSignInError: Error, Sendable, Hashable {
    /// The user refused it.
    case refused
    /// Nobody confirmed it in time.
    case expired
    /// The server did not accept the request; its reason.
    case rejected(String)
}

extension HTTPClient {
    /// Asks for the codes of a sign-in, for the user to see.
    /// - Parameter device: the name of the sign-in in the user's list.
    /// - Returns: the link and the codes.
    /// - Throws: `DeviceSignInError.rejected`, or `ChatClientError`.
    public func beginSignInByCode(device: String) async throws -> DeviceAuthorizationReply {
        let headers: HTTPHeaders = [.userAgent: device]
        let reply = try await post("/api/v1/device_authorization", form: [], headers: headers)
        guard reply.status.isSuccess else { throw Self.failure(reply) }
        return try reply.decode(as: DeviceAuthorizationReply.self)
    }

    /// Waits until the user has confirmed a sign-in on the server's page.
    /// - Parameter codes: of `beginSignInByCode`.
    /// - Returns: the bearer token and its user.
    /// - Throws: `DeviceSignInError` if nobody is signed in, or `ChatClientError`.
    public func finishSignInByCode(
        _ codes: DeviceAuthorizationReply
    ) async throws -> SignInReply {
        let end = loop.now + .seconds(codes.expiresIn)
        var interval = Duration.seconds(max(1, codes.interval))
        while loop.now < end {
            try await loop.sleep(for: interval)
            switch try await poll(codes.deviceCode) {
            case .signedIn(let reply): return reply
            case .pending: break
            case .slowDown: interval += .seconds(5)
            // Section 3.5: a device that gets no reply polls less often.
            case .unavailable: interval = min(interval * 2, .seconds(60))
            }
        }
        throw DeviceSignInError.expired
    }

    /// What a poll found, if the device goes on.
    private enum Poll {
        case signedIn(SignInReply)
        case pending
        case slowDown
        case unavailable
    }

    private func poll(_ deviceCode: String) async throws -> Poll {
        let form = [("grant_type", DeviceGrant.grantType), ("device_code", deviceCode)]
        let reply: HTTPReply
        do {
            reply = try await post("/api/v1/token", form: form)
        } catch {
            guard error.isRetryable else { throw error }
            return .unavailable
        }
        if reply.status.isSuccess {
            let token = try reply.decode(as: DeviceTokenReply.self)
            return .signedIn(SignInReply(token: token.accessToken, user: token.user))
        }
        switch Self.grantError(reply)?.error {
        case .authorizationPending: return .pending
        case .slowDown: return .slowDown
        case .temporarilyUnavailable: return .unavailable
        case .accessDenied: throw DeviceSignInError.refused
        case .expiredToken: throw DeviceSignInError.expired
        default: throw Self.failure(reply)
        }
    }

    private func post(
        _ target: String,
        form: [(name: String, value: String)],
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws(ChatClientError) -> HTTPReply {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        let fields = [("client_id", DeviceGrant.clientID)] + form
        let body = fields.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        return try await send(.post, target, headers: headers, body: Array(body.utf8))
    }

    private static func grantError(_ reply: HTTPReply) -> GrantError? {
        try? JSONDecoder().decode(GrantError.self, from: Data(reply.body))
    }

    /// The error of a reply of another status than success.
    private static func failure(_ reply: HTTPReply) -> any Error {
        if let error = grantError(reply) { return DeviceSignInError.rejected(error.description) }
        return reply.refusal
    }
}
