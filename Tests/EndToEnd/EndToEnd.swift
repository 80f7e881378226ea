// Stoa from outside: the program with a real PostgreSQL, real sockets and a real browser. These
// tests cover the parts together; each part has tests of its own.

import TestSupport
import Testing

/// All end-to-end tests, in six concurrent suites; each runs one test at a time, since tests
/// start servers and measure. They block a dedicated thread, so that other tests continue.
@Suite(
    "Stoa from outside",
    .timeLimit(.minutes(4)),
    .enabled(if: !Requirement.areAllLeftOut, "needs PostgreSQL, a browser and child processes")
)
enum EndToEnd {
    /// Conversations, their list and their people on the page.
    @Suite("Conversations in a browser", .serialized, .onADedicatedThread)
    enum ConversationsInABrowser {}

    /// Accounts, administration and models on the page, its languages and looks, and whole journeys.
    @Suite("The whole page in a browser", .serialized, .onADedicatedThread)
    enum WholePageInABrowser {}

    /// Tests that need a server with special settings.
    @Suite("With servers of their own", .serialized, .onADedicatedThread)
    enum WithServersOfTheirOwn {}

    /// Servers, databases and disks that fail.
    @Suite("Failures", .serialized, .onADedicatedThread)
    enum Failures {}

    /// Several nodes on one database, and engines on other machines.
    @Suite("Several servers", .serialized, .onADedicatedThread)
    enum SeveralServers {}
}
