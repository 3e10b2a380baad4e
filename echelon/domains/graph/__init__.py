"""The requirement graph: stores, metamodel, integration, questions, and the guard over the Cypher of models."""
