// Conditional requests, RFC 9110 section 13: what a client knows of a resource against what it is.

/// What names one state of a resource.
public struct Validators: Sendable, Hashable {
    /// The state's tag; nil where there is none.
    public var tag: EntityTag?
    /// When it last changed, in seconds since 1970; nil where nobody knows.
    public var lastModified: Int?

    /// What a request's conditions come to.
    public enum Verdict: Sendable, Hashable {
        /// They hold: answer as if there were none.
        case holds
        /// The client has this state already: answer 304.
        case notModified
        /// The client meant another state: answer 412.
        case failed
    }

    /// Names a state.
    public init(tag: EntityTag?, lastModified: Int?) {
        self.tag = tag
        self.lastModified = lastModified
    }

    /// Weighs the conditions in the order of section 13.2.2: those on tags go before those on dates.
    /// - Parameter request: asks for a resource that exists.
    /// - Returns: what they come to.
    public func verdict(on request: HTTPRequestHead) -> Verdict {
        let headers = request.headers
        if let tags = headers[.ifMatch] {
            guard tags == "*" || tag?.matches(ifMatch: tags) == true else { return .failed }
        } else if let changed = lastModified, let date = seconds(headers[.ifUnmodifiedSince]) {
            guard changed <= date else { return .failed }
        }
        let isReading = request.method == .get || request.method == .head
        if let tags = headers[.ifNoneMatch] {
            guard tags == "*" || tag?.matches(ifNoneMatch: tags) == true else { return .holds }
            return isReading ? .notModified : .failed
        }
        if isReading, let changed = lastModified, let date = seconds(headers[.ifModifiedSince]) {
            return changed <= date ? .notModified : .holds
        }
        return .holds
    }

    /// Whether a part may be sent instead of the whole (section 13.1.5): the client's other parts
    /// are of this very state, by its `If-Range`, or it doesn't ask.
    public func allowPart(to request: HTTPRequestHead) -> Bool {
        guard let condition = request.headers[.ifRange] else { return true }
        if let date = HTTPDate.parse(condition) { return date == lastModified }
        guard let tags = EntityTag.parseList(condition), tags.count == 1 else { return false }
        return tag?.isStronglyEqual(to: tags[0]) ?? false
    }

    /// A date that can't be read counts as if it was not sent.
    private func seconds(_ value: String?) -> Int? { value.flatMap { HTTPDate.parse($0) } }
}
