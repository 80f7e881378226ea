// The migrations, embedded in the binary, in the order of their numbers.
#include "BundledFiles.h"
#include "Folder.h"

static const unsigned char migration_0001[] = {
#embed "../../Migrations/0001_initial.sql"
};
static const unsigned char migration_0002[] = {
#embed "../../Migrations/0002_models.sql"
};
static const unsigned char migration_0003[] = {
#embed "../../Migrations/0003_tree.sql"
};
static const unsigned char migration_0004[] = {
#embed "../../Migrations/0004_answer_parts.sql"
};
static const unsigned char migration_0005[] = {
#embed "../../Migrations/0005_nodes.sql"
};
static const unsigned char migration_0006[] = {
#embed "../../Migrations/0006_lists.sql"
};
static const unsigned char migration_0007[] = {
#embed "../../Migrations/0007_queue.sql"
};
static const unsigned char migration_0008[] = {
#embed "../../Migrations/0008_context.sql"
};
static const unsigned char migration_0009[] = {
#embed "../../Migrations/0009_rights.sql"
};
static const unsigned char migration_0010[] = {
#embed "../../Migrations/0010_accounts.sql"
};
static const unsigned char migration_0011[] = {
#embed "../../Migrations/0011_openid.sql"
};
static const unsigned char migration_0012[] = {
#embed "../../Migrations/0012_teams.sql"
};
static const unsigned char migration_0013[] = {
#embed "../../Migrations/0013_shares.sql"
};
static const unsigned char migration_0014[] = {
#embed "../../Migrations/0014_search.sql"
};
static const unsigned char migration_0015[] = {
#embed "../../Migrations/0015_life_cycle.sql"
};
static const unsigned char migration_0016[] = {
#embed "../../Migrations/0016_ledger.sql"
};
static const unsigned char migration_0017[] = {
#embed "../../Migrations/0017_transfers.sql"
};
static const unsigned char migration_0018[] = {
#embed "../../Migrations/0018_prompts_and_mentions.sql"
};
static const unsigned char migration_0019[] = {
#embed "../../Migrations/0019_removal.sql"
};
static const unsigned char migration_0020[] = {
#embed "../../Migrations/0020_team_changes.sql"
};
static const unsigned char migration_0021[] = {
#embed "../../Migrations/0021_search_costs.sql"
};
static const unsigned char migration_0022[] = {
#embed "../../Migrations/0022_access_changes.sql"
};
static const unsigned char migration_0023[] = {
#embed "../../Migrations/0023_pins.sql"
};
static const unsigned char migration_0024[] = {
#embed "../../Migrations/0024_generation_settings.sql"
};
static const unsigned char migration_0025[] = {
#embed "../../Migrations/0025_shortened_answers.sql"
};
static const unsigned char migration_0026[] = {
#embed "../../Migrations/0026_folders.sql"
};
static const unsigned char migration_0027[] = {
#embed "../../Migrations/0027_titles.sql"
};
static const unsigned char migration_0028[] = {
#embed "../../Migrations/0028_model_choices.sql"
};
static const unsigned char migration_0029[] = {
#embed "../../Migrations/0029_snapshots.sql"
};
static const unsigned char migration_0030[] = {
#embed "../../Migrations/0030_openai.sql"
};
static const unsigned char migration_0031[] = {
#embed "../../Migrations/0031_api_options.sql"
};
static const unsigned char migration_0032[] = {
#embed "../../Migrations/0032_remote_engines.sql"
};
static const unsigned char migration_0033[] = {
#embed "../../Migrations/0033_holds.sql"
};
static const unsigned char migration_0034[] = {
#embed "../../Migrations/0034_traces.sql"
};
static const unsigned char migration_0035[] = {
#embed "../../Migrations/0035_device_sign_ins.sql"
};
static const unsigned char migration_0036[] = {
#embed "../../Migrations/0036_thinking.sql"
};
static const unsigned char migration_0037[] = {
#embed "../../Migrations/0037_search_roles.sql"
};

static const stoa_bundled_file migrations[] = {
    ENTRY("0001_initial.sql", migration_0001),
    ENTRY("0002_models.sql", migration_0002),
    ENTRY("0003_tree.sql", migration_0003),
    ENTRY("0004_answer_parts.sql", migration_0004),
    ENTRY("0005_nodes.sql", migration_0005),
    ENTRY("0006_lists.sql", migration_0006),
    ENTRY("0007_queue.sql", migration_0007),
    ENTRY("0008_context.sql", migration_0008),
    ENTRY("0009_rights.sql", migration_0009),
    ENTRY("0010_accounts.sql", migration_0010),
    ENTRY("0011_openid.sql", migration_0011),
    ENTRY("0012_teams.sql", migration_0012),
    ENTRY("0013_shares.sql", migration_0013),
    ENTRY("0014_search.sql", migration_0014),
    ENTRY("0015_life_cycle.sql", migration_0015),
    ENTRY("0016_ledger.sql", migration_0016),
    ENTRY("0017_transfers.sql", migration_0017),
    ENTRY("0018_prompts_and_mentions.sql", migration_0018),
    ENTRY("0019_removal.sql", migration_0019),
    ENTRY("0020_team_changes.sql", migration_0020),
    ENTRY("0021_search_costs.sql", migration_0021),
    ENTRY("0022_access_changes.sql", migration_0022),
    ENTRY("0023_pins.sql", migration_0023),
    ENTRY("0024_generation_settings.sql", migration_0024),
    ENTRY("0025_shortened_answers.sql", migration_0025),
    ENTRY("0026_folders.sql", migration_0026),
    ENTRY("0027_titles.sql", migration_0027),
    ENTRY("0028_model_choices.sql", migration_0028),
    ENTRY("0029_snapshots.sql", migration_0029),
    ENTRY("0030_openai.sql", migration_0030),
    ENTRY("0031_api_options.sql", migration_0031),
    ENTRY("0032_remote_engines.sql", migration_0032),
    ENTRY("0033_holds.sql", migration_0033),
    ENTRY("0034_traces.sql", migration_0034),
    ENTRY("0035_device_sign_ins.sql", migration_0035),
    ENTRY("0036_thinking.sql", migration_0036),
    ENTRY("0037_search_roles.sql", migration_0037),
};

stoa_bundled_folder stoa_bundled_migrations(void) { return FOLDER(migrations); }
