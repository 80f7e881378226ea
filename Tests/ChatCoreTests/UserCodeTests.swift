import ChatCore
import TestSupport
import Testing

@Suite("User codes")
struct UserCodeTests {
    @Test("have eight letters of twenty, each as likely, and are read as they are shown")
    func random() throws {
        var generator = SeededGenerator(seed: 47)
        var counts: [Character: Int] = [:]
        for _ in 0..<2_000 {
            let code = UserCode(using: &generator)
            #expect(code.text.count == 9 && code.text.split(separator: "-").map(\.count) == [4, 4])
            #expect(UserCode(typed: code.text) == code)
            for letter in code.letters { counts[letter, default: 0] += 1 }
        }
        // 800 of each, with a standard deviation of 28.
        #expect(Set(counts.keys) == Set(UserCode.alphabet))
        #expect(counts.values.allSatisfy { (600...1_000).contains($0) }, "\(counts)")
    }

    @Test(
        "are read in either case, with or without hyphens and spaces",
        arguments: ["BCDF-GHJK", "bcdfghjk", " bcdf ghjk\n", "B-C-D-F-G-H-J-K", "bcdf\u{A0}ghjk"]
    )
    func typed(text: String) {
        #expect(UserCode(typed: text)?.text == "BCDF-GHJK")
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF-GHJ0", "BCDF_GHJK", "ВCDF-GHJK",
            String(repeating: "-", count: 100) + "BCDFGHJK", "BCDF-GHJ\0", "ßßßß-BCDF",
        ]
    )
    func wrong(text: String) {
        #expect(UserCode(typed: text) == nil)
    }
}
