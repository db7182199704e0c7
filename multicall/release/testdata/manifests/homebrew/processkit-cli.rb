class ProcesskitCli < Formula
  desc "Runs one command in a container, keeps its exit code, leaves nothing behind"
  homepage "https://host.example/owner/project"
  version "1.2.3"
  license "MIT"

  on_macos do
    on_arm do
      url "https://host.example/owner/project/releases/download/v1.2.3/processkit-cli_1.2.3_darwin_arm64.tar.gz"
      sha256 "HASH"
    end
    on_intel do
      url "https://host.example/owner/project/releases/download/v1.2.3/processkit-cli_1.2.3_darwin_amd64.tar.gz"
      sha256 "HASH"
    end
  end

  on_linux do
    on_arm do
      url "https://host.example/owner/project/releases/download/v1.2.3/processkit-cli_1.2.3_linux_arm64.tar.gz"
      sha256 "HASH"
    end
    on_intel do
      url "https://host.example/owner/project/releases/download/v1.2.3/processkit-cli_1.2.3_linux_amd64.tar.gz"
      sha256 "HASH"
    end
  end

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["share/man/man1/*"]
    bash_completion.install Dir["share/bash-completion/completions/*"]
    zsh_completion.install Dir["share/zsh/site-functions/*"]
    fish_completion.install Dir["share/fish/vendor_completions.d/*"]
    doc.install Dir["share/doc/processkit-cli/*"]
    (share/"elvish/lib").install Dir["share/elvish/lib/*"]
    pkgshare.install Dir["share/processkit-cli/*"]
  end

  test do
    assert_equal "processkit-cli #{version}\n", shell_output("#{bin}/processkit-cli --version")
    assert_match '"compatible":true', shell_output("#{bin}/processkit-cli probe --json")
  end
end
