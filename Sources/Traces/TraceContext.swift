// A position in a trace, and the header fields that carry it from one process to the next (W3C Trace
// Context).

public import Tracing

/// The number of a trace: 16 random bytes, not all zero.
public struct TraceID: Sendable, Hashable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new one.
    static func make() -> TraceID {
        TraceID(high: .random(in: .min ... .max), low: .random(in: 1 ... .max))
    }

    /// 32 hexadecimal digits.
    public var description: String { high.hexadecimal + low.hexadecimal }
}

/// The number of a span: 8 random bytes, not all zero.
public struct SpanID: Sendable, Hashable, CustomStringConvertible {
    let number: UInt64

    init(_ number: UInt64) { self.number = number }

    /// A new one.
    static func make() -> SpanID { SpanID(.random(in: 1 ... .max)) }

    /// 16 hexadecimal digits.
    public var description: String { number.hexadecimal }
}

/// A span of a trace, as its children and other processes know it.
public struct TraceContext: Sendable, Hashable {
    /// The trace.
    public let trace: TraceID
    /// The span that is the parent of what follows.
    public var span: SpanID
    /// Whether the spans of the trace are recorded.
    public var isSampled: Bool
    /// What other systems add to the trace (`tracestate`), passed on as it came; nil for nothing.
    public let state: String?

    /// Creates a context.
    init(trace: TraceID, span: SpanID, isSampled: Bool, state: String? = nil) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// The value of the header field `traceparent`.
    public var parent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    /// Parses header fields (W3C Trace Context, 3.2 and 3.3); nil if `parent` is not valid: the
    /// caller then begins a trace of its own.
    /// - Parameters:
    ///   - parent: the field `traceparent`.
    ///   - state: the field `tracestate`; ignored if it is not valid.
    public init?(parent: String, state: String? = nil) {
        let text = Array(parent.utf8)
        guard text.count >= 55, text[2] == Self.dash, text[35] == Self.dash, text[52] == Self.dash,
            let version = Self.number(text[0..<2]), version != 0xFF,
            // Later versions may add fields after another dash.
            version == 0 ? text.count == 55 : text.count == 55 || text[55] == Self.dash,
            let high = Self.number(text[3..<19]), let low = Self.number(text[19..<35]),
            let span = Self.number(text[36..<52]), let flags = Self.number(text[53..<55]),
            (high, low) != (0, 0), span != 0
        else { return nil }
        self.init(
            trace: TraceID(high: high, low: low),
            span: SpanID(span),
            isSampled: flags & 1 == 1,
            state: state.flatMap { TraceState.isValid($0) ? $0 : nil }
        )
    }

    private static let dash = UInt8(ascii: "-")

    /// A number of up to 16 hexadecimal digits in lower case; nil for anything else.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}

extension UInt64 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext
    static var nameOverride: String? { "trace" }
}

extension ServiceContext {
    /// The position in a trace; nil outside of traces.
    public var trace: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}
