UPDATE generations SET trace_parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    trace_state = 'example=1';
