class ProcesskitCli < Formula
  desc "{{.Summary}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "MIT"

  on_macos do
    on_arm do
      {{- with .Archive "darwin" "arm64"}}
      url "{{.URL}}"
      sha256 "{{.Hash}}"
      {{- end}}
    end
    on_intel do
      {{- with .Archive "darwin" "amd64"}}
      url "{{.URL}}"
      sha256 "{{.Hash}}"
      {{- end}}
    end
  end

  on_linux do
    on_arm do
      {{- with .Archive "linux" "arm64"}}
      url "{{.URL}}"
      sha256 "{{.Hash}}"
      {{- end}}
    end
    on_intel do
      {{- with .Archive "linux" "amd64"}}
      url "{{.URL}}"
      sha256 "{{.Hash}}"
      {{- end}}
    end
  end

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["share/man/man1/*"]
    bash_completion.install Dir["share/bash-completion/completions/*"]
    zsh_completion.install Dir["share/zsh/site-functions/*"]
    fish_completion.install Dir["share/fish/vendor_completions.d/*"]
    doc.install Dir["share/doc/{{.Name}}/*"]
    (share/"elvish/lib").install Dir["share/elvish/lib/*"]
    pkgshare.install Dir["share/{{.Name}}/*"]
  end

  test do
    assert_equal "{{.Name}} #{version}\n", shell_output("#{bin}/{{.Name}} --version")
    assert_match '"compatible":true', shell_output("#{bin}/{{.Name}} probe --json")
  end
end
