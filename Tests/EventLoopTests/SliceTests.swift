import CLinux
import EventLoop
import Testing

@Suite("Time slices")
struct SliceTests {
    @Test("a loop's are short, those of threads that it starts are not")
    func slices() async throws {
        let usual = clinux_slice_length()
        let (own, started) = try await EventLoop.run { _ in
            let workers = try WorkerPool(name: "slices", threads: 1, queueLimit: 1)
            return (clinux_slice_length(), try await workers.run { clinux_slice_length() })
        }
        // Linux before 6.12 has one length for all, and tells none.
        guard usual > 0 else { return }
        #expect(own == 300_000)
        #expect(started == usual)
    }
}
