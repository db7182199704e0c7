// Release packs what `make` built into archives, packages and manifests. The
// same tree, built by the same Go, gives the same bytes wherever and whenever.
package main

import "processkit-cli/pkcshared/applet"

func main() { applet.Main(newCommand()) }
