import HTTPProtocol
import Testing

@Suite("Conditions and ranges")
struct ConditionTests {
    /// 1994-11-06 08:49:37.
    private static let changed = 784_111_777
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func validators() throws -> Validators {
        let tag = try #require(EntityTag("v1"))
        return Validators(tag: tag, lastModified: Self.changed)
    }

    private func request(_ headers: HTTPHeaders, _ method: HTTPMethod = .get) -> HTTPRequestHead {
        HTTPRequestHead(method, "/", host: "h", headers: headers)
    }

    @Test(
        "conditions are evaluated in the order of RFC 9110",
        arguments: [
            ([:], .holds),
            ([.ifNoneMatch: "\"v1\""], .notModified),
            ([.ifNoneMatch: "W/\"v1\""], .notModified),
            ([.ifNoneMatch: "*"], .notModified),
            ([.ifNoneMatch: "\"v2\""], .holds),
            ([.ifModifiedSince: date], .notModified),
            ([.ifModifiedSince: after], .notModified),
            ([.ifModifiedSince: before], .holds),
            ([.ifModifiedSince: "yesterday"], .holds),
            // The tag takes precedence over the date.
            ([.ifNoneMatch: "\"v2\"", .ifModifiedSince: date], .holds),
            ([.ifMatch: "\"v1\""], .holds),
            ([.ifMatch: "*"], .holds),
            ([.ifMatch: "\"v0\", \"v1\""], .holds),
            ([.ifMatch: "\"v2\""], .failed),
            ([.ifMatch: "W/\"v1\""], .failed),
            ([.ifMatch: "no tag"], .failed),
            ([.ifUnmodifiedSince: date], .holds),
            ([.ifUnmodifiedSince: before], .failed),
            ([.ifUnmodifiedSince: "tomorrow"], .holds),
            ([.ifMatch: "\"v1\"", .ifUnmodifiedSince: before], .holds),
            ([.ifMatch: "\"v1\"", .ifNoneMatch: "\"v1\""], .notModified),
            ([.ifMatch: "\"v2\"", .ifNoneMatch: "\"v1\""], .failed),
        ] as [(HTTPHeaders, Validators.Verdict)]
    )
    func verdicts(headers: HTTPHeaders, expected: Validators.Verdict) throws {
        #expect(try validators().verdict(on: request(headers)) == expected)
        #expect(try validators().verdict(on: request(headers, .head)) == expected)
    }

    @Test("an unsafe method fails where GET would get 304")
    func changes() throws {
        let known = request([.ifNoneMatch: "*"], .put)
        #expect(try validators().verdict(on: known) == .failed)
        let dated = request([.ifModifiedSince: Self.date], .put)
        #expect(try validators().verdict(on: dated) == .holds)
    }

    @Test("conditions on dates are ignored without a date, and no tag matches without a tag")
    func unknownState() {
        let unknown = Validators(tag: nil, lastModified: nil)
        #expect(unknown.verdict(on: request([.ifModifiedSince: Self.date])) == .holds)
        #expect(unknown.verdict(on: request([.ifUnmodifiedSince: Self.before])) == .holds)
        #expect(unknown.verdict(on: request([.ifNoneMatch: "\"v1\""])) == .holds)
        #expect(unknown.verdict(on: request([.ifNoneMatch: "*"])) == .notModified)
        #expect(unknown.verdict(on: request([.ifMatch: "*"])) == .holds)
    }

    @Test(
        "a partial response is allowed if If-Range matches",
        arguments: [
            (nil, true), ("\"v1\"", true), ("W/\"v1\"", false), ("\"v2\"", false),
            ("\"v1\", \"v2\"", false), (date, true), (after, false), (before, false), ("v1", false),
        ] as [(String?, Bool)]
    )
    func ifRange(condition: String?, expected: Bool) throws {
        var headers = HTTPHeaders()
        headers[.ifRange] = condition
        #expect(try validators().allowPart(to: request(headers)) == expected)
    }

    @Test(
        "ranges in a body of ten bytes",
        arguments: [
            (nil, .whole), ("bytes=0-3", .part(0..<4)), ("bytes=3-", .part(3..<10)),
            ("bytes=-3", .part(7..<10)), ("bytes=-99", .part(0..<10)), ("bytes=9-9", .part(9..<10)),
            ("bytes=0-99", .part(0..<10)), ("BYTES=0-0", .part(0..<1)),
            ("bytes= 1-2 ,", .part(1..<3)),
            ("bytes=0-99999999999999999999", .part(0..<10)),
            ("bytes=-99999999999999999999", .part(0..<10)),
            ("bytes=10-", .unsatisfiable), ("bytes=10-12", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            // More than one, another unit, or no range at all.
            ("bytes=0-1,4-5", .whole), ("lines=0-3", .whole), ("bytes", .whole), ("bytes=", .whole),
            ("bytes=-", .whole), ("bytes=3-2", .whole), ("bytes=a-b", .whole),
            ("bytes=+1-2", .whole), ("bytes=1", .whole), ("bytes=1-2-3", .whole),
            ("bytes=0x1-2", .whole),
        ] as [(String?, ByteRange)]
    )
    func ranges(value: String?, expected: ByteRange) {
        #expect(ByteRange(value, length: 10) == expected)
    }

    @Test("an empty body has no ranges")
    func emptyBodies() {
        #expect(ByteRange("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=0-3", length: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-3", length: 0) == .whole)
    }

    @Test(
        "a date is read in all three forms",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", changed),
            ("Sunday, 06-Nov-94 08:49:37 GMT", changed),
            ("Sun Nov  6 08:49:37 1994", changed),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
            ("", nil), ("Sun", nil), ("784111777", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
            ("Sun, 31 Feb 1994 08:49:37 GMT", nil), ("Sun, 00 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil),
            ("Sun, 06 nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 19940 08:49:37 GMT", nil),
        ] as [(String, Int?)]
    )
    func dates(text: String, expected: Int?) {
        #expect(HTTPDate.parse(text) == expected)
    }
}
