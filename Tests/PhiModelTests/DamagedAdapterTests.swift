import Checkpoints
import FoundationEssentials
import PhiModel
import TestSupport
import Testing

@Suite("adapters that cannot be used are refused by name")
struct DamagedAdapterTests {
    private let model: PhiModel
    private let sound: AdapterFiles

    init() throws {
        model = try Golden.model("tiny-phi3-4bit")
        var random = SeededGenerator(seed: 2)
        var files = try AdapterFiles(rank: 4)
        files.add("model.layers.1.self_attn.o_proj", from: 128, to: 128, rank: 4, &random)
        sound = files
    }

    @Test(
        "settings of mlx-lm",
        arguments: [
            ("\"fine_tune_type\": \"lora\"", "\"fine_tune_type\": \"dora\"", "dora"),
            ("\"fine_tune_type\": \"lora\"", "\"fine_tune_type\": \"full\"", "full"),
            ("\"rank\": 4", "\"rank\": 5", "rank 5"),
            ("\"rank\": 4", "\"rank\": 0", "rank"),
            ("\"rank\": 4,", "", "rank"),
            ("\"rank\": 4", "\"rank\": 9223372036854775807", "rank"),
            ("\"scale\": 2.0", "\"scale\": 1e300", "scale"),
            ("\"scale\": 2.0,", "", "scale"),
            ("\"lora_parameters\"", "\"parameters\"", "lora_parameters"),
            ("\"num_layers\": -1,", "", "lora_layers"),
            ("\"dropout\": 0.0", "\"keys\": [\"mlp.down_proj\"]", "keys"),
            ("\"dropout\": 0.0", "\"keys\": [1]", "keys"),
            ("{", "[", "adapter_config.json is damaged"),
        ]
    )
    func settings(text: String, replacement: String, named: String) throws {
        var files = sound
        files.config = ModelCopy.replace(files.config, (text, replacement))
        let error = try #require(try files.error(for: model))
        #expect(error.contains(named), "\(error)")
        #expect(error.contains(files.folder.path))
        #expect(try sound.error(for: model) == nil)
    }

    @Test("more layers than the settings say")
    func layers() throws {
        var random = SeededGenerator(seed: 3)
        var files = sound
        files.config = ModelCopy.replace(files.config, ("\"num_layers\": -1", "\"num_layers\": 1"))
        #expect(try files.error(for: model) == nil)
        files.add("model.layers.0.self_attn.o_proj", from: 128, to: 128, rank: 4, &random)
        #expect(try files.error(for: model)?.contains("2 layers") == true)
    }

    @Test(
        "changes of what the model does not have, or what cannot be changed",
        arguments: [
            ("model.layers.2.self_attn.o_proj", 128, 128, "does not have"),
            ("model.layers.0.self_attn.q_proj", 128, 128, "does not have"),
            ("model.embed_tokens", 320, 128, "embed_tokens is not supported"),
            ("model.layers.0.mlp.switch_mlp.up_proj", 128, 128, "experts"),
            ("model.layers.0.mlp.down_proj", 128, 128, "from 256 to 128"),
            ("model.layers.0.mlp.down_proj", 256, 127, "from 256 to 127"),
        ]
    )
    func modules(path: String, inputs: Int, outputs: Int, named: String) throws {
        var random = SeededGenerator(seed: 4)
        var files = sound
        files.add(path, from: inputs, to: outputs, rank: 4, &random)
        let error = try #require(try files.error(for: model))
        #expect(error.contains(path) && error.contains(named), "\(error)")
    }

    @Test("tensors that are no two matrices")
    func tensors() throws {
        var files = sound
        let first = files.tensors[0]
        files.tensors[0].name = "model.layers.1.self_attn.o_proj.m"
        #expect(try files.error(for: model)?.contains("o_proj.m is not supported") == true)
        files.tensors.removeFirst()
        #expect(try files.error(for: model)?.contains("only one of the two") == true)
        files.tensors = []
        #expect(try files.error(for: model)?.contains("no layer") == true)
        files = sound
        files.tensors[0].shape = [first.values.count]
        #expect(try files.error(for: model)?.contains("rank 4") == true)
    }

    @Test("files that are cut off anywhere, or missing")
    func files() throws {
        var files = sound
        for count in stride(from: 1, to: 4096, by: 61) {
            files.cutByteCount = count
            #expect(try files.error(for: model)?.contains("adapters.safetensors") == true)
        }
        let weights = "\(files.folder.path)/adapters.safetensors"
        try FileManager.default.removeItem(atPath: weights)
        func error() -> CheckpointError? {
            do throws(CheckpointError) {
                _ = try AdapterCheckpoint.open(files.folder.path)
                return nil
            } catch {
                return error
            }
        }
        #expect(error() == .noAdapter(folder: files.folder.path, name: "adapters.safetensors"))
        try FileManager.default.removeItem(atPath: "\(files.folder.path)/adapter_config.json")
        #expect(error() == .noAdapter(folder: files.folder.path, name: "adapter_config.json"))
    }

    @Test(
        "settings of PEFT",
        arguments: [
            ("\"LORA\"", "\"LOHA\"", "LOHA"),
            ("\"use_dora\": false", "\"use_dora\": true", "use_dora"),
            ("\"lora_bias\": false", "\"lora_bias\": true", "lora_bias"),
            ("\"bias\": \"none\"", "\"bias\": \"all\"", "bias \"all\""),
            ("\"modules_to_save\": null", "\"modules_to_save\": [\"lm_head\"]", "modules_to_save"),
            ("\"fan_in_fan_out\": false", "\"fan_in_fan_out\": true", "fan_in_fan_out"),
            ("\"layer_replication\": null", "\"layer_replication\": [[0, 2]]", "layer_replication"),
            ("\"revision\"", "\"a_setting_of_tomorrow\": true, \"revision\"", "of_tomorrow"),
            ("\"init_lora_weights\": true", "\"init_lora_weights\": \"pissa\"", "pissa"),
            ("\"rank_pattern\": {}", "\"rank_pattern\": {\"o_proj\": 4}", "rank 4"),
            ("\"rank_pattern\": {}", "\"rank_pattern\": {\"o_proj\": -1}", "o_proj"),
            ("\"rank_pattern\": {}", "\"rank_pattern\": {\".*proj\": 8}", "regular expression"),
            ("\"alpha_pattern\": {}", "\"alpha_pattern\": {\"o_proj\": \"x\"}", "o_proj"),
            ("\"r\": 8", "\"r\": 2000", "1024"),
            ("\"lora_alpha\": 16,", "", "lora_alpha"),
            ("\"qkv_proj\"\n", "\"qkv_proj\", \"down_proj\"\n", "does not change down_proj"),
            ("\"qkv_proj\"\n", "\"gate_up_proj\"\n", "qkv_proj, which is not among"),
        ]
    )
    func peft(text: String, replacement: String, named: String) throws {
        let source = Golden.path("adapters/tiny-phi3-8bit-g32+peft")
        let folder = try TemporaryFolder()
        let weights = try MappedFile(path: "\(source)/adapter_model.safetensors")
        try folder.write("adapter_model.safetensors", weights.contents)
        let settings = try MappedFile(path: "\(source)/adapter_config.json")
        let config = String(decoding: settings.contents, as: UTF8.self)
        #expect(config.contains(text))
        let changed = config.replacing(text, with: replacement)
        try folder.write("adapter_config.json", Array(changed.utf8))
        let error = #expect(throws: CheckpointError.self) {
            try AdapterCheckpoint.open(folder.path)
        }
        #expect(error?.description.contains(named) == true, "\(error?.description ?? "")")
    }
}
