//go:build unix

package registry

import (
	"errors"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reapable returns the directory of the endpoint if Prune may remove it: it
// must lie directly where runners put theirs.
func reapable(endpoint *string) string {
	if endpoint == nil {
		return ""
	}
	dir, ok := SocketDir(*endpoint)
	if base := path.Dir(dir); !ok || base != "/tmp" && base != filepath.Clean(os.TempDir()) {
		return ""
	}
	return dir
}

// removeSocket removes the socket in dir, then dir. Everybody may write to the
// base, so nothing is resolved twice: the socket goes by the handle of dir, no
// link is followed, and a dir that holds anything else stays.
func removeSocket(dir string) {
	base, err := openDir(unix.AT_FDCWD, path.Dir(dir), 0)
	if err != nil {
		return
	}
	defer unix.Close(base)
	fd, err := openDir(base, path.Base(dir), unix.O_NOFOLLOW)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	err = unix.Fstatat(fd, socketName, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
	case err != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK:
		return
	case unix.Unlinkat(fd, socketName, 0) != nil:
		return
	}
	unix.Unlinkat(base, path.Base(dir), unix.AT_REMOVEDIR)
}

func openDir(at int, name string, flags int) (int, error) {
	return unix.Openat(at, name, flags|unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}
