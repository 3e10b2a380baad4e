"""Programs that run behind the fence, in the interpreter of the tests: they import nothing of Echelon's."""
