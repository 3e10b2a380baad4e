"""The coder job: a request and a repository in, a proven change out."""
