"""The providers that LangChain knows, and the package of the integration of each."""

from __future__ import annotations

PROVIDERS: dict[str, str] = {
    "anthropic": "langchain-anthropic", "anthropic_bedrock": "langchain-aws", "azure_ai": "langchain-azure-ai",
    "azure_openai": "langchain-openai", "bedrock": "langchain-aws", "bedrock_converse": "langchain-aws",
    "cohere": "langchain-cohere", "deepseek": "langchain-deepseek", "fireworks": "langchain-fireworks",
    "google_anthropic_vertex": "langchain-google-vertexai", "google_genai": "langchain-google-genai",
    "google_vertexai": "langchain-google-vertexai", "groq": "langchain-groq", "huggingface": "langchain-huggingface",
    "ibm": "langchain-ibm", "mistralai": "langchain-mistralai", "nvidia": "langchain-nvidia-ai-endpoints",
    "ollama": "langchain-ollama", "openrouter": "langchain-openrouter", "perplexity": "langchain-perplexity",
    "together": "langchain-together", "upstage": "langchain-upstage", "xai": "langchain-xai",
}  # fmt: skip
"""Provider -> the package of its integration, as `init_chat_model` knows them."""
