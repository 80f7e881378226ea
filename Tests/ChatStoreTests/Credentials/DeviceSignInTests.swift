import ChatCore
import ChatProtocol
import ChatStore
import Postgres
import Testing

private let lifetime = SessionLifetime(idle: .seconds(60), absolute: .seconds(600))

private func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

/// A device whose codes have the hashes of `byte` and `byte + 100`.
private func device(_ byte: UInt8, place: String? = "192.0.2.1") -> NewDeviceSignIn {
    NewDeviceSignIn(
        deviceCodeHash: hash(byte),
        userCodeHash: hash(byte + 100),
        device: "stoa on laptop",
        address: "192.0.2.1",
        place: place
    )
}

extension Store {
    fileprivate func begin(_ byte: UInt8, lasting seconds: Int = 60) async throws {
        let isNew = try await credentials.addDeviceSignIn(
            device(byte),
            lifetime: .seconds(seconds),
            pollInterval: 2
        )
        #expect(isNew)
    }

    fileprivate func poll(_ byte: UInt8, token: UInt8 = 200) async throws -> String {
        let found = try await credentials.pollDeviceSignIn(
            deviceCodeHash: hash(byte),
            tokenHash: hash(token),
            lifetime: lifetime
        )
        return switch found {
        case .signedIn(let user): user.name
        case .pending: "pending"
        case .tooEarly: "too early"
        case .refused: "refused"
        case .expired: "expired"
        case .unknown: "unknown"
        }
    }

    fileprivate func answer(_ byte: UInt8, _ isConfirmed: Bool, _ user: User) async throws -> Bool {
        try await credentials.answerDevice(
            userCodeHash: hash(byte + 100),
            isConfirmed: isConfirmed,
            by: user
        )
    }
}

@Suite("Devices that wait to be signed in")
struct DeviceSignInTests {
    @Test("get one sign-in with their name once the user has confirmed, and the code is used up")
    func confirmed() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone("ann"), try await store.someone("bob"))
            try await store.begin(1)
            #expect(try await store.poll(1) == "pending")
            #expect(try await store.poll(1) == "too early")
            let found = try await store.credentials.waitingDevice(userCodeHash: hash(101))
            #expect(found?.device == "stoa on laptop" && found?.address == "192.0.2.1")
            #expect(try await store.answer(1, true, ann))
            // Answered once: nobody else can refuse it, or take it over.
            #expect(try await !store.answer(1, false, ann))
            #expect(try await !store.answer(1, true, bob))
            #expect(try await store.credentials.waitingDevice(userCodeHash: hash(101)) == nil)
            #expect(try await store.poll(1) == "ann")
            #expect(try await store.poll(1, token: 201) == "unknown")
            let signedIn = try await store.sessions.session(
                tokenHash: hash(200),
                lifetime: lifetime
            )
            #expect(signedIn?.user == ann && signedIn?.isKey == false)
            #expect(
                try await store.sessions.session(tokenHash: hash(201), lifetime: lifetime) == nil
            )
            let sessions = try await store.sessions.list(of: ann.id, current: nil)
            #expect(sessions.map(\.device) == ["stoa on laptop"])
            let log = try await store.audit.entries(AuditListRequest(), limit: 9).entries
            #expect(log.map(\.action) == ["session.device_confirmed"])
            #expect(log.first?.detail == ["device": "stoa on laptop", "address": "192.0.2.1"])
            #expect(log.first?.actor.name == "ann" && log.first?.object == "\(ann.id)")
        }
    }

    @Test("are refused, or expire, and stay so")
    func refused() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("ann")
            try await store.begin(1)
            #expect(try await store.answer(1, false, ann))
            #expect(try await store.poll(1) == "refused")
            #expect(try await store.poll(1) == "refused")
            #expect(try await !store.answer(1, true, ann))
            try await store.begin(2, lasting: 0)
            #expect(try await store.poll(2) == "expired")
            #expect(try await store.credentials.waitingDevice(userCodeHash: hash(102)) == nil)
            #expect(try await !store.answer(2, true, ann))
            try await store.lifeCycle.deleteExpired()
            #expect(try await store.poll(2) == "expired")
            #expect(try await store.poll(3) == "unknown")
            #expect(try await store.sessions.list(of: ann.id, current: nil).isEmpty)
        }
    }

    @Test(
        "are not signed in once all sign-ins of the user have ended",
        arguments: ["revoked", "password", "disabled", "deleted"]
    )
    func ended(how: String) async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("ann")
            try await store.begin(1)
            #expect(try await store.answer(1, true, ann))
            switch how {
            case "revoked":
                _ = try await store.sessions.revokeAll(of: ann.id, but: nil, by: .terminal)
            case "password":
                try await store.credentials.changePassword(of: ann, from: "none", to: "x", but: nil)
            case "disabled": try await store.accounts.disable(ann.id, by: .terminal)
            default: try await store.accounts.delete(ann.id, by: .terminal)
            }
            let result = try await store.poll(1)
            #expect(["unknown", "refused"].contains(result), "\(how): \(result)")
            let signedIn = try await store.sessions.session(
                tokenHash: hash(200),
                lifetime: lifetime
            )
            #expect(signedIn == nil)
        }
    }

    @Test("are limited for each place, and a user code belongs to one device")
    func limits() async throws {
        try await withStore { store, _ in
            for byte: UInt8 in 0..<50 { try await store.begin(byte) }
            let code = await refusal { try await store.begin(50) }
            #expect(code == .rateLimited)
            let elsewhere = try await store.credentials.addDeviceSignIn(
                device(50, place: nil),
                lifetime: .seconds(60),
                pollInterval: 2
            )
            #expect(elsewhere)
            var same = device(51, place: "192.0.2.2")
            same.userCodeHash = hash(101)
            let isNew = try await store.credentials.addDeviceSignIn(
                same,
                lifetime: .seconds(60),
                pollInterval: 2
            )
            #expect(!isNew)
            // Answered ones do not wait.
            let ann = try await store.someone("ann")
            #expect(try await store.answer(0, false, ann))
            try await store.begin(52)
        }
    }
}
