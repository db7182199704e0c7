// Processkit-cli is the whole suite in one binary: processkit-cli COMMAND, or
// any link to it that is named pkc-COMMAND.
package main

func main() { suite().Main() }
