"""How plugins are found, listed and created: hook specs, the catalogue, the scaffold."""
