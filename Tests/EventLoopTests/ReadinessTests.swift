import EventLoop
import Glibc
import Testing

@Suite("Descriptors")
struct ReadinessTests {
    @Test("unread bytes are reported again: level-triggered")
    func levelTriggered() async throws {
        try await EventLoop.run { loop in
            let pipe = try Pipe()
            let done = LoopPromise<Void, Never>(loop)
            var calls = 0
            let handler = ReadinessFunction { readiness in
                #expect(readiness == .readable)
                calls += 1
                if calls == 3 { done.succeed(()) }
            }
            let registration = try loop.register(pipe.reader.number, for: .readable, handler)
            pipe.write("unread")
            await done.value {}
            registration.cancel()
            withExtendedLifetime(pipe) {}
        }
    }

    @Test("a handler that is cancelled by another one in the same turn is not called")
    func staleEvent() async throws {
        try await EventLoop.run { loop in
            let pipes = [try Pipe(), try Pipe()]
            var registrations: [Registration] = []
            var called: [Int] = []
            for (index, pipe) in pipes.enumerated() {
                let handler = ReadinessFunction { _ in
                    called.append(index)
                    for registration in registrations { registration.cancel() }
                }
                registrations.append(
                    try loop.register(pipe.reader.number, for: .readable, handler)
                )
                pipe.write("x")
            }
            for _ in 0..<3 { try await loop.sleep(for: .zero) }
            #expect(called.count == 1)
            withExtendedLifetime(pipes) {}
        }
    }

    @Test("a descriptor closed and reused within a turn gets no event of the old one")
    func reusedDescriptor() async throws {
        try await EventLoop.run { loop in
            let first = try Pipe()
            let second = try Pipe()
            var registrations: [Registration] = []
            var strangers = 0
            var replacement: Registration?
            // The first handler replaces the other's descriptor by one with the same number.
            func replace(_ victim: Pipe, _ registration: Registration) throws {
                registration.cancel()
                let idle = try Pipe()
                dup2(idle.reader.number, victim.reader.number)
                let stranger = ReadinessFunction { _ in
                    strangers += 1
                    _ = idle
                }
                replacement = try loop.register(victim.reader.number, for: .readable, stranger)
            }
            for (mine, other) in [(first, second), (second, first)] {
                let index = registrations.count
                let handler = ReadinessFunction { _ in
                    #expect(throws: Never.self) { try replace(other, registrations[1 - index]) }
                    registrations[index].cancel()
                }
                registrations.append(
                    try loop.register(mine.reader.number, for: .readable, handler)
                )
                mine.write("x")
            }
            for _ in 0..<3 { try await loop.sleep(for: .zero) }
            #expect(replacement != nil)
            #expect(strangers == 0)
            replacement?.cancel()
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("a reused descriptor number can be registered without a cancel")
    func forgottenCancel() async throws {
        try await EventLoop.run { loop in
            let keeper = try Pipe()
            let pipe = try Pipe()
            let old = ReadinessFunction { _ in Issue.record("the old handler was called") }
            let stale = try loop.register(pipe.reader.number, for: .readable, old)
            // Closes the descriptor and opens another pipe with its number.
            dup2(keeper.reader.number, pipe.reader.number)
            let done = LoopPromise<Void, Never>(loop)
            let new = ReadinessFunction { _ in done.succeed(()) }
            let registration = try loop.register(pipe.reader.number, for: .readable, new)
            stale.cancel()
            keeper.write("x")
            await done.value {}
            registration.cancel()
            withExtendedLifetime(pipe) {}
        }
    }

    @Test("the interest can change, and an empty one does not even report a hang-up")
    func interest() async throws {
        try await EventLoop.run { loop in
            var numbers: [Int32] = [-1, -1]
            try systemCall("socketpair") {
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers)
            }
            let mine = FileDescriptor(owning: numbers[0])
            var told: [Readiness] = []
            let handler = ReadinessFunction { told.append($0) }
            let registration = try loop.register(mine.number, for: .writable, handler)
            while told.isEmpty { try await loop.sleep(for: .zero) }
            #expect(told.allSatisfy { $0 == .writable })
            try registration.update([])
            close(numbers[1])
            told = []
            for _ in 0..<3 { try await loop.sleep(for: .zero) }
            #expect(told.isEmpty)
            try registration.update(.readable)
            while told.isEmpty { try await loop.sleep(for: .zero) }
            #expect(told.first == [.readable, .hangUp])
            registration.cancel()
            registration.cancel()
            try registration.update(.writable)
        }
    }

    @Test("a descriptor that epoll does not support gives a typed error with a description")
    func refused() async throws {
        try await EventLoop.run { loop in
            let handler = ReadinessFunction { _ in }
            let file = FileDescriptor(owning: open("/proc/self/stat", O_RDONLY | O_CLOEXEC))
            _ = #expect(throws: SystemError(errno: EBADF, operation: "epoll_ctl")) {
                try loop.register(1_000_000, for: .readable, handler)
            }
            let error = #expect(throws: SystemError.self) {
                try loop.register(Int32.max, for: .readable, handler)
            }
            #expect(error?.description == "epoll_ctl: bad file descriptor (9)")
            #expect(file.number >= 0)
        }
    }
}
