// Regular expressions of the decimal places within bounds, digit by digit.

/// The decimal places of a number between two bounds with the same integer part.
struct PlacesPattern {
    /// The least places, and whether exactly these are excluded; nil for zero.
    var low: NumberBound?
    /// The greatest places, and whether exactly these are excluded; nil for no limit.
    var high: NumberBound?

    /// The point with places, or nothing where that is within the bounds; nil if nothing is.
    var pattern: String? {
        let lowPlaces = low?.value.places ?? []
        let highPlaces = high?.value.places
        // Without places the value is zero.
        let allowsNone =
            lowPlaces.isEmpty && low?.isExclusive != true
            && !(highPlaces?.isEmpty == true && high?.isExclusive == true)
        let digits = places(lowPlaces[...], highPlaces.map { $0[...] }, isFirst: true)
        switch (allowsNone, digits) {
        case (true, let digits?): return #"(\."# + digits + ")?"
        case (true, nil): return ""
        case (false, let digits?): return #"\."# + digits
        case (false, nil): return nil
        }
    }

    /// The digits from `low` on, with at least one where `isFirst`; missing digits of a bound are
    /// zeros; nil for `high` where it is no limit any more, and for `low` where it is none.
    private func places(
        _ low: ArraySlice<UInt8>?,
        _ high: ArraySlice<UInt8>?,
        isFirst: Bool
    ) -> String? {
        let lowLeft = low.flatMap { $0.isEmpty && self.low?.isExclusive != true ? nil : $0 }
        guard lowLeft != nil || high != nil else { return isFirst ? "[0-9]{1,15}" : "[0-9]{0,15}" }
        if let high, high.isEmpty, self.high?.isExclusive == true { return nil }
        if let high, high.isEmpty {
            // Only zeros are left, and not even these above an exclusive bound of zero.
            return lowLeft == nil ? (isFirst ? "0{1,3}" : "0{0,3}") : nil
        }
        if let lowLeft, lowLeft.isEmpty, high == nil { return "0{0,9}[1-9][0-9]{0,9}" }
        let from = lowLeft?.first ?? 0
        let to = high?.first ?? 9
        guard from <= to else { return nil }
        var options: [String] = []
        for digit in from...to {
            let rest = places(
                digit == from ? lowLeft?.dropFirst() : nil,
                digit == to ? high?.dropFirst() : nil,
                isFirst: false
            )
            if let rest { options.append("\(digit)" + rest) }
        }
        // The end is within the bounds if zeros are.
        let endsHere = !isFirst && lowLeft == nil
        if options.isEmpty { return endsHere ? "" : nil }
        let joined = "(" + options.joined(separator: "|") + ")"
        return endsHere ? joined + "?" : joined
    }
}
