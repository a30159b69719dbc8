"""How plugins are found, listed and made: hook specs, the catalogue, the scaffold."""
