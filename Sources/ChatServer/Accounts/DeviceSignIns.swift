// Signs devices in by a link and a code: the device authorization grant (RFC 8628), in which this
// server is the authorization server, and the user confirms on its page, however they sign in there.

import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop

/// Devices that wait to be signed in. They are in the database, so that any node answers the device
/// and the page; the limits on attempts are each node's own.
package final class DeviceSignIns {
    /// How long the codes of a device are valid.
    static let lifetime: Duration = .seconds(600)
    /// Least time between two polls, in seconds.
    static let pollInterval = 2

    private let loop: EventLoop
    private let store: Store
    private let sessionLifetime: SessionLifetime
    /// Limits devices that begin per place: each one is stored.
    private var starts = RateLimiter<String>(perMinute: 60)
    /// Limits wrong codes per user, as wrong passwords: somebody who tries codes could sign the
    /// device of another in to an account of their own.
    private var guesses = SignInLimiter()

    package init(loop: EventLoop, store: Store, lifetime: SessionLifetime) {
        self.loop = loop
        self.store = store
        sessionLifetime = lifetime
    }

    // MARK: The device

    /// Makes the codes of a device.
    /// - Parameters:
    ///   - device: its name for itself.
    ///   - address: its address; nil if unknown.
    ///   - place: its network, by which devices are counted; nil if unknown.
    ///   - page: the page where the user types the code.
    /// - Returns: the codes.
    /// - Throws: `WireError.rateLimited` or `.busy` if too many devices begin or wait.
    package func begin(
        device: String,
        address: String?,
        place: String?,
        page: String
    ) async throws -> DeviceAuthorizationReply {
        if let place, let wait = starts.take(place, now: loop.now) {
            throw WireError(
                .rateLimited,
                "more than \(starts.perMinute) sign-ins were begun from this address in a minute",
                retryAfter: wait.seconds
            )
        }
        var generator = SystemRandomNumberGenerator()
        let deviceCode = Token.make()
        // A second try is needed once in millions.
        for _ in 0..<3 {
            let userCode = UserCode(using: &generator)
            let isNew = try await store.credentials.addDeviceSignIn(
                NewDeviceSignIn(
                    deviceCodeHash: deviceCode.hash,
                    userCodeHash: Self.hash(userCode),
                    device: device,
                    address: address,
                    place: place
                ),
                lifetime: Self.lifetime,
                pollInterval: Self.pollInterval
            )
            guard isNew else { continue }
            return DeviceAuthorizationReply(
                deviceCode: deviceCode.text,
                userCode: userCode.text,
                verificationURI: page,
                expiresIn: Int(Self.lifetime.seconds),
                interval: Self.pollInterval
            )
        }
        throw WireError(.busy, "no code is free; try again", retryAfter: 1)
    }

    /// Answers a device's poll.
    /// - Parameter deviceCode: the device code, or what it sent for one.
    /// - Returns: the token and the user.
    /// - Throws: `GrantError` if it is not signed in, with the reason.
    package func poll(_ deviceCode: String) async throws -> DeviceTokenReply {
        let token = Token.make()
        let found =
            deviceCode.utf8.count == token.text.utf8.count
            ? try await store.credentials.pollDeviceSignIn(
                deviceCodeHash: Token(text: deviceCode).hash,
                tokenHash: token.hash,
                lifetime: sessionLifetime
            ) : .unknown
        switch found {
        case .signedIn(let user): return DeviceTokenReply(accessToken: token.text, user: user)
        case .pending: throw GrantError(.authorizationPending, "the user has not answered yet")
        case .tooEarly: throw GrantError(.slowDown, "poll five seconds less often from now on")
        case .refused: throw GrantError(.accessDenied, "the user refused")
        case .expired: throw GrantError(.expiredToken, "nobody answered in time: begin again")
        case .unknown: throw GrantError(.invalidGrant, "the device code is unknown, or was used")
        }
    }

    // MARK: The user

    /// The device that waits with a code.
    /// - Parameters:
    ///   - typed: what the user typed.
    ///   - user: the user.
    /// - Returns: the device.
    /// - Throws: `WireError.notFound` if no device waits with this code; `.rateLimited` after too
    ///   many of these.
    package func find(_ typed: String, by user: User) async throws -> WaitingDevice {
        try await counted(user) {
            guard let code = UserCode(typed: typed) else { return nil }
            return try await store.credentials.waitingDevice(userCodeHash: Self.hash(code))
        }
    }

    /// Signs a device in as a user, with its next poll, or refuses it.
    /// - Parameters:
    ///   - typed: the code.
    ///   - isConfirmed: whether it is signed in.
    ///   - user: the user.
    /// - Throws: as `find`.
    package func answer(_ typed: String, isConfirmed: Bool, by user: User) async throws {
        try await counted(user) { () async throws -> Void? in
            guard let code = UserCode(typed: typed) else { return nil }
            let isFound = try await store.credentials.answerDevice(
                userCodeHash: Self.hash(code),
                isConfirmed: isConfirmed,
                by: user
            )
            return isFound ? () : nil
        }
    }

    /// Looks a code up within the limit on wrong ones.
    private func counted<Found>(
        _ user: User,
        _ find: () async throws -> Found?
    ) async throws -> Found {
        let attempt: SignInLimiter.Attempt
        do throws(SignInLimiter.Refusal) {
            attempt = try guesses.admit(account: "\(user.id)", address: nil, now: loop.now)
        } catch {
            throw WireError(
                .rateLimited,
                "too many wrong codes; wait and try again",
                retryAfter: max(1, error.wait.seconds.rounded(.up))
            )
        }
        let found: Found?
        do {
            found = try await find()
        } catch {
            guesses.abandoned(attempt, now: loop.now)
            throw error
        }
        guard let found else {
            guesses.failed(attempt, now: loop.now)
            throw WireError(.notFound, "no device waits with this code: begin again on the device")
        }
        // A right code does not make wrong ones forgotten: anybody can have one.
        guesses.abandoned(attempt, now: loop.now)
        return found
    }

    private static func hash(_ code: UserCode) -> [UInt8] { Token(text: code.letters).hash }
}
