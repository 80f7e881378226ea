// Regular expressions of the numbers within bounds.

/// A bound of a number.
struct NumberBound {
    var value: Decimal
    var isExclusive: Bool
}

/// A number with finitely many decimal places.
struct Decimal: Sendable, Hashable {
    var isNegative: Bool
    /// The absolute value's integer part.
    var whole: Int
    /// Its decimal places, without zeros at the end.
    var places: [UInt8]

    init(isNegative: Bool, whole: Int, places: [UInt8]) {
        self.isNegative = isNegative
        self.whole = whole
        self.places = places
    }

    /// The shortest decimal that reads as `number`; nil if it is too large or has too many places.
    init?(_ number: Double) {
        guard abs(number) <= Double(SchemaCompiler.integerMax) else { return nil }
        isNegative = number < 0
        let text = "\(abs(number))"
        let parts = text.split(separator: "e")
        let exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
        let digits = parts[0].split(separator: ".")
        var whole = Array(digits[0].utf8.map { $0 - 48 })
        var places = digits.count == 2 ? Array(digits[1].utf8.map { $0 - 48 }) : []
        for _ in 0..<max(0, exponent) { whole.append(places.isEmpty ? 0 : places.removeFirst()) }
        for _ in 0..<max(0, -exponent) { places.insert(whole.popLast() ?? 0, at: 0) }
        while places.last == 0 { places.removeLast() }
        guard places.count <= 15 else { return nil }
        self.whole = whole.reduce(0) { $0 * 10 + Int($1) }
        self.places = places
    }

    /// The nearest number of floating point.
    var double: Double {
        let text = "\(whole)." + (places.isEmpty ? "0" : places.map { "\($0)" }.joined())
        return (Double(text) ?? 0) * (isNegative ? -1 : 1)
    }

    var isZero: Bool { whole == 0 && places.isEmpty }
    /// The greatest integer that is not greater.
    var floor: Int { isNegative ? -whole - (places.isEmpty ? 0 : 1) : whole }
    /// The least integer that is not less.
    var ceiling: Int { isNegative ? -whole : whole + (places.isEmpty ? 0 : 1) }
}

/// Builds regular expressions of numbers.
enum NumberPattern {
    /// Any decimal places.
    private static let anyPlaces = #"(\.[0-9]{1,15})?"#

    // MARK: - Integers

    /// The integers from `low` to `high`; `low` is not greater.
    static func integers(_ low: Int, _ high: Int) -> String {
        var options: [String] = []
        if low < 0 { options += naturals(max(1, -high), -low).map { "-" + $0 } }
        if high >= 0 { options += naturals(max(0, low), high) }
        return "(" + options.joined(separator: "|") + ")"
    }

    /// The integers from `low` to `high`, neither negative, by the number of their digits.
    private static func naturals(_ low: Int, _ high: Int) -> [String] {
        guard low <= high else { return [] }
        var options: [String] = []
        var low = low
        while true {
            let digits = "\(low)".utf8.count
            let last = digits >= 18 ? high : min(high, power(digits) - 1)
            options.append(sameLength(Array("\(low)".utf8), Array("\(last)".utf8)))
            if last == high { return options }
            low = last + 1
        }
    }

    private static func power(_ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { product, _ in product * 10 }
    }

    /// The digits from `low` to `high`, which have the same length.
    private static func sameLength(_ low: [UInt8], _ high: [UInt8]) -> String {
        guard let first = low.first, let last = high.first else { return "" }
        let (lowRest, highRest) = (Array(low.dropFirst()), Array(high.dropFirst()))
        if first == last { return text(first) + sameLength(lowRest, highRest) }
        let any = lowRest.isEmpty ? "" : "[0-9]{\(lowRest.count)}"
        var options: [String] = []
        var (from, to) = (first, last)
        if lowRest.contains(where: { $0 != 48 }) {
            options.append(text(first) + sameLength(lowRest, lowRest.map { _ in 57 }))
            from += 1
        }
        if highRest.contains(where: { $0 != 57 }) {
            options.append(text(last) + sameLength(highRest.map { _ in 48 }, highRest))
            to -= 1
        }
        if from <= to { options.append("[\(text(from))-\(text(to))]" + any) }
        return "(" + options.joined(separator: "|") + ")"
    }

    private static func text(_ digit: UInt8) -> String {
        String(Unicode.Scalar(digit))
    }

    // MARK: - Numbers

    /// The numbers from `low` to `high`; nil if there is none. Without a bound they have up to 15
    /// digits before the point.
    static func numbers(from low: NumberBound?, to high: NumberBound?) -> String? {
        var options: [String] = []
        let isLowNegative = low?.value.isNegative ?? true
        if isLowNegative {
            // The absolute values, from that of `high` on; -0 is 0.
            let least = high.flatMap { $0.value.isNegative || $0.value.isZero ? $0 : nil }
            if let pattern = magnitudes(from: least, to: low) { options.append("-" + pattern) }
        }
        if !(high?.value.isNegative ?? false) {
            let least = isLowNegative ? nil : low
            if let pattern = magnitudes(from: least, to: high) { options.append(pattern) }
        }
        return options.isEmpty ? nil : "(" + options.joined(separator: "|") + ")"
    }

    /// The numbers whose absolute value is between those of the bounds; from 0, to the largest.
    private static func magnitudes(from low: NumberBound?, to high: NumberBound?) -> String? {
        let least =
            low
            ?? NumberBound(
                value: Decimal(isNegative: false, whole: 0, places: []),
                isExclusive: false
            )
        guard let high else {
            var options = atLeast(least).map { ["\(least.value.whole)" + $0] } ?? []
            if least.value.whole < SchemaCompiler.integerMax {
                let more = integers(least.value.whole + 1, SchemaCompiler.integerMax)
                options.append(more + anyPlaces)
            }
            return "(" + options.joined(separator: "|") + ")"
        }
        let (first, last) = (least.value.whole, high.value.whole)
        guard first <= last else { return nil }
        if first == last {
            return between(least, high).map { "\(first)" + $0 }
        }
        var options: [String] = []
        if let places = atLeast(least) { options.append("\(first)" + places) }
        if first + 1 <= last - 1 { options.append(integers(first + 1, last - 1) + anyPlaces) }
        if let places = atMost(high) { options.append("\(last)" + places) }
        return options.isEmpty ? nil : "(" + options.joined(separator: "|") + ")"
    }

    private static func atLeast(_ bound: NumberBound) -> String? {
        PlacesPattern(low: bound, high: nil).pattern
    }

    private static func atMost(_ bound: NumberBound) -> String? {
        PlacesPattern(low: nil, high: bound).pattern
    }

    private static func between(_ low: NumberBound, _ high: NumberBound) -> String? {
        PlacesPattern(low: low, high: high).pattern
    }
}
