// A pull's progress line.

import ModelHub
import Testing
import stoa

@Suite("Progress lines")
struct ProgressLineTests {
    private func progress(_ phase: PullProgress.Phase) -> PullProgress {
        var progress = PullProgress()
        progress.phase = phase
        progress.file = "model-00001-of-00002.safetensors"
        progress.bytesDone = 1_499_000_000
        progress.bytesTotal = 3_000_000_000
        progress.bytesPerSecond = 12_000_000
        return progress
    }

    @Test("a download shows its fraction, bytes, speed and time left")
    func download() {
        let line = ProgressLine.text(progress(.downloading), barWidth: 10)
        #expect(line == "████░░░░░░ 49 %, 1.50 GB of 3.00 GB, 12.0 MB/s, 2 min 6 s left")
        let plain = ProgressLine.text(progress(.downloading), barWidth: 0)
        #expect(plain == "49 %, 1.50 GB of 3.00 GB, 12.0 MB/s, 2 min 6 s left")
    }

    @Test(
        "no line is wider than a terminal",
        arguments: [
            .listing, .checking, .downloading, .finishing, .done,
            .waiting(
                .seconds(299),
                reason: PullDelay(
                    cause: .otherPull,
                    description: String(repeating: "the hub is busy ", count: 20)
                )
            ),
        ] as [PullProgress.Phase]
    )
    func width(phase: PullProgress.Phase) {
        var progress = progress(phase)
        for speed in [nil, 0, 1, 999_999, 5e12] {
            progress.bytesPerSecond = speed
            #expect(ProgressLine.text(progress, barWidth: 20).count < 80)
        }
    }
}
