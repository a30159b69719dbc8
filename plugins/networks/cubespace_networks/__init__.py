"""Built-in encoders and decoders."""
