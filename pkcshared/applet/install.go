package applet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// install lays a link to this binary for every tool. Links of an earlier
// install are replaced; anything else of that name is left and reported.
func (m *Multicall) install(c *Call, dir string) exit.Code {
	err := m.link(c, dir)
	if err == nil {
		return exit.OK
	}
	c.report("", "human", nil, exit.Errorf(exit.Setup, "--install: %w", err))
	return exit.Setup
}

func (m *Multicall) link(c *Call, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", text.Quote(dir))
	}
	for _, e := range m.Tools {
		path := filepath.Join(dir, LinkPrefix+e.Name+programExt)
		if !replaceable(path, self) {
			return fmt.Errorf("%s exists and is not a link of this suite; nothing was changed", text.Quote(path))
		}
	}
	for _, e := range m.Tools {
		path := filepath.Join(dir, LinkPrefix+e.Name+programExt)
		if err := lay(self, path); err != nil {
			return err
		}
		if code := c.print(c.Out, path+"\n"); code != exit.OK {
			return errors.New("standard output is not writable")
		}
	}
	return nil
}
