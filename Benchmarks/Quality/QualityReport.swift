// The figures of all arithmetics, as JSON and as a table.

/// What was measured of a model.
package struct QualityReport: Codable, Hashable, Sendable {
    /// The model's name.
    package let model: String
    /// Number of tokens read.
    package let tokens: Int
    /// Tokens of a window.
    package let window: Int
    /// The figures, float32 first.
    package let figures: [QualityFigures]

    /// Creates a report.
    package init(model: String, tokens: Int, window: Int, figures: [QualityFigures]) {
        self.model = model
        self.tokens = tokens
        self.window = window
        self.figures = figures
    }

    /// The lines of a table in Markdown.
    package var table: [String] {
        let head = [
            "\(model): \(tokens) tokens in windows of \(window)", "",
            "| arithmetic | perplexity | nats/token | greedy tokens agree | KL mean | KL 99 % | KL max |",
            "|---|---|---|---|---|---|---|",
        ]
        return head
            + figures.map { figures in
                let difference = figures.difference.map {
                    [
                        "\(Self.digits($0.agreement * 100, 2)) %", Self.digits($0.mean, 6),
                        Self.digits($0.most, 5), Self.digits($0.largest, 4),
                    ]
                }
                let cells = [
                    figures.kernels, Self.digits(figures.perplexity, 3),
                    Self.digits(figures.nats, 5),
                ]
                let all = cells + (difference ?? ["", "", "", ""])
                return "| \(all.joined(separator: " | ")) |"
            }
    }

    /// A number with this many decimal places.
    private static func digits(_ number: Double, _ places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        guard number.isFinite, abs(number) * scale < 1e15 else { return "\(number)" }
        let whole = Int((number * scale).rounded())
        let rest = "\(abs(whole) % Int(scale))"
        let zeros = String(repeating: "0", count: places - rest.count)
        return "\(whole < 0 ? "-" : "")\(abs(whole) / Int(scale)).\(zeros)\(rest)"
    }
}
