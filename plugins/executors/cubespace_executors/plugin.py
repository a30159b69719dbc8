"""Built-in executors."""

from cubespace.plugins.catalogue import provide

local = provide("executor", "local", "cubespace_executors.local:Local", "child processes on this machine")
