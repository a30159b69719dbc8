"""STRIPS tasks compiled to SAS+: finite-domain variables instead of single bits."""
