//! LAYER 2: the tick of an idle CPU: next event, stop or retain.
