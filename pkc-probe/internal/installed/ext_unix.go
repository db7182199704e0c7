//go:build unix

package installed

const ext = ""
