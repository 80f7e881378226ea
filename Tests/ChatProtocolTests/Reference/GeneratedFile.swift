// A file of docs/reference of which all or a part is generated from the definitions of operations.

import FoundationEssentials
import TestSupport
import Testing

/// What is generated, and where it stands.
struct GeneratedFile {
    /// Below docs/reference.
    let name: String
    /// The whole text as it should be.
    let text: String

    private static func path(_ name: String) -> String {
        "\(SharedFiles.packageRoot)/docs/reference/\(name)"
    }

    /// A file that is generated as a whole.
    init(_ name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// A file of which the lines between two are generated; the others are written by hand.
    init(_ name: String, after first: String, before last: String, lines: [String]) throws {
        let kept = try String(contentsOfFile: Self.path(name), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(kept.firstIndex { $0 == first }, "\(name) has no line \(first)")
        let end = try #require(kept[begin...].firstIndex { $0 == last }, "\(name) has no \(last)")
        let all = kept[...begin].map(String.init) + lines + kept[end...].map(String.init)
        self.init(name, text: all.joined(separator: "\n"))
    }

    /// Compares the text with the file, which `make reference` writes anew before.
    func expectIsCurrent() throws {
        if ProcessInfo.processInfo.environment["STOA_WRITE_REFERENCE"] != nil {
            try text.write(toFile: Self.path(name), atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOfFile: Self.path(name), encoding: .utf8)
        let difference = zip(
            text.split(separator: "\n", omittingEmptySubsequences: false),
            kept.split(separator: "\n", omittingEmptySubsequences: false)
        ).first { $0 != $1 }
        #expect(
            text == kept,
            "\(name): run `make reference`; the first difference: \(difference ?? ("", ""))"
        )
    }
}
