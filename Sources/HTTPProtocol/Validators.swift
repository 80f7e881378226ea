// Conditional requests, RFC 9110 section 13.

/// The validators of a resource's current version.
public struct Validators: Sendable, Hashable {
    /// The entity tag; nil if there is none.
    public var tag: EntityTag?
    /// When it was last changed, in seconds since 1970; nil if unknown.
    public var lastModified: Int?

    /// The result of a request's conditions.
    public enum Verdict: Sendable, Hashable {
        /// They hold: respond as if there were none.
        case holds
        /// The client has the current version: respond with 304.
        case notModified
        /// The client expected another version: respond with 412.
        case failed
    }

    /// Creates validators.
    public init(tag: EntityTag?, lastModified: Int?) {
        self.tag = tag
        self.lastModified = lastModified
    }

    /// Evaluates the conditions in the order of section 13.2.2: tags before dates.
    /// - Parameter request: a request for an existing resource.
    /// - Returns: the result.
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

    /// Whether a partial response is allowed (section 13.1.5): there is no `If-Range`, or it
    /// matches the current version.
    public func allowPart(to request: HTTPRequestHead) -> Bool {
        guard let condition = request.headers[.ifRange] else { return true }
        if let date = HTTPDate.parse(condition) { return date == lastModified }
        guard let tags = EntityTag.parseList(condition), tags.count == 1 else { return false }
        return tag?.isStronglyEqual(to: tags[0]) ?? false
    }

    /// A malformed date is ignored.
    private func seconds(_ value: String?) -> Int? { value.flatMap { HTTPDate.parse($0) } }
}
