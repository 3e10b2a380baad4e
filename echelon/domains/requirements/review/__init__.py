"""The review queue: the places of a document where rules are likely to be wrong, for somebody who can judge them."""
