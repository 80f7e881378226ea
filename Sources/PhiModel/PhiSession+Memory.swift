// What a session holds, for those who keep sessions to use them again.

extension PhiSession {
    /// The memory that is reserved for the session's passes, in bytes. What a pass has not reached
    /// yet takes no memory of the system's.
    public var byteCount: Int { scratch.byteCount }
}
