// What a member thinks of an answer.

/// A member's opinion of an answer.
public struct Feedback: Codable, Hashable, Sendable {
    /// Whose.
    public var user: User
    /// 1 for good, -1 for bad.
    public var rating: Int
    /// Why, in their words.
    public var text: String?

    /// Puts an opinion together.
    public init(user: User, rating: Int, text: String? = nil) {
        self.user = user
        self.rating = rating
        self.text = text
    }
}
