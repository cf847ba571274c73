"""What several tests share: texts, pipelines, and the text of the standard library."""
