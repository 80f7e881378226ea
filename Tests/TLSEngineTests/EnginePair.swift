// Two engines and the ciphertext between them, split as a test requires.

import FoundationEssentials
import TLSEngine

/// A client and a server without a network.
final class EnginePair {
    let client: TLSEngine
    let server: TLSEngine
    private(set) var readByClient: [UInt8] = []
    private(set) var readByServer: [UInt8] = []
    private(set) var clientSawEnd = false
    private(set) var serverSawEnd = false

    init(client: TLSEngine, server: TLSEngine) {
        self.client = client
        self.server = server
    }

    /// Transfers ciphertext in both directions, `cut` bytes at a time, until there is no more.
    func carry(cut: Int = 1000) throws {
        while true {
            let toServer = client.takeOutput()
            let toClient = server.takeOutput()
            if toServer.isEmpty && toClient.isEmpty { return }
            for (bytes, receiver) in [(toServer, server), (toClient, client)] {
                for start in stride(from: 0, to: bytes.count, by: cut) {
                    let end = min(bytes.count, start + cut)
                    try Self.give(Array(bytes[start..<end]), to: receiver)
                    try readAll()
                }
            }
        }
    }

    /// Reads all available plaintext.
    func readAll() throws {
        clientSawEnd = try Self.read(client, &readByClient) || clientSawEnd
        serverSawEnd = try Self.read(server, &readByServer) || serverSawEnd
    }

    func write(_ plaintext: [UInt8], to engine: TLSEngine) throws {
        var offset = 0
        while offset < plaintext.count {
            offset += try plaintext[offset...].withUnsafeBytes { try engine.write($0) }
        }
    }

    static func give(_ ciphertext: [UInt8], to engine: TLSEngine) throws {
        try ciphertext.withUnsafeBytes { try engine.receive($0) }
    }

    private static func read(_ engine: TLSEngine, _ received: inout [UInt8]) throws -> Bool {
        guard engine.isHandshakeDone else { return false }
        var buffer = [UInt8](repeating: 0, count: 20_000)
        while true {
            switch try buffer.withUnsafeMutableBytes({ try engine.read(into: $0) }) {
            case .bytes(let count): received += buffer[..<count]
            case .nothing: return false
            case .end: return true
            }
        }
    }
}

/// `count` bytes with a long period, so that a lost or repeated piece is detected.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

/// The bytes of a file, or nil if it cannot be read.
func bytes(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
}
