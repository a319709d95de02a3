// Empty: the target is here for its dependencies, which the plugin documents.
