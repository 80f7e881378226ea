import Inference
import Testing

@Suite("Scheduler")
struct SchedulerTests {
    private let start = ContinuousClock.now

    /// A plan in one line: `-7:stopped(waiting) +1 1[0..<4] 2[4..<6]! 3`, where `!` completes a
    /// prompt and a bare number decodes.
    private func text(_ plan: StepPlan) -> String {
        let endings = plan.endings.map {
            "-\($0.id):\($0.reason)\($0.wasRunning ? "" : "(waiting)")"
        }
        let work = plan.work.map { work in
            switch work {
            case .prefill(let id, let range, let completes):
                "\(id)[\(range)]\(completes ? "!" : "")"
            case .decode(let id): "\(id)"
            }
        }
        return (endings + plan.admitted.map { "+\($0)" } + work).joined(separator: " ")
    }

    private func plans(_ count: Int, of scheduler: inout Scheduler) -> [String] {
        (0..<count).map { _ in text(scheduler.plan(at: start)) }
    }

    @Test("a short prompt is read in one step and decoded from the next one on")
    func short() {
        var scheduler = Scheduler(slots: 2, prefillChunk: 8)
        #expect(scheduler.isIdle)
        scheduler.enqueue(1, promptCount: 3)
        #expect(!scheduler.isIdle)
        #expect(plans(3, of: &scheduler) == ["+1 1[0..<3]!", "1", "1"])
        scheduler.release(1)
        #expect(scheduler.isIdle)
        #expect(plans(1, of: &scheduler) == [""])
    }

    @Test("a held sequence keeps its slot, and computes nothing until skip is called")
    func holding() {
        var scheduler = Scheduler(slots: 2, prefillChunk: 8)
        scheduler.enqueue(1, promptCount: 2)
        #expect(!scheduler.hasGrowing)
        #expect(plans(1, of: &scheduler) == ["+1 1[0..<2]!"])
        #expect(scheduler.hasGrowing)
        for id in [2, 3] as [UInt64] { scheduler.enqueue(id, promptCount: 6) }
        var plan = scheduler.admission(at: start)
        scheduler.hold(2)
        plan.work = scheduler.work()
        #expect(text(plan) == "+2 1")
        #expect(plans(1, of: &scheduler) == ["1"])
        scheduler.release(1)
        #expect(plans(1, of: &scheduler) == ["+3 3[0..<6]!"])
        scheduler.skip(2, 4)
        #expect(plans(2, of: &scheduler) == ["2[4..<6]! 3", "2 3"])
        scheduler.enqueue(4, promptCount: 6)
        scheduler.release(3)
        _ = scheduler.admission(at: start)
        scheduler.hold(4)
        scheduler.cancel(4)
        #expect(plans(1, of: &scheduler) == ["-4:stopped 2"])
    }

    @Test("a long prompt is read in chunks")
    func chunks() {
        var scheduler = Scheduler(slots: 1, prefillChunk: 4)
        scheduler.enqueue(1, promptCount: 9)
        #expect(plans(4, of: &scheduler) == ["+1 1[0..<4]", "1[4..<8]", "1[8..<9]!", "1"])
    }

    @Test("an answer is decoded while prompts are read, which share one budget")
    func budget() {
        var scheduler = Scheduler(slots: 3, prefillChunk: 4)
        scheduler.enqueue(1, promptCount: 2)
        #expect(plans(1, of: &scheduler) == ["+1 1[0..<2]!"])
        scheduler.enqueue(2, promptCount: 6)
        scheduler.enqueue(3, promptCount: 3)
        #expect(
            plans(4, of: &scheduler) == [
                "+2 +3 1 2[0..<1] 3[0..<3]!", "1 2[1..<5] 3", "1 2[5..<6]! 3", "1 2 3",
            ]
        )
    }

    @Test("while answers run, a prompt is read in passes for which there is credit")
    func credit() {
        var scheduler = Scheduler(slots: 3, prefillChunk: 64)
        scheduler.enqueue(1, promptCount: 70)
        #expect(plans(2, of: &scheduler) == ["+1 1[0..<64]", "1[64..<70]!"])
        scheduler.enqueue(2, promptCount: 70)
        #expect(plans(1, of: &scheduler) == ["+2 1 2[0..<32]"])
        // Six rows a pass: 6, 12, 18, 24, 30, and then a whole slice.
        #expect(plans(6, of: &scheduler) == ["1", "1", "1", "1", "1", "1 2[32..<64]"])
        // The rest of a prompt is worth a pass too.
        #expect(plans(2, of: &scheduler) == ["1 2[64..<70]!", "1 2"])
        scheduler.enqueue(3, promptCount: 100)
        #expect(plans(1, of: &scheduler) == ["+3 1 2"])
        scheduler.release(1)
        scheduler.release(2)
        #expect(plans(2, of: &scheduler) == ["3[0..<64]", "3[64..<100]!"])
    }

    @Test("a short prompt does not wait for a long one")
    func shortBesideLong() {
        var scheduler = Scheduler(slots: 3, prefillChunk: 8)
        scheduler.enqueue(1, promptCount: 1000)
        #expect(plans(1, of: &scheduler) == ["+1 1[0..<8]"])
        scheduler.enqueue(2, promptCount: 9)
        scheduler.enqueue(3, promptCount: 20)
        #expect(
            plans(2, of: &scheduler) == [
                "+2 +3 1[8..<10] 2[0..<6]", "1[10..<12] 2[6..<9]! 3[0..<3]",
            ]
        )
    }

    @Test("the first of two prompts with the same length is read first")
    func sameLength() {
        var scheduler = Scheduler(slots: 2, prefillChunk: 4)
        scheduler.enqueue(1, promptCount: 8)
        scheduler.enqueue(2, promptCount: 8)
        #expect(plans(2, of: &scheduler) == ["+1 +2 1[0..<4]", "1[4..<8]!"])
    }

    @Test("a long prompt is read in the end, however many short ones arrive")
    func longBesideShort() {
        var scheduler = Scheduler(slots: 4, prefillChunk: 8)
        scheduler.enqueue(0, promptCount: 400)
        var last: UInt64 = 0
        var steps = 0
        var isRead = false
        while !isRead, steps < 1000 {
            steps += 1
            for _ in 0..<3 {
                last += 1
                scheduler.enqueue(last, promptCount: 6)
            }
            for case .prefill(let id, _, true) in scheduler.plan(at: start).work {
                if id == 0 { isRead = true } else { scheduler.release(id) }
            }
        }
        // A quarter of eight tokens a step, until the last six make it as short as the others.
        #expect(steps == 198)
    }

    @Test(
        "random events: running answers get tokens, cancelled requests end in the next plan",
        arguments: [1, 3, 16, 64]
    )
    func anyOrder(prefillChunk: Int) {
        var generator = SplitMix64(seed: 31)
        var scheduler = Scheduler(slots: 5, prefillChunk: prefillChunk, pageCount: 20)
        var growing: Set<UInt64> = []
        var admitted: Set<UInt64> = []
        var cancelled: Set<UInt64> = []
        var ended: Set<UInt64> = []
        let count = 300
        var next = 0
        var steps = 0
        while ended.count < count, steps < 20_000 {
            steps += 1
            if next < count, generator.next() % 3 == 0 {
                scheduler.enqueue(
                    UInt64(next),
                    promptCount: 1 + Int(generator.next() % 90),
                    pageCount: Int(generator.next() % 12)
                )
                next += 1
            }
            if generator.next() % 20 == 0,
                let id = admitted.sorted().randomElement(using: &generator)
            {
                scheduler.cancel(id)
                cancelled.insert(id)
            }
            let plan = scheduler.plan(at: start)
            #expect(Set(plan.endings.map(\.id)) == cancelled)
            ended.formUnion(cancelled)
            admitted.formUnion(plan.admitted)
            admitted.subtract(cancelled)
            growing.subtract(cancelled)
            cancelled = []

            #expect(Set(plan.work.filter(\.isDecode).map(\.id)) == growing)
            #expect(admitted.isSuperset(of: plan.work.map(\.id)))
            for case .prefill(let id, _, true) in plan.work { growing.insert(id) }
            for id in growing.sorted() where generator.next() % 10 == 0 {
                scheduler.release(id)
                growing.remove(id)
                admitted.remove(id)
                ended.insert(id)
            }
        }
        #expect(ended.count == count)
        #expect(scheduler.isIdle)
    }

    @Test("requests are admitted in order of arrival as slots become free")
    func order() {
        var scheduler = Scheduler(slots: 2, prefillChunk: 100)
        for id in [5, 3, 9, 1] as [UInt64] { scheduler.enqueue(id, promptCount: 1) }
        #expect(plans(2, of: &scheduler) == ["+5 +3 5[0..<1]! 3[0..<1]!", "5 3"])
        scheduler.release(5)
        #expect(plans(1, of: &scheduler) == ["+9 3 9[0..<1]!"])
        scheduler.release(3)
        scheduler.release(9)
        #expect(plans(1, of: &scheduler) == ["+1 1[0..<1]!"])
    }

    @Test("memory is reserved for running sequences, and no request is overtaken")
    func memory() {
        var scheduler = Scheduler(slots: 4, prefillChunk: 100, pageCount: 10)
        scheduler.enqueue(1, promptCount: 1, pageCount: 6)
        scheduler.enqueue(2, promptCount: 1, pageCount: 5)
        scheduler.enqueue(3, promptCount: 1, pageCount: 4)
        scheduler.enqueue(4, promptCount: 1, pageCount: 20)
        #expect(plans(2, of: &scheduler) == ["+1 1[0..<1]!", "1"])
        scheduler.release(1)
        #expect(plans(1, of: &scheduler) == ["+2 +3 2[0..<1]! 3[0..<1]!"])
        scheduler.release(3)
        #expect(plans(1, of: &scheduler) == ["2"])
        scheduler.release(2)
        #expect(plans(1, of: &scheduler) == ["+4 4[0..<1]!"])
    }

    @Test("cached tokens are not planned, except a prompt's last token")
    func skipping() {
        var scheduler = Scheduler(slots: 2, prefillChunk: 4)
        for id in [1, 2] as [UInt64] { scheduler.enqueue(id, promptCount: 6) }
        #expect(text(scheduler.admission(at: start)) == "+1 +2")
        scheduler.skip(1, 3)
        scheduler.skip(2, 6)
        scheduler.skip(3, 1)
        #expect(plans(2, of: &scheduler) == ["1[3..<6]! 2[5..<6]!", "1 2"])
    }

    @Test("a cancelled sequence leaves before the next step and its slot is used at once")
    func cancel() {
        var scheduler = Scheduler(slots: 1, prefillChunk: 2)
        for id in [1, 2, 3] as [UInt64] { scheduler.enqueue(id, promptCount: 4) }
        #expect(plans(1, of: &scheduler) == ["+1 1[0..<2]"])
        scheduler.cancel(1)
        scheduler.cancel(1)
        scheduler.cancel(3)
        scheduler.cancel(77)
        #expect(
            plans(2, of: &scheduler) == [
                "-1:stopped -3:stopped(waiting) +2 2[0..<2]", "2[2..<4]!",
            ]
        )
    }

    @Test("a deadline ends waiting and running requests at the first step after it")
    func deadline() {
        var scheduler = Scheduler(slots: 1, prefillChunk: 8)
        scheduler.enqueue(1, promptCount: 1, deadline: start + .seconds(2))
        scheduler.enqueue(2, promptCount: 1, deadline: start + .seconds(1))
        scheduler.enqueue(3, promptCount: 1)
        let trace = [0.0, 0.999, 1, 1.5, 2, 3].map { seconds in
            text(scheduler.plan(at: start + .seconds(seconds)))
        }
        #expect(
            trace == [
                "+1 1[0..<1]!", "1", "-2:deadline(waiting) 1", "1",
                "-1:deadline +3 3[0..<1]!", "3",
            ]
        )
    }

    @Test("a cancelled request that is also past its deadline is stopped")
    func cancelBeforeDeadline() {
        var scheduler = Scheduler(slots: 1, prefillChunk: 8)
        scheduler.enqueue(1, promptCount: 1, deadline: start)
        scheduler.cancel(1)
        #expect(plans(1, of: &scheduler) == ["-1:stopped(waiting)"])
    }

    @Test("stopping all ends running and waiting requests and leaves nothing")
    func stopAll() {
        var scheduler = Scheduler(slots: 1, prefillChunk: 8)
        scheduler.enqueue(1, promptCount: 1)
        scheduler.enqueue(2, promptCount: 1)
        _ = scheduler.plan(at: start)
        let endings = scheduler.stopAll()
        #expect(endings.map(\.id) == [1, 2])
        #expect(endings.allSatisfy { $0.reason == .stopped })
        #expect(endings.map(\.wasRunning) == [true, false])
        #expect(scheduler.isIdle)
        #expect(scheduler.stopAll().isEmpty)
    }
}
