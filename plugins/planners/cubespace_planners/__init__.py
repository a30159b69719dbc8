"""Built-in planner backends. Each module offers rows of data; the classes are imported on first use."""
