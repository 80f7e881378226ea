// Results of `stoa doctor` as values: each check says what was found and what to do about it.

package import ChatProtocol

/// The result of one check.
public struct DoctorCheck: Encodable, Hashable, Sendable {
    /// The severity of a result.
    public enum Verdict: String, Encodable, Sendable, Comparable, CaseIterable {
        /// No problem.
        case ok
        /// It works, but perhaps not for long, or not for everyone.
        case warning
        /// It does not work, or can lose data.
        case failure

        /// Compares by severity.
        public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .failure: 2
            }
        }
    }

    /// The area of a check.
    public enum Area: String, Encodable, Sendable, CaseIterable {
        case settings, storage, database, schema, work, engine, certificate, network
    }

    /// The area.
    public let area: Area
    /// What was checked.
    public let name: String
    /// The severity.
    public let verdict: Verdict
    /// What was found.
    public let found: String
    /// The code of what was found; nil if the sentence has none.
    package let foundCode: SentenceCode?
    /// What to do about it; nil if there is nothing to do.
    public let advice: String?
    /// The code of the advice.
    package let adviceCode: SentenceCode?

    private init(
        _ area: Area,
        _ name: String,
        _ verdict: Verdict,
        _ found: DoctorFinding,
        _ advice: DoctorAdvice? = nil,
        _ values: [String: String] = [:]
    ) {
        self.area = area
        self.name = name
        self.verdict = verdict
        self.found = found.sentence
        foundCode = found.code
        self.advice = advice?.sentence(values)
        adviceCode = advice?.code(values)
    }

    /// Creates a result without a problem.
    package static func ok(
        _ area: Area,
        _ name: String,
        _ found: DoctorFinding
    ) -> DoctorCheck {
        DoctorCheck(area, name, .ok, found)
    }

    /// Creates a warning.
    package static func warning(
        _ area: Area,
        _ name: String,
        _ found: DoctorFinding,
        do advice: DoctorAdvice,
        _ values: [String: String] = [:]
    ) -> DoctorCheck {
        DoctorCheck(area, name, .warning, found, advice, values)
    }

    /// Creates a failure.
    package static func failure(
        _ area: Area,
        _ name: String,
        _ found: DoctorFinding,
        do advice: DoctorAdvice,
        _ values: [String: String] = [:]
    ) -> DoctorCheck {
        DoctorCheck(area, name, .failure, found, advice, values)
    }

    private enum CodingKeys: String, CodingKey {
        case area, name, verdict, found, advice
        case foundCode = "found_code"
        case adviceCode = "advice_code"
    }
}

/// All results.
public struct DoctorReport: Encodable, Sendable {
    /// The worst verdict.
    public let verdict: DoctorCheck.Verdict
    /// The checks, in the order of their areas.
    public let checks: [DoctorCheck]

    /// Creates a report of checks.
    public init(_ checks: [DoctorCheck]) {
        verdict = checks.map(\.verdict).max() ?? .ok
        let areas = DoctorCheck.Area.allCases
        self.checks = areas.flatMap { area in checks.filter { $0.area == area } }
    }

    /// The exit status: 0, 1 with warnings, 2 with failures.
    public var exitStatus: Int32 {
        switch verdict {
        case .ok: 0
        case .warning: 1
        case .failure: 2
        }
    }

    /// The report as text: a heading for each area, a line for each check, followed by its advice.
    public var lines: [String] {
        let width = checks.map(\.name.count).max() ?? 0
        var lines: [String] = []
        var area: DoctorCheck.Area?
        for check in checks {
            if check.area != area { lines.append(check.area.rawValue) }
            area = check.area
            let verdict = Self.padded(check.verdict.rawValue, to: 7)
            let name = Self.padded(check.name, to: width)
            lines.append("  \(verdict)  \(name)  \(check.found)")
            if let advice = check.advice { lines.append("           -> \(advice)") }
        }
        return lines + [summary]
    }

    private var summary: String {
        func count(_ verdict: DoctorCheck.Verdict, _ noun: String) -> String {
            let count = checks.count { $0.verdict == verdict }
            return "\(count == 0 ? "no" : "\(count)") \(noun)\(count == 1 ? "" : "s")"
        }
        return
            "\(checks.count) checks: \(count(.failure, "failure")), \(count(.warning, "warning"))"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// Thresholds of the doctor.
public struct DoctorLimits: Sendable {
    /// Free bytes on a disk below which it is a failure.
    public var freeBytesMin: Int64 = 1 << 30
    /// Free bytes on a disk below which it is a warning.
    public var freeBytesLow: Int64 = 5 << 30
    /// Days before a certificate's expiry at which to renew it.
    public var certificateDays = 14
    /// Allowed difference between two clocks, in seconds.
    public var clockSeconds = 2.0
    /// Allowed age of a transaction, in seconds.
    public var transactionSeconds = 300.0
    /// Dead rows at which to warn, if they are also more than two in five.
    public var deadRows: Int64 = 50_000
    /// Allowed time in the queue, in seconds.
    public var waitSeconds = 600.0

    /// The defaults.
    public init() {}
}
