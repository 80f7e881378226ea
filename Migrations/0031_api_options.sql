-- What requests of OpenAI's API ask for beyond the settings of a conversation.

ALTER TABLE conversations
    ADD COLUMN api_options jsonb
        CHECK (api_options IS NULL OR api_user_id IS NOT NULL AND jsonb_typeof(api_options) = 'object');
