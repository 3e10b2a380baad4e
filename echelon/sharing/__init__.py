"""Files of jobs where every worker can reach them, whichever machine it runs on."""
