import HTTPProtocol

extension HTTPURL {
    /// Parses the URL of a provider's document: https, or http on this machine. Nil for anything
    /// else, and for unencrypted requests over a network.
    init?(ofProvider text: String) {
        self.init(text)
        let isOwn = ["localhost", "127.0.0.1", "::1"].contains(origin.host)
        guard origin.isSecure || isOwn else { return nil }
    }
}
