#!/bin/sh
# Installs processkit-cli and a link for each of its tools, or removes them.
# Needs a POSIX shell, tar, curl or wget, and sha256sum, shasum or openssl.
set -eu

usage() {
	cat <<'EOF'
usage: install.sh --base-url URL [--version X.Y.Z] [--dir DIR]
       install.sh --uninstall [--dir DIR]

Downloads a release, checks it against its SHA256SUMS, and installs
processkit-cli with a link for each tool. Installing again upgrades.

  --base-url URL   where releases are published, such as
                   https://HOST/OWNER/REPOSITORY/releases; by default the
                   value of PROCESSKIT_CLI_BASE_URL
  --version X.Y.Z  this release instead of the latest one
  --dir DIR        instead of ~/.local/bin
  --uninstall      remove what was installed
  --help           print this

A file of the same name that is not of this project is never replaced.
EOF
}

say() { printf '%s\n' "$*"; }
die() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

tmp='' new='' child=''

clean() {
	if [ -n "$child" ]; then
		kill "$child" 2>/dev/null || :
		wait "$child" 2>/dev/null || :
	fi
	[ -z "$new" ] || rm -f "$new"
	[ -z "$tmp" ] || rm -rf "$tmp"
}

# The words that Go puts into every program it builds: which one it is.
mark=$(printf 'path\tprocesskit-cli/')

# ours PATH: a program of this project by its build information, or a link to
# one by its name. Nothing is executed to find out.
ours() {
	if [ -L "$1" ]; then
		target=$(readlink "$1") && [ "${target##*/}" = processkit-cli ]
	else
		[ -f "$1" ] && LC_ALL=C grep -q "$mark" "$1"
	fi
}

absent() { [ ! -e "$1" ] && [ ! -L "$1" ]; }

# sweep removes what killed installers left; their process id ends its name.
sweep() {
	for left in "$dir"/.processkit-cli.new.*; do
		kill -0 "${left##*.}" 2>/dev/null || rm -f "$left"
	done
}

# fetch URL FILE: in the background, since a shell sees to its traps only while
# it waits.
fetch() {
	if has curl; then
		curl -fsSL --proto "=$scheme" --proto-redir "=$scheme" --connect-timeout 30 \
			--speed-limit 1 --speed-time 60 -o "$2" "$1" &
	elif has wget; then
		wget -q -t 1 -O "$2" "$1" & # no -T: BusyBox 1.35 dies of it
	else
		die "needs curl or wget"
	fi
	child=$!
	code=0
	wait "$child" || code=$?
	child=''
	[ "$code" = 0 ] || die "cannot download $1; nothing was changed"
}

digest() {
	if has sha256sum; then
		sha256sum <"$1"
	elif has shasum; then
		shasum -a 256 <"$1"
	elif has openssl; then
		openssl dgst -sha256 -r <"$1"
	else
		die "needs sha256sum, shasum or openssl"
	fi
}

platform() {
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	FreeBSD) os=freebsd ;;
	*) die "no release for this system: $(uname -s)" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) die "no release for this machine: $(uname -m)" ;;
	esac
	platform=${os}_$arch
}

# choose finds the archive in SHA256SUMS: its name, version and sum.
choose() {
	sum=''
	while read -r hex name; do
		case $name in
		processkit-cli_*_"$platform".tar.gz) ;;
		*) continue ;;
		esac
		[ -z "$version" ] || [ "$name" = "processkit-cli_${version}_$platform.tar.gz" ] || continue
		[ -z "$sum" ] || die "SHA256SUMS names more than one archive for $platform; nothing was changed"
		sum=$hex archive=$name
	done <"$tmp/SHA256SUMS"
	[ -n "$sum" ] || die "SHA256SUMS names no archive${version:+ of $version} for $platform; nothing was changed"
	stem=${archive%.tar.gz}
	version=${stem#processkit-cli_}
	version=${version%"_$platform"}
	case $version in
	*[!0-9A-Za-z.+-]*) die "SHA256SUMS names an odd version; nothing was changed" ;;
	esac
}

verify() {
	got=$(digest "$tmp/$archive")
	got=${got%% *}
	if [ ${#sum} != 64 ] || [ "$got" != "$sum" ]; then
		die "$archive does not match SHA256SUMS; nothing was changed"
	fi
}

# members sets tools to those in the archive, which must hold what a release
# holds and nothing else.
members() {
	tar -tzf "$tmp/$archive" >"$tmp/members" || die "cannot read $archive; nothing was changed"
	tools=''
	while read -r name; do
		name=${name#"$stem/"}
		case $name in
		*..* | *//*) die "$archive has an unexpected member; nothing was changed" ;;
		bin/processkit-cli | share/*) ;;
		bin/pkc-*[!a-z0-9-]*) die "$archive has an unexpected member; nothing was changed" ;;
		bin/pkc-*) tools="$tools ${name#bin/}" ;;
		*) die "$archive has an unexpected member; nothing was changed" ;;
		esac
	done <"$tmp/members"
}

# unpack lays the new program beside the old one, and tries it.
unpack() {
	(cd "$tmp" && tar -xzf "$archive" "$stem/bin/processkit-cli") || die "cannot unpack $archive; nothing was changed"
	program=$tmp/$stem/bin/processkit-cli
	if [ -L "$program" ] || ! ours "$program"; then
		die "$archive holds another program; nothing was changed"
	fi
	new=$dir/.processkit-cli.new.$$
	cp "$program" "$new" || die "cannot write to $dir; nothing was changed"
	chmod 755 "$new"
	said=$("$new" --version) || die "the program does not run here; nothing was changed"
	[ "$said" = "processkit-cli $version" ] || die "the program is not version $version; nothing was changed"
}

install() {
	case $base in
	*@*) die "--base-url: want a URL without a user" ;;
	https://*) scheme=https ;;
	http://localhost[:/]* | http://127.0.0.1[:/]* | 'http://[::1]'*) scheme=http ;;
	'') die "--base-url is required: it says where releases are published" ;;
	*) die "--base-url: want an https URL" ;;
	esac
	base=${base%/}
	platform
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/processkit-cli.XXXXXX") || die "cannot make a temporary directory"
	if [ -n "$version" ]; then
		fetch "$base/download/v$version/SHA256SUMS" "$tmp/SHA256SUMS"
	else
		fetch "$base/latest/download/SHA256SUMS" "$tmp/SHA256SUMS"
	fi
	choose
	fetch "$base/download/v$version/$archive" "$tmp/$archive"
	verify
	members
	mkdir -p "$dir" || die "cannot make $dir; nothing was changed"
	for name in processkit-cli $tools; do
		absent "$dir/$name" || ours "$dir/$name" || die "$dir/$name is not of this project; nothing was changed"
	done
	sweep
	unpack
	mv -f "$new" "$dir/processkit-cli"
	for name in $tools; do
		ln -s processkit-cli "$new"
		mv -f "$new" "$dir/$name"
	done
	say "processkit-cli $version is in $dir"
	case :${PATH-}: in
	*:"$dir":*) ;;
	*) say "$dir is not on your PATH" ;;
	esac
}

uninstall() {
	for path in "$dir"/pkc-* "$dir/processkit-cli"; do
		if absent "$path"; then
			continue
		elif ours "$path"; then
			rm -f "$path"
			say "removed $path"
		else
			say "left $path: it is not of this project"
		fi
	done
	sweep
}

# main is called on the last line: half a script does nothing.
main() {
	base=${PROCESSKIT_CLI_BASE_URL-} version='' dir='' action=install
	while [ $# -gt 0 ]; do
		case $1 in
		--base-url=* | --version=* | --dir=*)
			option=${1%%=*} value=${1#*=}
			shift
			set -- "$option" "$value" "$@"
			;;
		esac
		case $1 in
		--base-url | --version | --dir)
			[ -n "${2-}" ] || die "$1 needs a value"
			case $1 in
			--base-url) base=$2 ;;
			--version) version=$2 ;;
			--dir) dir=$2 ;;
			esac
			shift 2
			;;
		--uninstall) action=uninstall && shift ;;
		--help | -h) usage && exit ;;
		*) die "unknown option; see install.sh --help" ;;
		esac
	done
	version=${version#v} # as the tag has it
	case $version in
	*[!0-9A-Za-z.+-]*) die "--version: want numbers such as 1.2.3" ;;
	esac
	[ -n "$dir" ] || dir=${HOME:?install.sh: HOME is not set, say --dir}/.local/bin
	case $dir in
	/*) ;;
	*) dir=$PWD/$dir ;;
	esac
	trap clean EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	"$action"
}

main "$@"
