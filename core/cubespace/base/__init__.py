"""What every room may use: errors, files, arrays, pictures, options, the observer of a run."""
