void torture_shim_is_loaded(void);
