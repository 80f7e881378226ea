import CLinux
import EventLoop
import Testing

@Suite("Time slices")
struct SliceTests {
    @Test("a loop has short time slices, threads that it starts do not")
    func slices() async throws {
        let usual = clinux_slice_length()
        let (own, started) = try await EventLoop.run { _ in
            let workers = try WorkerPool(name: "slices", threads: 1, queueLimit: 1)
            return (clinux_slice_length(), try await workers.run { clinux_slice_length() })
        }
        // Linux before 6.12 has no setting, and reports none.
        guard usual > 0 else { return }
        #expect(own == 300_000)
        #expect(started == usual)
    }
}
