"""The run folder and the stages that write to it."""
