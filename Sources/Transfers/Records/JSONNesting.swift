/// The nesting depth of JSON, found without parsing it.
package enum JSONNesting {
    /// Whether objects and arrays nest at most `depth` deep.
    package static func isWithin(_ depth: Int, _ text: ArraySlice<UInt8>) -> Bool {
        var open = 0
        var isText = false
        var isEscaped = false
        for byte in text {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open += 1
                if open > depth { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
            default: break
            }
        }
        return true
    }
}
