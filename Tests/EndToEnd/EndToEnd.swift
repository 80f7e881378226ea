// Stoa from outside: the program itself with a real PostgreSQL, real sockets and a real browser. What is
// tested here is what the parts only show together; each part's own rules stand in its own tests.

import TestSupport
import Testing

/// All end-to-end tests, in three suites that run side by side; in each of them one test at a time, as each
/// starts servers and measures. They wait a lot, on a thread of their own, so that other tests go on.
@Suite(
    "Stoa from outside",
    .timeLimit(.minutes(4)),
    .enabled(if: !Requirement.areAllLeftOut, "needs PostgreSQL, a browser and child processes")
)
enum EndToEnd {
    /// The page, as a person sees it.
    @Suite("In a browser", .serialized, .onAThreadOfItsOwn)
    enum InABrowser {}

    /// What needs a server with settings of its own, several servers, or one that dies.
    @Suite("With servers of their own", .serialized, .onAThreadOfItsOwn)
    enum WithServersOfTheirOwn {}
}
