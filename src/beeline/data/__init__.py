"""Datasets on disk: a manifest, and Parquet shards of instances and states."""
