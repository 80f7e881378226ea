INSERT INTO model_choices VALUES ('microsoft/Phi-4-mini-instruct', true, false);
