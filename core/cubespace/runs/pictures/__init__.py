"""What a user does with a model and pictures of their own: plan, act, give away."""
