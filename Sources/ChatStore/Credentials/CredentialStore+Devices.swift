// Sign-ins of devices that wait for their user (RFC 8628), for any node to continue. Of both codes
// only hashes are stored.

public import ChatProtocol
import Postgres

/// A device that wants to be signed in.
public struct NewDeviceSignIn: Sendable {
    /// SHA-256 of the device code, with which the device polls.
    public var deviceCodeHash: [UInt8]
    /// SHA-256 of the user code, which the user types.
    public var userCodeHash: [UInt8]
    /// The device's name for itself.
    public var device: String
    /// Its address; nil if unknown.
    public var address: String?
    /// The network by which waiting devices are counted; nil if unknown, which is not limited.
    public var place: String?

    /// Creates a request.
    public init(
        deviceCodeHash: [UInt8],
        userCodeHash: [UInt8],
        device: String,
        address: String?,
        place: String?
    ) {
        self.deviceCodeHash = deviceCodeHash
        self.userCodeHash = userCodeHash
        self.device = device
        self.address = address
        self.place = place
    }
}

/// What a poll of a device finds.
public enum DevicePoll: Sendable {
    /// Confirmed: the device is signed in now, and the code is used up.
    case signedIn(User)
    /// The user has not answered yet.
    case pending
    /// The same, and the device polls too often: its interval is five seconds longer from now on.
    case tooEarly
    /// The user refused, or may not sign in any more.
    case refused
    /// Nobody answered in time.
    case expired
    /// There is no such code, or it was used.
    case unknown
}

extension CredentialStore {
    /// Maximum number of devices that wait at a time, and of them from one place.
    static let waitingDevicesMax = 10_000
    static let waitingDevicesPerPlaceMax = 50

    /// Stores a device's request.
    /// - Parameters:
    ///   - new: the request.
    ///   - lifetime: how long its codes are valid.
    ///   - pollInterval: seconds between two polls.
    /// - Returns: false if another request has the same user code, and nothing was stored.
    /// - Throws: `WireError.rateLimited` if too many devices wait from this place; `.busy` if too
    ///   many wait altogether.
    public func addDeviceSignIn(
        _ new: NewDeviceSignIn,
        lifetime: Duration,
        pollInterval: Int
    ) async throws -> Bool {
        let counts = try await pool.query(
            """
            SELECT count(*) AS everywhere, count(*) FILTER (WHERE place = $1) AS here
            FROM device_sign_ins WHERE state = 'pending' AND expires_at > now()
            """,
            [.optional(new.place)]
        )
        if let row = counts.first {
            guard try row.decode("here", as: Int64.self) < Int64(Self.waitingDevicesPerPlaceMax)
            else {
                throw WireError(
                    .rateLimited,
                    "too many devices wait to be signed in from this address",
                    retryAfter: 60
                )
            }
            guard try row.decode("everywhere", as: Int64.self) < Int64(Self.waitingDevicesMax)
            else {
                throw WireError(.busy, "too many people are signing in; try again", retryAfter: 60)
            }
        }
        let added = try await pool.query(
            """
            INSERT INTO device_sign_ins (device_code_hash, user_code_hash, device, address, place,
                expires_at, poll_interval)
            VALUES ($1, $2, left($3, 200), $4, $5, now() + $6 * interval '1 second', $7)
            ON CONFLICT (user_code_hash) DO NOTHING
            """,
            [
                .bytes(new.deviceCodeHash), .bytes(new.userCodeHash), .text(new.device),
                .optional(new.address), .optional(new.place), .double(lifetime.seconds),
                .integer(pollInterval),
            ]
        )
        return added.affectedRowCount == 1
    }

    /// Answers a device's poll. If the user has confirmed, signs it in, once.
    /// - Parameters:
    ///   - deviceCodeHash: SHA-256 of its code.
    ///   - tokenHash: SHA-256 of the token of the sign-in.
    ///   - lifetime: how long the sign-in is valid.
    /// - Returns: what the user answered.
    /// - Throws: `PostgresError`.
    public func pollDeviceSignIn(
        deviceCodeHash: [UInt8],
        tokenHash: [UInt8],
        lifetime: SessionLifetime
    ) async throws -> DevicePoll {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT d.state, d.device, d.expires_at <= now() AS is_expired,
                    coalesce(d.polled_at > now() - d.poll_interval * interval '1 second', false)
                        AS is_early,
                    u.id, u.name, u.is_admin
                FROM device_sign_ins d
                LEFT JOIN users u ON u.id = d.user_id AND u.disabled_at IS NULL
                WHERE d.device_code_hash = $1 FOR UPDATE OF d
                """,
                [.bytes(deviceCodeHash)]
            )
            guard let row = rows.first else { return .unknown }
            let state = try row.word("state", as: DeviceSignInState.self)
            if state == .refused { return .refused }
            if try row.decode("is_expired", as: Bool.self) { return .expired }
            if state == .pending {
                let isEarly = try row.decode("is_early", as: Bool.self)
                try transaction.send(
                    """
                    UPDATE device_sign_ins
                    SET polled_at = now(), poll_interval = poll_interval + $2
                    WHERE device_code_hash = $1
                    """,
                    [.bytes(deviceCodeHash), .integer(isEarly ? 5 : 0)]
                )
                return isEarly ? .tooEarly : .pending
            }
            // Disabled or deleted after the confirmation.
            guard let id = try row.optionalID("id", of: User.self) else { return .refused }
            let user = User(
                id: id,
                name: try row.decode("name", as: String.self),
                isAdmin: try row.decode("is_admin", as: Bool.self)
            )
            try transaction.send(
                "DELETE FROM device_sign_ins WHERE device_code_hash = $1",
                [.bytes(deviceCodeHash)]
            )
            _ = try transaction.addSession(
                of: user.id,
                tokenHash: tokenHash,
                try row.decode("device", as: String.self),
                lifetime
            )
            return .signedIn(user)
        }
    }

    /// The device that waits with a user code.
    /// - Returns: nil if there is none: the code is unknown, answered or expired.
    public func waitingDevice(userCodeHash: [UInt8]) async throws -> WaitingDevice? {
        let rows = try await pool.query(
            """
            SELECT device, address, created_at, expires_at FROM device_sign_ins
            WHERE user_code_hash = $1 AND state = 'pending' AND expires_at > now()
            """,
            [.bytes(userCodeHash)]
        )
        return try rows.first.map { row in
            WaitingDevice(
                device: try row.decode("device", as: String.self),
                address: try row.decode("address", as: String?.self),
                askedAt: try row.timestamp("created_at"),
                expiresAt: try row.timestamp("expires_at")
            )
        }
    }

    /// Stores a user's answer to a device.
    /// - Parameters:
    ///   - userCodeHash: SHA-256 of the code that the user typed.
    ///   - isConfirmed: whether the device is signed in as this user, with its next poll.
    ///   - user: the user.
    /// - Returns: false if no device waits with that code.
    /// - Throws: `WireError.notFound` if there is no such user; `PostgresError`.
    public func answerDevice(
        userCodeHash: [UInt8],
        isConfirmed: Bool,
        by user: User
    ) async throws -> Bool {
        let state: DeviceSignInState = isConfirmed ? .confirmed : .refused
        return try await pool.transaction { transaction in
            // An account that is being disabled ends its sign-ins after this, or is seen here.
            _ = try await transaction.lockUser(user.id)
            let answered = try await transaction.query(
                """
                UPDATE device_sign_ins SET state = $2, user_id = $3
                WHERE user_code_hash = $1 AND state = 'pending' AND expires_at > now()
                RETURNING device, address
                """,
                [
                    .bytes(userCodeHash), .text(state.rawValue),
                    isConfirmed ? .uuid(user.id) : .null,
                ]
            )
            guard let row = answered.first else { return false }
            var detail = ["device": try row.decode("device", as: String.self)]
            detail["address"] = try row.decode("address", as: String?.self)
            try transaction.audit(
                isConfirmed ? .sessionDeviceConfirmed : .sessionDeviceRefused,
                by: Actor(user),
                object: "\(user.id)",
                detail: detail
            )
            return true
        }
    }
}

/// The user's answer to a device.
private enum DeviceSignInState: String {
    case pending, confirmed, refused
}
