// What `stoa doctor` found, as values: each check says what was seen and what to do about it.

/// One thing that was looked at.
public struct DoctorCheck: Encodable, Hashable, Sendable {
    /// How bad it is.
    public enum Verdict: String, Encodable, Sendable, Comparable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, and may not for long, or not for everybody.
        case warning
        /// It does not work, or loses what it should keep.
        case failure

        /// Worse ones come later.
        public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .failure: 2
            }
        }
    }

    /// What it is about.
    public enum Area: String, Encodable, Sendable, CaseIterable {
        case settings, storage, database, schema, work, engine, certificate, network
    }

    /// What it is about.
    public let area: Area
    /// What was looked at.
    public let name: String
    /// How bad it is.
    public let verdict: Verdict
    /// What was seen.
    public let found: String
    /// What to do about it; nil where nothing has to be done.
    public let advice: String?

    private init(
        _ area: Area,
        _ name: String,
        _ verdict: Verdict,
        _ found: String,
        _ advice: String?
    ) {
        self.area = area
        self.name = name
        self.verdict = verdict
        self.found = found
        self.advice = advice
    }

    /// Something as it should be.
    public static func ok(_ area: Area, _ name: String, _ found: String) -> DoctorCheck {
        DoctorCheck(area, name, .ok, found, nil)
    }

    /// Something that may not work for long, or not for everybody.
    public static func warning(
        _ area: Area,
        _ name: String,
        _ found: String,
        do advice: String
    ) -> DoctorCheck {
        DoctorCheck(area, name, .warning, found, advice)
    }

    /// Something that does not work.
    public static func failure(
        _ area: Area,
        _ name: String,
        _ found: String,
        do advice: String
    ) -> DoctorCheck {
        DoctorCheck(area, name, .failure, found, advice)
    }

    private enum CodingKeys: String, CodingKey { case area, name, verdict, found, advice }
}

/// All that was looked at.
public struct DoctorReport: Encodable, Sendable {
    /// The worst verdict.
    public let verdict: DoctorCheck.Verdict
    /// The checks, in the order of their areas.
    public let checks: [DoctorCheck]

    /// A report of these checks.
    public init(_ checks: [DoctorCheck]) {
        verdict = checks.map(\.verdict).max() ?? .ok
        let areas = DoctorCheck.Area.allCases
        self.checks = areas.flatMap { area in checks.filter { $0.area == area } }
    }

    /// What a script is told: 0, 1 with warnings, 2 with failures.
    public var exitStatus: Int32 {
        switch verdict {
        case .ok: 0
        case .warning: 1
        case .failure: 2
        }
    }

    /// The report for people: a heading for each area, a line for each check, and below it what to do.
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

/// From which figures on the doctor warns.
public struct DoctorLimits: Sendable {
    /// Bytes free on a disk below which it is as good as full.
    public var freeBytesMin: Int64 = 1 << 30
    /// Bytes free on a disk below which it will be soon.
    public var freeBytesLow: Int64 = 5 << 30
    /// Days before a certificate's end at which it should be renewed.
    public var certificateDays = 14
    /// Seconds that two clocks may differ.
    public var clockSeconds = 2.0
    /// Seconds for which a transaction may be open.
    public var transactionSeconds = 300.0
    /// Dead rows that are worth a word, where they are also more than two in five.
    public var deadRows: Int64 = 50_000
    /// Seconds for which an answer may wait.
    public var waitSeconds = 600.0

    /// The usual limits.
    public init() {}
}

/// Durations as people say them.
enum SpokenTime {
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
