import Glibc
import Inference
import Testing

@Suite("Processors")
struct ProcessorCountTests {
    @Test(
        "a quota is rounded up to processors",
        arguments: [
            ("max 100000\n", nil), ("100000 100000\n", 1), ("150000 100000\n", 2),
            ("200000 100000", 2), ("50000 100000\n", 1), ("1600000 100000\n", 16), ("", nil),
            ("max", nil), ("0 100000", nil), ("100000 0", nil), ("-1 100000", nil),
            ("9223372036854775807 1", Int.max),
        ]
    )
    func quota(text: String, count: Int?) {
        #expect(ProcessorCount.quota(of: text) == count)
    }

    @Test(
        "the affinity is the number of bits of its mask",
        arguments: [
            ("Name:\tstoa\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2),
            ("Cpus_allowed:\tff,ffffffff\n", 40), ("Cpus_allowed:\t00000000,00000004\n", 1),
            ("Name:\tstoa\n", nil), ("", nil),
        ]
    )
    func affinity(status: String, count: Int?) {
        #expect(ProcessorCount.affinity(of: status) == count)
    }

    @Test("the number is at least one and at most that of the machine")
    func available() {
        #expect(1...sysconf(Int32(_SC_NPROCESSORS_ONLN)) ~= ProcessorCount.available)
    }

    @Test(
        "an engine uses all of one or two processors, and all but one of more",
        arguments: [(1, 1), (2, 2), (3, 2), (4, 3), (8, 7), (0, 1), (1000, 256)]
    )
    func threads(processors: Int, threads: Int) {
        #expect(EngineConfiguration.threads(onProcessors: processors) == threads)
    }
}
