"""Settings of Sphinx: ``make docs`` builds the pages offline; a warning is an error."""

from cubespace import __version__

project = "cubespace"
author = "the cubespace authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "cubespace"
html_static_path = ["static"]
html_css_files = ["cubespace.css"]
html_show_sphinx = html_show_copyright = False
autodoc_typehints = "description"
autodoc_member_order = "bysource"
nitpicky = False
