"""What is made of a model's output: pure functions over encodings and arrays, for models of any framework."""
