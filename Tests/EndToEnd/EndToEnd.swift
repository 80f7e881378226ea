// Stoa from outside: the program itself with a real PostgreSQL, real sockets and a real browser. What is
// tested here is what the parts only show together; each part's own rules stand in its own tests.

import Testing

/// All end-to-end tests, one at a time: each starts servers, and two of them on two cores would only
/// measure each other. They wait a lot, on a thread of their own, so that other tests go on.
@Suite("Stoa from outside", .serialized, .onAThreadOfItsOwn, .timeLimit(.minutes(4)))
enum EndToEnd {}
