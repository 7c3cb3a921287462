//! LAYER 8: Yew components, canvas, worker.
