import TLSEngine
import TestSupport
import Testing

@Suite("TLS engine")
struct TLSEngineTests {
    private let folder: TemporaryFolder
    private let certificate: SelfSignedCertificate

    init() throws {
        folder = try TemporaryFolder()
        certificate = try SelfSignedCertificate(in: folder)
    }

    private func pair(
        name: String = "localhost",
        trusting: Bool = true,
        verification: TLSClientConfiguration.Verification = .full
    ) throws -> EnginePair {
        let server = try TLSServerConfiguration(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        let client = try TLSClientConfiguration(
            serverName: name,
            trustedFile: trusting ? certificate.certificateFile : nil,
            verification: verification
        )
        return EnginePair(
            client: try TLSEngine(client: client),
            server: try TLSEngine(server: server)
        )
    }

    @Test(
        "handshake and data transfer work for every split of the bytes",
        arguments: [1, 7, 100, 100_000]
    )
    func handshake(_ cut: Int) throws {
        let pair = try pair()
        try pair.carry(cut: cut)
        #expect(pair.client.isHandshakeDone && pair.server.isHandshakeDone)
        #expect(pair.client.version == "TLSv1.3")
        let question = pattern(40_000)
        try pair.write(question, to: pair.client)
        try pair.carry(cut: cut)
        #expect(pair.readByServer == question)
        try pair.write(Array("answer".utf8), to: pair.server)
        try pair.carry(cut: cut)
        #expect(pair.readByClient == Array("answer".utf8))
    }

    @Test("ciphertext buffers are freed once their content has been sent")
    func buffers() throws {
        let pair = try pair()
        try pair.carry(cut: 100_000)
        #expect(pair.server.bufferCapacity == 0 && pair.client.bufferCapacity == 0)
        let much = pattern(200_000)
        try pair.write(much, to: pair.client)
        #expect(pair.client.bufferCapacity > much.count)
        try pair.write(much, to: pair.server)
        try pair.carry(cut: 100_000)
        #expect(pair.readByServer == much && pair.readByClient == much)
        #expect(pair.server.bufferCapacity == 0 && pair.client.bufferCapacity == 0)
    }

    @Test("each side closes separately with close_notify")
    func closeNotify() throws {
        let pair = try pair()
        try pair.carry()
        try pair.write(Array("last words".utf8), to: pair.client)
        pair.client.finishWriting()
        pair.client.finishWriting()
        try pair.carry()
        #expect(pair.readByServer == Array("last words".utf8))
        #expect(pair.serverSawEnd && !pair.clientSawEnd)
        try pair.write(Array("still here".utf8), to: pair.server)
        pair.server.finishWriting()
        try pair.carry()
        #expect(pair.readByClient == Array("still here".utf8))
        #expect(pair.clientSawEnd)
    }

    @Test("nothing is encrypted before the handshake is done")
    func early() throws {
        let pair = try pair()
        let taken = try [UInt8](repeating: 1, count: 10).withUnsafeBytes { bytes in
            try pair.client.write(bytes)
        }
        #expect(taken == 0)
    }

    @Test("an IP address in the certificate is accepted")
    func address() throws {
        let pair = try pair(name: "127.0.0.1")
        try pair.carry()
        #expect(pair.client.isHandshakeDone)
    }

    // MARK: Several certificates

    @Test("a client gets the certificate for its server name, or else the first one")
    func names() throws {
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        let certificates = try zip(["DNS:a.test", "DNS:b.test,DNS:*.b.test"], folders).map {
            try SelfSignedCertificate(names: $0, in: $1)
        }
        let server = try TLSServerConfiguration(
            certificates.map { TLSFiles(certificate: $0.certificateFile, key: $0.keyFile) }
        )
        for (name, index) in [("a.test", 0), ("b.test", 1), ("x.b.test", 1)] {
            let client = try TLSClientConfiguration(
                serverName: name,
                trustedFile: certificates[index].certificateFile
            )
            let pair = EnginePair(
                client: try TLSEngine(client: client),
                server: try TLSEngine(server: server)
            )
            try pair.carry()
            #expect(pair.client.isHandshakeDone, "\(name)")
        }
        let stranger = try TLSClientConfiguration(
            serverName: "c.test",
            trustedFile: certificates[0].certificateFile
        )
        let pair = EnginePair(
            client: try TLSEngine(client: stranger),
            server: try TLSEngine(server: server)
        )
        let error = #expect(throws: TLSError.self) { try pair.carry() }
        guard case .untrusted(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // The first certificate, which this client trusts, has another name.
        #expect(reason.contains("mismatch"))
        withExtendedLifetime(folders) {}
    }

    // MARK: Failures

    @Test("a certificate for another name is refused", arguments: ["example.org", "127.0.0.2"])
    func wrongName(_ name: String) throws {
        let pair = try pair(name: name)
        let error = #expect(throws: TLSError.self) { try pair.carry() }
        guard case .untrusted(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("mismatch"))
    }

    @Test("an untrusted certificate is refused, unless verification is off")
    func untrusted() throws {
        let strict = try pair(trusting: false)
        let error = #expect(throws: TLSError.self) { try strict.carry() }
        #expect(error == .untrusted(reason: "self-signed certificate"))
        let lax = try pair(trusting: false, verification: .none)
        try lax.carry()
        #expect(lax.client.isHandshakeDone)
    }

    @Test("a client that refuses the server sends an alert")
    func alert() throws {
        let pair = try pair(name: "example.org")
        #expect(throws: TLSError.self) { try pair.carry() }
        let alert = pair.client.takeOutput()
        #expect(!alert.isEmpty)
        #expect(throws: TLSError.self) { try EnginePair.give(alert, to: pair.server) }
    }

    @Test("bytes that are not TLS are an error, not a crash")
    func garbage() throws {
        let server = try pair().server
        #expect(throws: TLSError.self) {
            try EnginePair.give(Array("GET / HTTP/1.1\r\n\r\n".utf8), to: server)
        }
    }

    @Test("a modified byte of ciphertext is detected")
    func tampered() throws {
        let pair = try pair()
        try pair.carry()
        try pair.write(pattern(100), to: pair.client)
        var ciphertext = pair.client.takeOutput()
        ciphertext[ciphertext.count / 2] ^= 1
        try EnginePair.give(ciphertext, to: pair.server)
        #expect(throws: TLSError.self) { try pair.readAll() }
    }

    @Test("random bytes from the peer never crash an engine")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let pair = try pair()
            let count = Int.random(in: 0...2000, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if Bool.random(using: &generator) {
                // A valid start with one damaged byte.
                bytes = pair.client.takeOutput()
                let place = bytes.indices.randomElement(using: &generator) ?? 0
                bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
            }
            try? EnginePair.give(bytes, to: pair.server)
            try? pair.carry()
        }
    }

    // MARK: Files

    @Test("a missing file, a file of another type and a wrong key are named in the error")
    func files() throws {
        let key = certificate.keyFile
        #expect(throws: TLSError.badFile(path: "/nonexistent", reason: "no such file or directory"))
        {
            try TLSServerConfiguration(certificateFile: "/nonexistent", keyFile: key)
        }
        let error = #expect(throws: TLSError.self) {
            try TLSServerConfiguration(
                certificateFile: certificate.certificateFile,
                keyFile: certificate.certificateFile
            )
        }
        #expect(error?.description.hasPrefix(certificate.certificateFile) == true)
        let otherFolder = try TemporaryFolder()
        let other = try SelfSignedCertificate(in: otherFolder)
        let foreignKey = try folder.write("other.pem", try #require(bytes(other.keyFile)))
        #expect(
            throws: TLSError.keyMismatch(
                certificateFile: certificate.certificateFile,
                keyFile: foreignKey
            )
        ) {
            try TLSServerConfiguration(
                certificateFile: certificate.certificateFile,
                keyFile: foreignKey
            )
        }
    }
}
