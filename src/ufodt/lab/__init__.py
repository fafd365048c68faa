"""The science around the method: where cases come from, other learners, and how both are compared.

Nothing here is imported by the method itself. Reading a full row is allowed in this folder only.
"""
