// The memory of a machine, from the texts of the kernel.

import ChatProtocol
import ChatServer
import Testing

@Suite("The machine's memory")
struct MachineMemoryTests {
    private static let meminfo = """
        MemTotal:        8000000 kB
        MemFree:          100000 kB
        MemAvailable:    3000000 kB
        SwapTotal:             0 kB
        """

    @Test("without a limit it is the machine's")
    func machine() {
        let memory = MachineMemory(meminfo: Self.meminfo, limits: [])
        #expect(memory == MachineMemory(totalBytes: 8_192_000_000, availableBytes: 3_072_000_000))
        #expect(MachineMemory(meminfo: "", limits: []) == nil)
        #expect(MachineMemory.current.map { $0.totalBytes >= $0.availableBytes } == true)
    }

    @Test("a lower limit of the container or the service counts, less what it uses")
    func limits() throws {
        let limit = try #require(
            MachineMemory.Limit(
                max: "4000000000\n",
                current: "3500000000\n",
                stat: "anon 3000000000\ninactive_file 400000000\n"
            )
        )
        #expect(limit == MachineMemory.Limit(bytes: 4_000_000_000, usedBytes: 3_100_000_000))
        let memory = MachineMemory(
            meminfo: Self.meminfo,
            limits: [limit, MachineMemory.Limit(bytes: 6_000_000_000, usedBytes: 0)]
        )
        #expect(memory == MachineMemory(totalBytes: 4_000_000_000, availableBytes: 900_000_000))
        #expect(MachineMemory.Limit(max: "max\n", current: "1\n", stat: nil) == nil)
        let full = MachineMemory.Limit(bytes: 1_000, usedBytes: 2_000)
        #expect(MachineMemory(meminfo: Self.meminfo, limits: [full])?.availableBytes == 0)
    }
}
