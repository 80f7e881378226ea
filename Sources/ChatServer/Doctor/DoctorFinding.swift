// What a check found: a sentence, and its code unless the sentence is another program's, or the same
// in all languages.

package import ChatProtocol

/// What a check found. A literal is a sentence without a code: an error's text, names and numbers.
package struct DoctorFinding: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The sentence, in English.
    package let sentence: String
    /// Its code; nil if it has none.
    package let code: SentenceCode?

    /// A sentence without a code.
    package init(stringLiteral sentence: String) {
        self.sentence = sentence
        code = nil
    }

    private init(_ sentence: String, _ code: SentenceCode) {
        self.sentence = sentence
        self.code = code
    }

    /// A sentence with a code.
    /// - Parameters:
    ///   - fact: its kind.
    ///   - values: what stands in it, by names.
    ///   - seconds: the duration `{span}`, in seconds.
    /// - Returns: the finding.
    package static func known(
        _ fact: DoctorFact,
        _ values: [String: String] = [:],
        span seconds: Double? = nil
    ) -> DoctorFinding {
        var texts = values
        var values = values
        if let seconds {
            texts["span"] = DurationText.text(seconds)
            values["span"] = "\(seconds)"
        }
        return DoctorFinding(
            SentenceTemplate.fill(fact.template, texts),
            SentenceCode(fact.rawValue, values)
        )
    }
}

/// Durations for people.
enum DurationText {
    /// Such as "40 s", "12 min", "3 h" or "21 days".
    static func text(_ seconds: Double) -> String {
        switch abs(seconds) {
        case ..<10: "\((seconds * 10).rounded() / 10) s"
        case ..<120: "\(Int(seconds.rounded())) s"
        case ..<7200: "\(Int((seconds / 60).rounded())) min"
        case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
        default: "\(Int((seconds / 86400).rounded())) days"
        }
    }
}
