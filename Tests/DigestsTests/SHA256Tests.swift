import Digests
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// The examples of FIPS 180-2, appendix B, and NIST's for the empty message.
    @Test(
        "the standard's examples",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ]
    )
    func examples(text: String, repetitions: Int, digest: String) {
        let bytes = String(repeating: text, count: repetitions)
        #expect(SHA256.digest(of: bytes).hexadecimal == digest)
    }

    @Test("the digest does not depend on how the bytes are split")
    func cuts() {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for count in [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 300] {
            let whole = SHA256.digest(of: bytes[..<count])
            for cut in 0...count {
                var hash = SHA256()
                hash.update(bytes[..<cut])
                hash.update(bytes[cut..<count].lazy.map { $0 })
                #expect(hash.finish() == whole)
            }
        }
    }

    @Test(
        "hexadecimal digits",
        arguments: [("", []), ("00ff10", [0, 255, 16]), ("0", nil), ("0g", nil), ("é", nil)]
            as [(String, [UInt8]?)]
    )
    func hexadecimal(text: String, bytes: [UInt8]?) {
        #expect(Hexadecimal.bytes(text) == bytes)
        if let bytes { #expect(Hexadecimal.text(bytes) == text) }
    }
}
