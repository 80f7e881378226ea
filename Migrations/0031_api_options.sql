-- What requests of OpenAI's API ask for beyond the settings of a conversation.

ALTER TABLE conversations
    ADD COLUMN api_options jsonb
        CHECK (api_options IS NULL OR api_user_id IS NOT NULL AND jsonb_typeof(api_options) = 'object'),
    -- Responses that were deleted: requests cannot refer to them any more.
    ADD COLUMN api_deleted uuid[] NOT NULL DEFAULT '{}';

-- The tokens of an answer with their probabilities, for requests that want them: AnswerToken.swift has
-- their form.
ALTER TABLE answer_parts ADD COLUMN logprobs jsonb;
ALTER TABLE messages ADD COLUMN logprobs jsonb;
