"""Games as environments of other libraries' learners: numbered actions, observations, pictures, batches of games."""
