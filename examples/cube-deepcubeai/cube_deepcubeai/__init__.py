"""The worlds of DeepCubeAI as domains of cubespace."""
