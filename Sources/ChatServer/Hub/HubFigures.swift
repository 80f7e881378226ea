/// What a hub has sent, counted on its loop in plain numbers.
package final class HubFigures {
    /// Subscriptions of connections to conversations, at this moment.
    package internal(set) var watchCount = 0
    /// Pieces of growing answers that went to a subscriber.
    package internal(set) var deltasSent = 0
    /// Pieces that an engine made and that joined another one which waited to go out.
    package internal(set) var deltasMergedInTime = 0
    /// Pieces that a slow consumer did not get by themselves, but in one with others.
    package internal(set) var deltasMergedForSlowReaders = 0
    /// Subscriptions that ended because their reader was too slow even so.
    package internal(set) var laggedCount = 0

    /// Nothing yet.
    package init() {}
}
