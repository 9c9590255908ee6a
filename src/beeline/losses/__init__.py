"""What a model is trained to do: rank states, or estimate their cost-to-go."""
