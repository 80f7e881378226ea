INSERT INTO remote_engines (label, definition) VALUES ('engine 32', 'url=http://engine.example:8000 model=phi');
