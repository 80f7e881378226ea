// The demo model, embedded in the binary.
#include "BundledFiles.h"
#include "Folder.h"

static const unsigned char demo_card[] = {
#embed "demo-model/MODEL_CARD.md"
};
static const unsigned char demo_config[] = {
#embed "demo-model/config.json"
};
static const unsigned char demo_generation_config[] = {
#embed "demo-model/generation_config.json"
};
static const unsigned char demo_weights[] = {
#embed "demo-model/model.safetensors"
};
static const unsigned char demo_tokenizer[] = {
#embed "demo-model/tokenizer.json"
};
static const unsigned char demo_tokenizer_config[] = {
#embed "demo-model/tokenizer_config.json"
};

static const stoa_bundled_file demo_model[] = {
    ENTRY("MODEL_CARD.md", demo_card),
    ENTRY("config.json", demo_config),
    ENTRY("generation_config.json", demo_generation_config),
    ENTRY("model.safetensors", demo_weights),
    ENTRY("tokenizer.json", demo_tokenizer),
    ENTRY("tokenizer_config.json", demo_tokenizer_config),
};

stoa_bundled_folder stoa_bundled_demo_model(void) { return FOLDER(demo_model); }
