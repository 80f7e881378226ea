// The files of the web page, embedded in the binary. A test fails if a file of Web/ is missing
// here.
#include "BundledFiles.h"
#include "Folder.h"

static const unsigned char web_css_base_css[] = {
#embed "../../Web/css/base.css"
};
static const unsigned char web_css_conversations_css[] = {
#embed "../../Web/css/conversations.css"
};
static const unsigned char web_css_dialogs_css[] = {
#embed "../../Web/css/dialogs.css"
};
static const unsigned char web_css_folders_css[] = {
#embed "../../Web/css/folders.css"
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
static const unsigned char web_js_chime_js[] = {
#embed "../../Web/js/chime.js"
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
static const unsigned char web_js_conversation_rights_js[] = {
#embed "../../Web/js/conversation-rights.js"
};
static const unsigned char web_js_device_settings_js[] = {
#embed "../../Web/js/device-settings.js"
};
static const unsigned char web_js_direction_js[] = {
#embed "../../Web/js/direction.js"
};
static const unsigned char web_js_element_js[] = {
#embed "../../Web/js/element.js"
};
static const unsigned char web_js_folders_js[] = {
#embed "../../Web/js/folders.js"
};
static const unsigned char web_js_growing_text_js[] = {
#embed "../../Web/js/growing-text.js"
};
static const unsigned char web_js_language_js[] = {
#embed "../../Web/js/language.js"
};
static const unsigned char web_js_lifetimes_js[] = {
#embed "../../Web/js/lifetimes.js"
};
static const unsigned char web_js_list_order_js[] = {
#embed "../../Web/js/list-order.js"
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
static const unsigned char web_js_message_actions_js[] = {
#embed "../../Web/js/message-actions.js"
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
static const unsigned char web_js_notices_js[] = {
#embed "../../Web/js/notices.js"
};
static const unsigned char web_js_notifier_js[] = {
#embed "../../Web/js/notifier.js"
};
static const unsigned char web_js_outbox_js[] = {
#embed "../../Web/js/outbox.js"
};
static const unsigned char web_js_presence_js[] = {
#embed "../../Web/js/presence.js"
};
static const unsigned char web_js_prompt_variables_js[] = {
#embed "../../Web/js/prompt-variables.js"
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
static const unsigned char web_js_shared_branch_js[] = {
#embed "../../Web/js/shared-branch.js"
};
static const unsigned char web_js_shared_reader_js[] = {
#embed "../../Web/js/shared-reader.js"
};
static const unsigned char web_js_stop_texts_js[] = {
#embed "../../Web/js/stop-texts.js"
};
static const unsigned char web_js_tab_storage_js[] = {
#embed "../../Web/js/tab-storage.js"
};
static const unsigned char web_js_tags_js[] = {
#embed "../../Web/js/tags.js"
};
static const unsigned char web_js_teams_js[] = {
#embed "../../Web/js/teams.js"
};
static const unsigned char web_js_text_difference_js[] = {
#embed "../../Web/js/text-difference.js"
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
static const unsigned char web_js_views_compare_dialog_js[] = {
#embed "../../Web/js/views/compare-dialog.js"
};
static const unsigned char web_js_views_composer_js[] = {
#embed "../../Web/js/views/composer.js"
};
static const unsigned char web_js_views_conversation_actions_js[] = {
#embed "../../Web/js/views/conversation-actions.js"
};
static const unsigned char web_js_views_conversation_head_js[] = {
#embed "../../Web/js/views/conversation-head.js"
};
static const unsigned char web_js_views_conversation_menu_js[] = {
#embed "../../Web/js/views/conversation-menu.js"
};
static const unsigned char web_js_views_conversation_row_js[] = {
#embed "../../Web/js/views/conversation-row.js"
};
static const unsigned char web_js_views_dialogs_js[] = {
#embed "../../Web/js/views/dialogs.js"
};
static const unsigned char web_js_views_downloads_js[] = {
#embed "../../Web/js/views/downloads.js"
};
static const unsigned char web_js_views_export_dialog_js[] = {
#embed "../../Web/js/views/export-dialog.js"
};
static const unsigned char web_js_views_file_drop_js[] = {
#embed "../../Web/js/views/file-drop.js"
};
static const unsigned char web_js_views_folders_view_js[] = {
#embed "../../Web/js/views/folders-view.js"
};
static const unsigned char web_js_views_hold_dialog_js[] = {
#embed "../../Web/js/views/hold-dialog.js"
};
static const unsigned char web_js_views_import_dialog_js[] = {
#embed "../../Web/js/views/import-dialog.js"
};
static const unsigned char web_js_views_invite_dialog_js[] = {
#embed "../../Web/js/views/invite-dialog.js"
};
static const unsigned char web_js_views_key_part_js[] = {
#embed "../../Web/js/views/key-part.js"
};
static const unsigned char web_js_views_keyed_rows_js[] = {
#embed "../../Web/js/views/keyed-rows.js"
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
static const unsigned char web_js_views_move_dialog_js[] = {
#embed "../../Web/js/views/move-dialog.js"
};
static const unsigned char web_js_views_notification_part_js[] = {
#embed "../../Web/js/views/notification-part.js"
};
static const unsigned char web_js_views_organise_dialog_js[] = {
#embed "../../Web/js/views/organise-dialog.js"
};
static const unsigned char web_js_views_presence_view_js[] = {
#embed "../../Web/js/views/presence-view.js"
};
static const unsigned char web_js_views_prompt_library_js[] = {
#embed "../../Web/js/views/prompt-library.js"
};
static const unsigned char web_js_views_prompt_values_js[] = {
#embed "../../Web/js/views/prompt-values.js"
};
static const unsigned char web_js_views_receipt_dialog_js[] = {
#embed "../../Web/js/views/receipt-dialog.js"
};
static const unsigned char web_js_views_rename_field_js[] = {
#embed "../../Web/js/views/rename-field.js"
};
static const unsigned char web_js_views_row_menu_js[] = {
#embed "../../Web/js/views/row-menu.js"
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
static const unsigned char web_js_views_share_dialog_js[] = {
#embed "../../Web/js/views/share-dialog.js"
};
static const unsigned char web_js_views_shared_js[] = {
#embed "../../Web/js/views/shared.js"
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
static const unsigned char web_js_views_team_retention_js[] = {
#embed "../../Web/js/views/team-retention.js"
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
static const unsigned char web_js_views_temporary_menu_js[] = {
#embed "../../Web/js/views/temporary-menu.js"
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
    ENTRY("css/base.css", web_css_base_css),
    ENTRY("css/conversations.css", web_css_conversations_css),
    ENTRY("css/dialogs.css", web_css_dialogs_css),
    ENTRY("css/folders.css", web_css_folders_css),
    ENTRY("css/layout.css", web_css_layout_css),
    ENTRY("css/mentions.css", web_css_mentions_css),
    ENTRY("css/messages.css", web_css_messages_css),
    ENTRY("css/signs.css", web_css_signs_css),
    ENTRY("icon.svg", web_icon_svg),
    ENTRY("icons.svg", web_icons_svg),
    ENTRY("index.html", web_index_html),
    ENTRY("js/address.js", web_js_address_js),
    ENTRY("js/allowance.js", web_js_allowance_js),
    ENTRY("js/announcer.js", web_js_announcer_js),
    ENTRY("js/backend.js", web_js_backend_js),
    ENTRY("js/checksum.js", web_js_checksum_js),
    ENTRY("js/chime.js", web_js_chime_js),
    ENTRY("js/clipboard.js", web_js_clipboard_js),
    ENTRY("js/connection.js", web_js_connection_js),
    ENTRY("js/conversation-list.js", web_js_conversation_list_js),
    ENTRY("js/conversation-rights.js", web_js_conversation_rights_js),
    ENTRY("js/device-settings.js", web_js_device_settings_js),
    ENTRY("js/direction.js", web_js_direction_js),
    ENTRY("js/element.js", web_js_element_js),
    ENTRY("js/folders.js", web_js_folders_js),
    ENTRY("js/growing-text.js", web_js_growing_text_js),
    ENTRY("js/language.js", web_js_language_js),
    ENTRY("js/lifetimes.js", web_js_lifetimes_js),
    ENTRY("js/list-order.js", web_js_list_order_js),
    ENTRY("js/list-state.js", web_js_list_state_js),
    ENTRY("js/main.js", web_js_main_js),
    ENTRY("js/markdown-blocks.js", web_js_markdown_blocks_js),
    ENTRY("js/markdown-inline.js", web_js_markdown_inline_js),
    ENTRY("js/markdown-links.js", web_js_markdown_links_js),
    ENTRY("js/markdown-table.js", web_js_markdown_table_js),
    ENTRY("js/markdown-view.js", web_js_markdown_view_js),
    ENTRY("js/mentions.js", web_js_mentions_js),
    ENTRY("js/message-actions.js", web_js_message_actions_js),
    ENTRY("js/message-tree.js", web_js_message_tree_js),
    ENTRY("js/message.js", web_js_message_js),
    ENTRY("js/models.js", web_js_models_js),
    ENTRY("js/notices.js", web_js_notices_js),
    ENTRY("js/notifier.js", web_js_notifier_js),
    ENTRY("js/outbox.js", web_js_outbox_js),
    ENTRY("js/presence.js", web_js_presence_js),
    ENTRY("js/prompt-variables.js", web_js_prompt_variables_js),
    ENTRY("js/reader.js", web_js_reader_js),
    ENTRY("js/reconnect.js", web_js_reconnect_js),
    ENTRY("js/search-fields.js", web_js_search_fields_js),
    ENTRY("js/shared-branch.js", web_js_shared_branch_js),
    ENTRY("js/shared-reader.js", web_js_shared_reader_js),
    ENTRY("js/stop-texts.js", web_js_stop_texts_js),
    ENTRY("js/tab-storage.js", web_js_tab_storage_js),
    ENTRY("js/tags.js", web_js_tags_js),
    ENTRY("js/teams.js", web_js_teams_js),
    ENTRY("js/text-difference.js", web_js_text_difference_js),
    ENTRY("js/timeline.js", web_js_timeline_js),
    ENTRY("js/tree-actions.js", web_js_tree_actions_js),
    ENTRY("js/utf8.js", web_js_utf8_js),
    ENTRY("js/views/account-delete-dialog.js", web_js_views_account_delete_dialog_js),
    ENTRY("js/views/account-dialog.js", web_js_views_account_dialog_js),
    ENTRY("js/views/allowance-view.js", web_js_views_allowance_view_js),
    ENTRY("js/views/archive.js", web_js_views_archive_js),
    ENTRY("js/views/bubble.js", web_js_views_bubble_js),
    ENTRY("js/views/compare-dialog.js", web_js_views_compare_dialog_js),
    ENTRY("js/views/composer.js", web_js_views_composer_js),
    ENTRY("js/views/conversation-actions.js", web_js_views_conversation_actions_js),
    ENTRY("js/views/conversation-head.js", web_js_views_conversation_head_js),
    ENTRY("js/views/conversation-menu.js", web_js_views_conversation_menu_js),
    ENTRY("js/views/conversation-row.js", web_js_views_conversation_row_js),
    ENTRY("js/views/dialogs.js", web_js_views_dialogs_js),
    ENTRY("js/views/downloads.js", web_js_views_downloads_js),
    ENTRY("js/views/export-dialog.js", web_js_views_export_dialog_js),
    ENTRY("js/views/file-drop.js", web_js_views_file_drop_js),
    ENTRY("js/views/folders-view.js", web_js_views_folders_view_js),
    ENTRY("js/views/hold-dialog.js", web_js_views_hold_dialog_js),
    ENTRY("js/views/import-dialog.js", web_js_views_import_dialog_js),
    ENTRY("js/views/invite-dialog.js", web_js_views_invite_dialog_js),
    ENTRY("js/views/key-part.js", web_js_views_key_part_js),
    ENTRY("js/views/keyed-rows.js", web_js_views_keyed_rows_js),
    ENTRY("js/views/menu.js", web_js_views_menu_js),
    ENTRY("js/views/message-editor.js", web_js_views_message_editor_js),
    ENTRY("js/views/message-tools.js", web_js_views_message_tools_js),
    ENTRY("js/views/model-chooser.js", web_js_views_model_chooser_js),
    ENTRY("js/views/models-dialog.js", web_js_views_models_dialog_js),
    ENTRY("js/views/move-dialog.js", web_js_views_move_dialog_js),
    ENTRY("js/views/notification-part.js", web_js_views_notification_part_js),
    ENTRY("js/views/organise-dialog.js", web_js_views_organise_dialog_js),
    ENTRY("js/views/presence-view.js", web_js_views_presence_view_js),
    ENTRY("js/views/prompt-library.js", web_js_views_prompt_library_js),
    ENTRY("js/views/prompt-values.js", web_js_views_prompt_values_js),
    ENTRY("js/views/receipt-dialog.js", web_js_views_receipt_dialog_js),
    ENTRY("js/views/rename-field.js", web_js_views_rename_field_js),
    ENTRY("js/views/row-menu.js", web_js_views_row_menu_js),
    ENTRY("js/views/search-filters.js", web_js_views_search_filters_js),
    ENTRY("js/views/search.js", web_js_views_search_js),
    ENTRY("js/views/settings-dialog.js", web_js_views_settings_dialog_js),
    ENTRY("js/views/share-dialog.js", web_js_views_share_dialog_js),
    ENTRY("js/views/shared.js", web_js_views_shared_js),
    ENTRY("js/views/sidebar.js", web_js_views_sidebar_js),
    ENTRY("js/views/sign-in.js", web_js_views_sign_in_js),
    ENTRY("js/views/status.js", web_js_views_status_js),
    ENTRY("js/views/team-dialog.js", web_js_views_team_dialog_js),
    ENTRY("js/views/team-links.js", web_js_views_team_links_js),
    ENTRY("js/views/team-retention.js", web_js_views_team_retention_js),
    ENTRY("js/views/team-switcher.js", web_js_views_team_switcher_js),
    ENTRY("js/views/team-views.js", web_js_views_team_views_js),
    ENTRY("js/views/teams-dialog.js", web_js_views_teams_dialog_js),
    ENTRY("js/views/temporary-menu.js", web_js_views_temporary_menu_js),
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
