"""What a goal asks for in plain words: days, hours, people, money, lengths and parts; read by rule, and held."""
