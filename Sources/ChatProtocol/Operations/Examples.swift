// Values that several example requests use.

import FoundationEssentials

extension ID {
    /// An id for an example.
    /// - Parameter number: distinguishes it from other examples.
    /// - Returns: `01890a5d-ac96-7001-8000-0000000000NN`, with the number in hexadecimal digits.
    static func example(_ number: UInt8) -> ID {
        ID(
            UUID(
                uuid: (
                    0x01, 0x89, 0x0A, 0x5D, 0xAC, 0x96, 0x70, 0x01, 0x80, 0, 0, 0, 0, 0, 0, number
                )
            )
        )
    }
}

extension GenerationSettings {
    /// Every setting.
    static var example: GenerationSettings {
        GenerationSettings(temperature: 0.7, topP: 0.9, maxTokens: 400, seed: 7, stop: ["User:"])
    }
}
