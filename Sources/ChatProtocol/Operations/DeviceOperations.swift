// Operations on devices that wait to be signed in by a code (RFC 8628, section 3.3).

extension Operation {
    /// Finds the device that waits with a code.
    public static var deviceFind: Operation<DeviceFindRequest, WaitingDevice> {
        .init(
            "device.find",
            requires: .signedIn,
            scope: .account,
            takes: "`user_code` (in either case, with or without the hyphen)",
            replies: """
                `{device, address?, asked_at, expires_at}`: what waits to be signed in with this \
                code; not with an API key
                """,
            examples: [DeviceFindRequest(userCode: "BCDF-GHJK")]
        )
    }

    /// Signs a waiting device in, or refuses it.
    public static var deviceAnswer: Operation<DeviceAnswerRequest, EmptyReply> {
        .init(
            "device.answer",
            requires: .signedIn,
            scope: .account,
            takes: "`user_code`, `confirmed`",
            replies: """
                `{}`; the device is signed in as the user if `confirmed` is true, else refused; not \
                with an API key
                """,
            examples: [DeviceAnswerRequest(userCode: "BCDF-GHJK", isConfirmed: true)]
        )
    }
}

extension OperationDefinition {
    static let devices: [OperationDefinition] = [.init(.deviceFind), .init(.deviceAnswer)]
}

// MARK: Requests and replies

/// `device.find`: finds the device that waits with a code.
public struct DeviceFindRequest: Codable, Sendable {
    /// The code that the device shows.
    public var userCode: String

    /// Creates a request.
    public init(userCode: String) {
        self.userCode = userCode
    }

    enum CodingKeys: String, CodingKey {
        case userCode = "user_code"
    }
}

/// The reply of `device.find`: who wants to be signed in.
public struct WaitingDevice: Codable, Hashable, Sendable {
    /// The device's name for itself: anybody can choose any.
    public var device: String
    /// The address from which it asked; absent if unknown.
    public var address: String?
    /// When it asked.
    public var askedAt: Timestamp
    /// When its code expires.
    public var expiresAt: Timestamp

    /// Creates a reply.
    public init(device: String, address: String?, askedAt: Timestamp, expiresAt: Timestamp) {
        self.device = device
        self.address = address
        self.askedAt = askedAt
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case device, address
        case askedAt = "asked_at"
        case expiresAt = "expires_at"
    }
}

/// `device.answer`: signs a waiting device in as the user, or refuses it.
public struct DeviceAnswerRequest: Codable, Sendable {
    /// The code that the device shows.
    public var userCode: String
    /// Whether it is signed in.
    public var isConfirmed: Bool

    /// Creates a request.
    public init(userCode: String, isConfirmed: Bool) {
        self.userCode = userCode
        self.isConfirmed = isConfirmed
    }

    enum CodingKeys: String, CodingKey {
        case userCode = "user_code"
        case isConfirmed = "confirmed"
    }
}
