import EventLoop
import Glibc
import Testing

@Suite("Signals")
struct SignalTests {
    @Test("signals arrive on the loop, each with its own action")
    func signals() async throws {
        try await EventLoop.run { loop in
            var received: [Int32] = []
            let both = LoopPromise<Void, Never>(loop)
            for signal in [SIGUSR1, SIGWINCH] {
                try loop.onSignal(signal) {
                    received.append(signal)
                    if received.count == 2 { both.succeed(()) }
                }
            }
            // Sent to this thread only: other tests' threads have not blocked the signal.
            pthread_kill(pthread_self(), SIGUSR1)
            pthread_kill(pthread_self(), SIGWINCH)
            await both.value {}
            #expect(received.sorted() == [SIGUSR1, SIGWINCH])
        }
    }
}
