"""What the demo runs are made of: incidents, recorded data, answers, and the plan of who ran what and how it went."""
