import CLinux
import EventLoop
import Glibc
import Testing

/// A loop without a thread of its own.
@Suite("A loop on the calling thread")
struct RunHereTests {
    @Test("it runs until it is stopped, and ends its tasks")
    func turnsHere() throws {
        let thread = pthread_self()
        var order: [String] = []
        try EventLoop.runHere { loop in
            loop.spawn {
                try? await loop.sleep(for: .seconds(600))
                order.append("task cancelled")
                #expect(pthread_equal(pthread_self(), thread) != 0)
            }
            loop.schedule(after: .zero) {
                order.append("timer")
                #expect(pthread_equal(pthread_self(), thread) != 0)
                loop.stop()
            }
            order.append("begun")
        }
        #expect(order == ["begun", "timer", "task cancelled"])
    }

    @Test("the thread can run another loop afterwards")
    func again() throws {
        for _ in 0..<3 {
            var isReached = false
            try EventLoop.runHere { loop in
                loop.schedule(after: .zero) {
                    isReached = true
                    loop.stop()
                }
            }
            #expect(isReached)
        }
    }

    @Test("the time slices of the thread are restored afterwards")
    func slices() throws {
        let usual = clinux_slice_length()
        // Linux before 6.12 has no setting, and reports none.
        guard usual > 0 else { return }
        var during: UInt64 = 0
        try EventLoop.runHere { loop in
            during = clinux_slice_length()
            loop.schedule(after: .zero) { loop.stop() }
        }
        #expect(during == 300_000)
        #expect(clinux_slice_length() == usual)
    }
}
