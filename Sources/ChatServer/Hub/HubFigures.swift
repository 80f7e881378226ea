/// Counters of what a hub has sent, as plain numbers updated on its loop.
package final class HubFigures {
    /// Current subscriptions to conversations.
    package internal(set) var watchCount = 0
    /// Deltas sent to subscribers.
    package internal(set) var deltasSent = 0
    /// Generated pieces that were merged with one that waited to be sent.
    package internal(set) var deltasMergedInTime = 0
    /// Deltas that a slow consumer received merged with others.
    package internal(set) var deltasMergedForSlowReaders = 0
    /// Subscriptions that ended because their client was too slow even for merged text.
    package internal(set) var laggedCount = 0

    /// All counters at 0.
    package init() {}
}
