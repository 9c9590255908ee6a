"""STRIPS-HGN: message passing between facts and delete-relaxed operators."""
