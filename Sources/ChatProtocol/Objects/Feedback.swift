// Members' feedback on answers.

/// A member's rating of an answer.
public struct Feedback: Codable, Hashable, Sendable {
    /// The user.
    public var user: User
    /// 1 for good, -1 for bad.
    public var rating: Int
    /// Their reason, in their words.
    public var text: String?

    /// Creates an opinion.
    public init(user: User, rating: Int, text: String? = nil) {
        self.user = user
        self.rating = rating
        self.text = text
    }
}
