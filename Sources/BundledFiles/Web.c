// The files of the web page, embedded in the binary. A test fails if a file of Web/ is missing
// here.
#include "BundledFiles.h"
#include "Folder.h"

static const unsigned char web_css_administration_css[] = {
#embed "../../Web/css/administration.css"
};
static const unsigned char web_css_base_css[] = {
#embed "../../Web/css/base.css"
};
static const unsigned char web_css_dialogs_css[] = {
#embed "../../Web/css/dialogs.css"
};
static const unsigned char web_css_layout_css[] = {
#embed "../../Web/css/layout.css"
};
static const unsigned char web_css_mentions_css[] = {
#embed "../../Web/css/mentions.css"
};
static const unsigned char web_css_messages_css[] = {
#embed "../../Web/css/messages.css"
};
static const unsigned char web_css_signs_css[] = {
#embed "../../Web/css/signs.css"
};
static const unsigned char web_icon_svg[] = {
#embed "../../Web/icon.svg"
};
static const unsigned char web_icons_svg[] = {
#embed "../../Web/icons.svg"
};
static const unsigned char web_index_html[] = {
#embed "../../Web/index.html"
};
static const unsigned char web_js_address_js[] = {
#embed "../../Web/js/address.js"
};
static const unsigned char web_js_administration_audit_js[] = {
#embed "../../Web/js/administration/audit.js"
};
static const unsigned char web_js_administration_entry_js[] = {
#embed "../../Web/js/administration/entry.js"
};
static const unsigned char web_js_administration_format_js[] = {
#embed "../../Web/js/administration/format.js"
};
static const unsigned char web_js_administration_holds_log_js[] = {
#embed "../../Web/js/administration/holds-log.js"
};
static const unsigned char web_js_administration_holds_js[] = {
#embed "../../Web/js/administration/holds.js"
};
static const unsigned char web_js_administration_models_js[] = {
#embed "../../Web/js/administration/models.js"
};
static const unsigned char web_js_administration_overview_js[] = {
#embed "../../Web/js/administration/overview.js"
};
static const unsigned char web_js_administration_parts_budget_js[] = {
#embed "../../Web/js/administration/parts/budget.js"
};
static const unsigned char web_js_administration_parts_chart_js[] = {
#embed "../../Web/js/administration/parts/chart.js"
};
static const unsigned char web_js_administration_parts_dialog_js[] = {
#embed "../../Web/js/administration/parts/dialog.js"
};
static const unsigned char web_js_administration_parts_filters_js[] = {
#embed "../../Web/js/administration/parts/filters.js"
};
static const unsigned char web_js_administration_parts_repeat_js[] = {
#embed "../../Web/js/administration/parts/repeat.js"
};
static const unsigned char web_js_administration_parts_secret_js[] = {
#embed "../../Web/js/administration/parts/secret.js"
};
static const unsigned char web_js_administration_parts_table_js[] = {
#embed "../../Web/js/administration/parts/table.js"
};
static const unsigned char web_js_administration_parts_team_options_js[] = {
#embed "../../Web/js/administration/parts/team-options.js"
};
static const unsigned char web_js_administration_place_js[] = {
#embed "../../Web/js/administration/place.js"
};
static const unsigned char web_js_administration_runs_js[] = {
#embed "../../Web/js/administration/runs.js"
};
static const unsigned char web_js_administration_team_js[] = {
#embed "../../Web/js/administration/team.js"
};
static const unsigned char web_js_administration_teams_js[] = {
#embed "../../Web/js/administration/teams.js"
};
static const unsigned char web_js_administration_usage_figures_js[] = {
#embed "../../Web/js/administration/usage-figures.js"
};
static const unsigned char web_js_administration_usage_js[] = {
#embed "../../Web/js/administration/usage.js"
};
static const unsigned char web_js_administration_user_js[] = {
#embed "../../Web/js/administration/user.js"
};
static const unsigned char web_js_administration_users_js[] = {
#embed "../../Web/js/administration/users.js"
};
static const unsigned char web_js_administration_view_js[] = {
#embed "../../Web/js/administration/view.js"
};
static const unsigned char web_js_allowance_js[] = {
#embed "../../Web/js/allowance.js"
};
static const unsigned char web_js_announcer_js[] = {
#embed "../../Web/js/announcer.js"
};
static const unsigned char web_js_backend_js[] = {
#embed "../../Web/js/backend.js"
};
static const unsigned char web_js_checksum_js[] = {
#embed "../../Web/js/checksum.js"
};
static const unsigned char web_js_clipboard_js[] = {
#embed "../../Web/js/clipboard.js"
};
static const unsigned char web_js_connection_js[] = {
#embed "../../Web/js/connection.js"
};
static const unsigned char web_js_conversation_list_js[] = {
#embed "../../Web/js/conversation-list.js"
};
static const unsigned char web_js_direction_js[] = {
#embed "../../Web/js/direction.js"
};
static const unsigned char web_js_element_js[] = {
#embed "../../Web/js/element.js"
};
static const unsigned char web_js_growing_text_js[] = {
#embed "../../Web/js/growing-text.js"
};
static const unsigned char web_js_language_js[] = {
#embed "../../Web/js/language.js"
};
static const unsigned char web_js_list_state_js[] = {
#embed "../../Web/js/list-state.js"
};
static const unsigned char web_js_main_js[] = {
#embed "../../Web/js/main.js"
};
static const unsigned char web_js_markdown_blocks_js[] = {
#embed "../../Web/js/markdown-blocks.js"
};
static const unsigned char web_js_markdown_inline_js[] = {
#embed "../../Web/js/markdown-inline.js"
};
static const unsigned char web_js_markdown_links_js[] = {
#embed "../../Web/js/markdown-links.js"
};
static const unsigned char web_js_markdown_table_js[] = {
#embed "../../Web/js/markdown-table.js"
};
static const unsigned char web_js_markdown_view_js[] = {
#embed "../../Web/js/markdown-view.js"
};
static const unsigned char web_js_mentions_js[] = {
#embed "../../Web/js/mentions.js"
};
static const unsigned char web_js_message_tree_js[] = {
#embed "../../Web/js/message-tree.js"
};
static const unsigned char web_js_message_js[] = {
#embed "../../Web/js/message.js"
};
static const unsigned char web_js_models_js[] = {
#embed "../../Web/js/models.js"
};
static const unsigned char web_js_outbox_js[] = {
#embed "../../Web/js/outbox.js"
};
static const unsigned char web_js_presence_js[] = {
#embed "../../Web/js/presence.js"
};
static const unsigned char web_js_reader_js[] = {
#embed "../../Web/js/reader.js"
};
static const unsigned char web_js_reconnect_js[] = {
#embed "../../Web/js/reconnect.js"
};
static const unsigned char web_js_search_fields_js[] = {
#embed "../../Web/js/search-fields.js"
};
static const unsigned char web_js_stop_texts_js[] = {
#embed "../../Web/js/stop-texts.js"
};
static const unsigned char web_js_tab_storage_js[] = {
#embed "../../Web/js/tab-storage.js"
};
static const unsigned char web_js_teams_js[] = {
#embed "../../Web/js/teams.js"
};
static const unsigned char web_js_timeline_js[] = {
#embed "../../Web/js/timeline.js"
};
static const unsigned char web_js_tree_actions_js[] = {
#embed "../../Web/js/tree-actions.js"
};
static const unsigned char web_js_utf8_js[] = {
#embed "../../Web/js/utf8.js"
};
static const unsigned char web_js_views_account_delete_dialog_js[] = {
#embed "../../Web/js/views/account-delete-dialog.js"
};
static const unsigned char web_js_views_account_dialog_js[] = {
#embed "../../Web/js/views/account-dialog.js"
};
static const unsigned char web_js_views_allowance_view_js[] = {
#embed "../../Web/js/views/allowance-view.js"
};
static const unsigned char web_js_views_archive_js[] = {
#embed "../../Web/js/views/archive.js"
};
static const unsigned char web_js_views_bubble_js[] = {
#embed "../../Web/js/views/bubble.js"
};
static const unsigned char web_js_views_composer_js[] = {
#embed "../../Web/js/views/composer.js"
};
static const unsigned char web_js_views_conversation_head_js[] = {
#embed "../../Web/js/views/conversation-head.js"
};
static const unsigned char web_js_views_conversation_menu_js[] = {
#embed "../../Web/js/views/conversation-menu.js"
};
static const unsigned char web_js_views_dialogs_js[] = {
#embed "../../Web/js/views/dialogs.js"
};
static const unsigned char web_js_views_invite_dialog_js[] = {
#embed "../../Web/js/views/invite-dialog.js"
};
static const unsigned char web_js_views_key_part_js[] = {
#embed "../../Web/js/views/key-part.js"
};
static const unsigned char web_js_views_menu_js[] = {
#embed "../../Web/js/views/menu.js"
};
static const unsigned char web_js_views_message_editor_js[] = {
#embed "../../Web/js/views/message-editor.js"
};
static const unsigned char web_js_views_message_tools_js[] = {
#embed "../../Web/js/views/message-tools.js"
};
static const unsigned char web_js_views_model_chooser_js[] = {
#embed "../../Web/js/views/model-chooser.js"
};
static const unsigned char web_js_views_models_dialog_js[] = {
#embed "../../Web/js/views/models-dialog.js"
};
static const unsigned char web_js_views_presence_view_js[] = {
#embed "../../Web/js/views/presence-view.js"
};
static const unsigned char web_js_views_prompt_library_js[] = {
#embed "../../Web/js/views/prompt-library.js"
};
static const unsigned char web_js_views_receipt_dialog_js[] = {
#embed "../../Web/js/views/receipt-dialog.js"
};
static const unsigned char web_js_views_search_filters_js[] = {
#embed "../../Web/js/views/search-filters.js"
};
static const unsigned char web_js_views_search_js[] = {
#embed "../../Web/js/views/search.js"
};
static const unsigned char web_js_views_settings_dialog_js[] = {
#embed "../../Web/js/views/settings-dialog.js"
};
static const unsigned char web_js_views_sidebar_js[] = {
#embed "../../Web/js/views/sidebar.js"
};
static const unsigned char web_js_views_sign_in_js[] = {
#embed "../../Web/js/views/sign-in.js"
};
static const unsigned char web_js_views_status_js[] = {
#embed "../../Web/js/views/status.js"
};
static const unsigned char web_js_views_team_dialog_js[] = {
#embed "../../Web/js/views/team-dialog.js"
};
static const unsigned char web_js_views_team_links_js[] = {
#embed "../../Web/js/views/team-links.js"
};
static const unsigned char web_js_views_team_switcher_js[] = {
#embed "../../Web/js/views/team-switcher.js"
};
static const unsigned char web_js_views_team_views_js[] = {
#embed "../../Web/js/views/team-views.js"
};
static const unsigned char web_js_views_teams_dialog_js[] = {
#embed "../../Web/js/views/teams-dialog.js"
};
static const unsigned char web_js_views_thread_js[] = {
#embed "../../Web/js/views/thread.js"
};
static const unsigned char web_js_views_toast_js[] = {
#embed "../../Web/js/views/toast.js"
};
static const unsigned char web_js_views_transfer_part_js[] = {
#embed "../../Web/js/views/transfer-part.js"
};
static const unsigned char web_js_views_welcome_js[] = {
#embed "../../Web/js/views/welcome.js"
};
static const unsigned char web_js_watcher_js[] = {
#embed "../../Web/js/watcher.js"
};
static const unsigned char web_js_wording_js[] = {
#embed "../../Web/js/wording.js"
};
static const unsigned char web_js_workspace_js[] = {
#embed "../../Web/js/workspace.js"
};
static const unsigned char web_languages_en_js[] = {
#embed "../../Web/languages/en.js"
};

static const stoa_bundled_file web[] = {
    ENTRY("css/administration.css", web_css_administration_css),
    ENTRY("css/base.css", web_css_base_css),
    ENTRY("css/dialogs.css", web_css_dialogs_css),
    ENTRY("css/layout.css", web_css_layout_css),
    ENTRY("css/mentions.css", web_css_mentions_css),
    ENTRY("css/messages.css", web_css_messages_css),
    ENTRY("css/signs.css", web_css_signs_css),
    ENTRY("icon.svg", web_icon_svg),
    ENTRY("icons.svg", web_icons_svg),
    ENTRY("index.html", web_index_html),
    ENTRY("js/address.js", web_js_address_js),
    ENTRY("js/administration/audit.js", web_js_administration_audit_js),
    ENTRY("js/administration/entry.js", web_js_administration_entry_js),
    ENTRY("js/administration/format.js", web_js_administration_format_js),
    ENTRY("js/administration/holds-log.js", web_js_administration_holds_log_js),
    ENTRY("js/administration/holds.js", web_js_administration_holds_js),
    ENTRY("js/administration/models.js", web_js_administration_models_js),
    ENTRY("js/administration/overview.js", web_js_administration_overview_js),
    ENTRY("js/administration/parts/budget.js", web_js_administration_parts_budget_js),
    ENTRY("js/administration/parts/chart.js", web_js_administration_parts_chart_js),
    ENTRY("js/administration/parts/dialog.js", web_js_administration_parts_dialog_js),
    ENTRY("js/administration/parts/filters.js", web_js_administration_parts_filters_js),
    ENTRY("js/administration/parts/repeat.js", web_js_administration_parts_repeat_js),
    ENTRY("js/administration/parts/secret.js", web_js_administration_parts_secret_js),
    ENTRY("js/administration/parts/table.js", web_js_administration_parts_table_js),
    ENTRY("js/administration/parts/team-options.js", web_js_administration_parts_team_options_js),
    ENTRY("js/administration/place.js", web_js_administration_place_js),
    ENTRY("js/administration/runs.js", web_js_administration_runs_js),
    ENTRY("js/administration/team.js", web_js_administration_team_js),
    ENTRY("js/administration/teams.js", web_js_administration_teams_js),
    ENTRY("js/administration/usage-figures.js", web_js_administration_usage_figures_js),
    ENTRY("js/administration/usage.js", web_js_administration_usage_js),
    ENTRY("js/administration/user.js", web_js_administration_user_js),
    ENTRY("js/administration/users.js", web_js_administration_users_js),
    ENTRY("js/administration/view.js", web_js_administration_view_js),
    ENTRY("js/allowance.js", web_js_allowance_js),
    ENTRY("js/announcer.js", web_js_announcer_js),
    ENTRY("js/backend.js", web_js_backend_js),
    ENTRY("js/checksum.js", web_js_checksum_js),
    ENTRY("js/clipboard.js", web_js_clipboard_js),
    ENTRY("js/connection.js", web_js_connection_js),
    ENTRY("js/conversation-list.js", web_js_conversation_list_js),
    ENTRY("js/direction.js", web_js_direction_js),
    ENTRY("js/element.js", web_js_element_js),
    ENTRY("js/growing-text.js", web_js_growing_text_js),
    ENTRY("js/language.js", web_js_language_js),
    ENTRY("js/list-state.js", web_js_list_state_js),
    ENTRY("js/main.js", web_js_main_js),
    ENTRY("js/markdown-blocks.js", web_js_markdown_blocks_js),
    ENTRY("js/markdown-inline.js", web_js_markdown_inline_js),
    ENTRY("js/markdown-links.js", web_js_markdown_links_js),
    ENTRY("js/markdown-table.js", web_js_markdown_table_js),
    ENTRY("js/markdown-view.js", web_js_markdown_view_js),
    ENTRY("js/mentions.js", web_js_mentions_js),
    ENTRY("js/message-tree.js", web_js_message_tree_js),
    ENTRY("js/message.js", web_js_message_js),
    ENTRY("js/models.js", web_js_models_js),
    ENTRY("js/outbox.js", web_js_outbox_js),
    ENTRY("js/presence.js", web_js_presence_js),
    ENTRY("js/reader.js", web_js_reader_js),
    ENTRY("js/reconnect.js", web_js_reconnect_js),
    ENTRY("js/search-fields.js", web_js_search_fields_js),
    ENTRY("js/stop-texts.js", web_js_stop_texts_js),
    ENTRY("js/tab-storage.js", web_js_tab_storage_js),
    ENTRY("js/teams.js", web_js_teams_js),
    ENTRY("js/timeline.js", web_js_timeline_js),
    ENTRY("js/tree-actions.js", web_js_tree_actions_js),
    ENTRY("js/utf8.js", web_js_utf8_js),
    ENTRY("js/views/account-delete-dialog.js", web_js_views_account_delete_dialog_js),
    ENTRY("js/views/account-dialog.js", web_js_views_account_dialog_js),
    ENTRY("js/views/allowance-view.js", web_js_views_allowance_view_js),
    ENTRY("js/views/archive.js", web_js_views_archive_js),
    ENTRY("js/views/bubble.js", web_js_views_bubble_js),
    ENTRY("js/views/composer.js", web_js_views_composer_js),
    ENTRY("js/views/conversation-head.js", web_js_views_conversation_head_js),
    ENTRY("js/views/conversation-menu.js", web_js_views_conversation_menu_js),
    ENTRY("js/views/dialogs.js", web_js_views_dialogs_js),
    ENTRY("js/views/invite-dialog.js", web_js_views_invite_dialog_js),
    ENTRY("js/views/key-part.js", web_js_views_key_part_js),
    ENTRY("js/views/menu.js", web_js_views_menu_js),
    ENTRY("js/views/message-editor.js", web_js_views_message_editor_js),
    ENTRY("js/views/message-tools.js", web_js_views_message_tools_js),
    ENTRY("js/views/model-chooser.js", web_js_views_model_chooser_js),
    ENTRY("js/views/models-dialog.js", web_js_views_models_dialog_js),
    ENTRY("js/views/presence-view.js", web_js_views_presence_view_js),
    ENTRY("js/views/prompt-library.js", web_js_views_prompt_library_js),
    ENTRY("js/views/receipt-dialog.js", web_js_views_receipt_dialog_js),
    ENTRY("js/views/search-filters.js", web_js_views_search_filters_js),
    ENTRY("js/views/search.js", web_js_views_search_js),
    ENTRY("js/views/settings-dialog.js", web_js_views_settings_dialog_js),
    ENTRY("js/views/sidebar.js", web_js_views_sidebar_js),
    ENTRY("js/views/sign-in.js", web_js_views_sign_in_js),
    ENTRY("js/views/status.js", web_js_views_status_js),
    ENTRY("js/views/team-dialog.js", web_js_views_team_dialog_js),
    ENTRY("js/views/team-links.js", web_js_views_team_links_js),
    ENTRY("js/views/team-switcher.js", web_js_views_team_switcher_js),
    ENTRY("js/views/team-views.js", web_js_views_team_views_js),
    ENTRY("js/views/teams-dialog.js", web_js_views_teams_dialog_js),
    ENTRY("js/views/thread.js", web_js_views_thread_js),
    ENTRY("js/views/toast.js", web_js_views_toast_js),
    ENTRY("js/views/transfer-part.js", web_js_views_transfer_part_js),
    ENTRY("js/views/welcome.js", web_js_views_welcome_js),
    ENTRY("js/watcher.js", web_js_watcher_js),
    ENTRY("js/wording.js", web_js_wording_js),
    ENTRY("js/workspace.js", web_js_workspace_js),
    ENTRY("languages/en.js", web_languages_en_js),
};

stoa_bundled_folder stoa_bundled_web(void) { return FOLDER(web); }
