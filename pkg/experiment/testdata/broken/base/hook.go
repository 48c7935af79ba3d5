package hook
