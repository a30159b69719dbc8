"""Built-in executors."""

from cubespace.plugins.catalogue import provide

local = provide("executor", "local", "cubespace_executors.local:Local", "child processes on this machine")
ray = provide("executor", "ray", "cubespace_executors.ray_executor:Ray", "a Ray cluster, here or elsewhere")
