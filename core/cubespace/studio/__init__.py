"""The studio: a local web page that plans between two pictures with the model of a run and shows every step."""
