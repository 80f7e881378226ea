// Numbers: bounds and multiples.

import JSONText

extension SchemaCompiler {
    /// The largest integer that is written: all JSON readers keep it exact.
    static let integerMax = 999_999_999_999_999
    /// Maximum number of multiples that are listed.
    private static let multiplesMax = 1_000

    /// The node of an integer.
    mutating func integerNode(_ schema: SchemaObject) throws(ConstraintError) -> NodeID {
        var low = -Self.integerMax
        var high = Self.integerMax
        for name in ["minimum", "exclusiveMinimum"] {
            guard let bound = try bound(schema, name) else { continue }
            let isExclusive = name == "exclusiveMinimum"
            low = max(low, isExclusive ? bound.floor + 1 : bound.ceiling)
        }
        for name in ["maximum", "exclusiveMaximum"] {
            guard let bound = try bound(schema, name) else { continue }
            let isExclusive = name == "exclusiveMaximum"
            high = min(high, isExclusive ? bound.ceiling - 1 : bound.floor)
        }
        guard low <= high else {
            throw ConstraintError(at: schema.pointer, "no integer is within the bounds")
        }
        if let step = schema["multipleOf"] {
            return try multiples(of: step, from: low, to: high, schema)
        }
        return try PatternParser.compile(NumberPattern.integers(low, high), with: &builder)
    }

    private mutating func multiples(
        of step: JSONValue,
        from low: Int,
        to high: Int,
        _ schema: SchemaObject
    ) throws(ConstraintError) -> NodeID {
        guard let step = step.integer, step > 0 else {
            throw schema.error("multipleOf", "it must be an integer of at least 1 for an integer")
        }
        if step == 1 {
            return try PatternParser.compile(NumberPattern.integers(low, high), with: &builder)
        }
        if step == 10, low == -Self.integerMax, high == Self.integerMax {
            return try PatternParser.compile("0|-?[1-9][0-9]{0,13}0", with: &builder)
        }
        let first = (low / step + (low % step > 0 ? 1 : 0)) * step
        guard first <= high else {
            throw schema.error("multipleOf", "no multiple is within the bounds")
        }
        guard (high - first) / step < Self.multiplesMax else {
            throw schema.error(
                "multipleOf",
                "it is supported with a minimum and a maximum that allow up to "
                    + "\(Self.multiplesMax) values"
            )
        }
        var options: [NodeID] = []
        for value in stride(from: first, through: high, by: step) {
            options.append(try builder.literal("\(value)"))
        }
        return try builder.choice(options)
    }

    /// The node of a number.
    mutating func numberNode(_ schema: SchemaObject) throws(ConstraintError) -> NodeID {
        if schema["multipleOf"] != nil {
            guard schema["multipleOf"]?.integer != nil else {
                throw schema.error("multipleOf", "it is supported only for integers")
            }
            // Multiples of an integer are integers.
            return try integerNode(schema)
        }
        let low = try tightest(schema, ["minimum", "exclusiveMinimum"]) { $0 > $1 }
        let high = try tightest(schema, ["maximum", "exclusiveMaximum"]) { $0 < $1 }
        if low == nil, high == nil {
            return try PatternParser.compile(JSONNodes.number, with: &builder)
        }
        let pattern = NumberPattern.numbers(from: low, to: high)
        guard let pattern else {
            throw ConstraintError(at: schema.pointer, "no number is within the bounds")
        }
        return try PatternParser.compile(pattern, with: &builder)
    }

    private func tightest(
        _ schema: SchemaObject,
        _ names: [String],
        by isTighter: (Double, Double) -> Bool
    ) throws(ConstraintError) -> NumberBound? {
        var result: NumberBound?
        for name in names {
            guard let decimal = try bound(schema, name) else { continue }
            let bound = NumberBound(value: decimal, isExclusive: name.hasPrefix("exclusive"))
            guard let best = result else {
                result = bound
                continue
            }
            // The exclusive bound comes second, and is the tighter one of equal bounds.
            if !isTighter(best.value.double, decimal.double) { result = bound }
        }
        return result
    }

    private func bound(
        _ schema: SchemaObject,
        _ name: String
    ) throws(ConstraintError) -> Decimal? {
        guard let value = schema[name] else { return nil }
        guard let number = value.double else {
            throw schema.error(name, "it must be a number, and is \(value.kindName)")
        }
        // Nothing is written beyond the limit, so a wider bound is the limit.
        let limit = Double(Self.integerMax)
        let isLower = name.hasSuffix("inimum")
        guard isLower ? number <= limit : number >= -limit else {
            throw schema.error(name, "numbers beyond \(Self.integerMax) are not supported")
        }
        guard let decimal = Decimal(min(max(number, -limit), limit)) else {
            throw schema.error(name, "more than 15 decimal places are not supported")
        }
        return decimal
    }
}
