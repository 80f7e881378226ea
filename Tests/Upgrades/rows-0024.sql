UPDATE conversations SET seed = 7, stop_strings = '{END}' WHERE id = md5('conversation 24')::uuid;
