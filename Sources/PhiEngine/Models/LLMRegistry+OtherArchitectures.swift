// Names of MLX Swift LM's registry for models of other architectures, so that a program that names one
// compiles. Loading one is refused before anything is downloaded.

extension LLMRegistry {
    private static func other(_ id: String, _ architecture: String) -> ModelConfiguration {
        var configuration = ModelConfiguration(id: id)
        configuration.otherArchitecture = architecture
        return configuration
    }

    /// A model of the architecture `llama`, which this library does not load.
    public static let smolLM_135M_4bit = other(
        "mlx-community/SmolLM-135M-Instruct-4bit",
        "llama"
    )

    /// A model of the architecture `mistral`, which this library does not load.
    public static let mistralNeMo4bit = other(
        "mlx-community/Mistral-Nemo-Instruct-2407-4bit",
        "mistral"
    )

    /// A model of the architecture `mistral`, which this library does not load.
    public static let mistral7B4bit = other(
        "mlx-community/Mistral-7B-Instruct-v0.3-4bit",
        "mistral"
    )

    /// A model of the architecture `llama`, which this library does not load.
    public static let codeLlama13b4bit = other(
        "mlx-community/CodeLlama-13b-Instruct-hf-4bit-MLX",
        "llama"
    )

    /// A model of the architecture `qwen2`, which this library does not load.
    public static let deepSeekR1_7B_4bit = other(
        "mlx-community/DeepSeek-R1-Distill-Qwen-7B-4bit",
        "qwen2"
    )

    /// A model of the architecture `falcon_h1`, which this library does not load.
    public static let falconH1R7B = other(
        "tiiuae/Falcon-H1R-7B",
        "falcon_h1"
    )

    /// A model of the architecture `gemma`, which this library does not load.
    public static let gemma2bQuantized = other(
        "mlx-community/quantized-gemma-2b-it",
        "gemma"
    )

    /// A model of the architecture `gemma2`, which this library does not load.
    public static let gemma_2_9b_it_4bit = other(
        "mlx-community/gemma-2-9b-it-4bit",
        "gemma2"
    )

    /// A model of the architecture `gemma2`, which this library does not load.
    public static let gemma_2_2b_it_4bit = other(
        "mlx-community/gemma-2-2b-it-4bit",
        "gemma2"
    )

    /// A model of the architecture `gemma3_text`, which this library does not load.
    public static let gemma3_1B_qat_4bit = other(
        "mlx-community/gemma-3-1b-it-qat-4bit",
        "gemma3_text"
    )

    /// A model of the architecture `gemma3n`, which this library does not load.
    public static let gemma3n_E4B_it_lm_bf16 = other(
        "mlx-community/gemma-3n-E4B-it-lm-bf16",
        "gemma3n"
    )

    /// A model of the architecture `gemma3n`, which this library does not load.
    public static let gemma3n_E2B_it_lm_bf16 = other(
        "mlx-community/gemma-3n-E2B-it-lm-bf16",
        "gemma3n"
    )

    /// A model of the architecture `gemma3n`, which this library does not load.
    public static let gemma3n_E4B_it_lm_4bit = other(
        "mlx-community/gemma-3n-E4B-it-lm-4bit",
        "gemma3n"
    )

    /// A model of the architecture `gemma3n`, which this library does not load.
    public static let gemma3n_E2B_it_lm_4bit = other(
        "mlx-community/gemma-3n-E2B-it-lm-4bit",
        "gemma3n"
    )

    /// A model of the architecture `gemma4`, which this library does not load.
    public static let gemma4_e4b_it_4bit = other(
        "mlx-community/gemma-4-e4b-it-4bit",
        "gemma4"
    )

    /// A model of the architecture `gemma4`, which this library does not load.
    public static let gemma4_e2b_it_4bit = other(
        "mlx-community/gemma-4-e2b-it-4bit",
        "gemma4"
    )

    /// A model of the architecture `qwen2`, which this library does not load.
    public static let qwen205b4bit = other(
        "mlx-community/Qwen1.5-0.5B-Chat-4bit",
        "qwen2"
    )

    /// A model of the architecture `qwen2`, which this library does not load.
    public static let qwen2_5_7b = other(
        "mlx-community/Qwen2.5-7B-Instruct-4bit",
        "qwen2"
    )

    /// A model of the architecture `qwen2`, which this library does not load.
    public static let qwen2_5_1_5b = other(
        "mlx-community/Qwen2.5-1.5B-Instruct-4bit",
        "qwen2"
    )

    /// A model of the architecture `qwen3`, which this library does not load.
    public static let qwen3_0_6b_4bit = other(
        "mlx-community/Qwen3-0.6B-4bit",
        "qwen3"
    )

    /// A model of the architecture `qwen3`, which this library does not load.
    public static let qwen3_1_7b_4bit = other(
        "mlx-community/Qwen3-1.7B-4bit",
        "qwen3"
    )

    /// A model of the architecture `qwen3`, which this library does not load.
    public static let qwen3_4b_4bit = other(
        "mlx-community/Qwen3-4B-4bit",
        "qwen3"
    )

    /// A model of the architecture `qwen3`, which this library does not load.
    public static let qwen3_8b_4bit = other(
        "mlx-community/Qwen3-8B-4bit",
        "qwen3"
    )

    /// A model of the architecture `qwen3_moe`, which this library does not load.
    public static let qwen3MoE_30b_a3b_4bit = other(
        "mlx-community/Qwen3-30B-A3B-4bit",
        "qwen3_moe"
    )

    /// A model of the architecture `qwen3_5`, which this library does not load.
    public static let qwen3_5_2b_4bit = other(
        "mlx-community/Qwen3.5-2B-4bit",
        "qwen3_5"
    )

    /// A model of the architecture `qwen3_5`, which this library does not load.
    public static let qwen3_6_27b_4bit = other(
        "mlx-community/Qwen3.6-27B-4bit",
        "qwen3_5"
    )

    /// A model of the architecture `openelm`, which this library does not load.
    public static let openelm270m4bit = other(
        "mlx-community/OpenELM-270M-Instruct",
        "openelm"
    )

    /// A model of the architecture `llama`, which this library does not load.
    public static let llama3_1_8B_4bit = other(
        "mlx-community/Meta-Llama-3.1-8B-Instruct-4bit",
        "llama"
    )

    /// A model of the architecture `llama`, which this library does not load.
    public static let llama3_8B_4bit = other(
        "mlx-community/Meta-Llama-3-8B-Instruct-4bit",
        "llama"
    )

    /// A model of the architecture `llama`, which this library does not load.
    public static let llama3_2_1B_4bit = other(
        "mlx-community/Llama-3.2-1B-Instruct-4bit",
        "llama"
    )

    /// A model of the architecture `llama`, which this library does not load.
    public static let llama3_2_3B_4bit = other(
        "mlx-community/Llama-3.2-3B-Instruct-4bit",
        "llama"
    )

    /// A model of the architecture `deepseek_v3`, which this library does not load.
    public static let deepseek_r1_4bit = other(
        "mlx-community/DeepSeek-R1-4bit",
        "deepseek_v3"
    )

    /// A model of the architecture `granite`, which this library does not load.
    public static let granite3_3_2b_4bit = other(
        "mlx-community/granite-3.3-2b-instruct-4bit",
        "granite"
    )

    /// A model of the architecture `mimo`, which this library does not load.
    public static let mimo_7b_sft_4bit = other(
        "mlx-community/MiMo-7B-SFT-4bit",
        "mimo"
    )

    /// A model of the architecture `glm4`, which this library does not load.
    public static let glm4_9b_4bit = other(
        "mlx-community/GLM-4-9B-0414-4bit",
        "glm4"
    )

    /// A model of the architecture `qwen2`, which this library does not load.
    public static let acereason_7b_4bit = other(
        "mlx-community/AceReason-Nemotron-7B-4bit",
        "qwen2"
    )

    /// A model of the architecture `bitnet`, which this library does not load.
    public static let bitnet_b1_58_2b_4t_4bit = other(
        "mlx-community/bitnet-b1.58-2B-4T-4bit",
        "bitnet"
    )

    /// A model of the architecture `baichuan_m1`, which this library does not load.
    public static let baichuan_m1_14b_instruct_4bit = other(
        "mlx-community/Baichuan-M1-14B-Instruct-4bit-ft",
        "baichuan_m1"
    )

    /// A model of the architecture `smollm3`, which this library does not load.
    public static let smollm3_3b_4bit = other(
        "mlx-community/SmolLM3-3B-4bit",
        "smollm3"
    )

    /// A model of the architecture `ernie4_5`, which this library does not load.
    public static let ernie_45_0_3BPT_bf16_ft = other(
        "mlx-community/ERNIE-4.5-0.3B-PT-bf16-ft",
        "ernie4_5"
    )

    /// A model of the architecture `lfm2`, which this library does not load.
    public static let lfm2_1_2b_4bit = other(
        "mlx-community/LFM2-1.2B-4bit",
        "lfm2"
    )

    /// A model of the architecture `exaone4`, which this library does not load.
    public static let exaone_4_0_1_2b_4bit = other(
        "mlx-community/exaone-4.0-1.2b-4bit",
        "exaone4"
    )

    /// A model of the architecture `lille-130m`, which this library does not load.
    public static let lille_130m_bf16 = other(
        "mlx-community/lille-130m-instruct-bf16",
        "lille-130m"
    )

    /// A model of the architecture `olmoe`, which this library does not load.
    public static let olmoe_1b_7b_0125_instruct_4bit = other(
        "mlx-community/OLMoE-1B-7B-0125-Instruct-4bit",
        "olmoe"
    )

    /// A model of the architecture `olmo2`, which this library does not load.
    public static let olmo_2_1124_7B_Instruct_4bit = other(
        "mlx-community/OLMo-2-1124-7B-Instruct-4bit",
        "olmo2"
    )

    /// A model of the architecture `bailing_moe`, which this library does not load.
    public static let ling_mini_2_2bit = other(
        "mlx-community/Ling-mini-2.0-2bit-DWQ",
        "bailing_moe"
    )

    /// A model of the architecture `granitemoehybrid`, which this library does not load.
    public static let granite_4_0_h_tiny_4bit_dwq = other(
        "mlx-community/Granite-4.0-H-Tiny-4bit-DWQ",
        "granitemoehybrid"
    )

    /// A model of the architecture `lfm2_moe`, which this library does not load.
    public static let lfm2_8b_a1b_3bit_mlx = other(
        "mlx-community/LFM2-8B-A1B-3bit-MLX",
        "lfm2_moe"
    )

    /// A model of the architecture `nanochat`, which this library does not load.
    public static let nanochat_d20_mlx = other(
        "dnakov/nanochat-d20-mlx",
        "nanochat"
    )

    /// A model of the architecture `gpt_oss`, which this library does not load.
    public static let gpt_oss_20b_MXFP4_Q8 = other(
        "mlx-community/gpt-oss-20b-MXFP4-Q8",
        "gpt_oss"
    )

    /// A model of the architecture `jamba`, which this library does not load.
    public static let jamba_3b_4bit = other(
        "mlx-community/AI21-Jamba-Reasoning-3B-4bit",
        "jamba"
    )

    /// A model of the architecture `nemotron_labs_diffusion`, which this library does not load.
    public static let nemotron_labs_diffusion_3b_4bit = other(
        "mlx-community/Nemotron-Labs-Diffusion-3B-4bit",
        "nemotron_labs_diffusion"
    )
}
