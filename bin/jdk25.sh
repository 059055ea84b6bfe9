# Sourced, not run. find_jdk25 prints the home of a JDK 25 or says on stderr what is missing and returns 1.

jdk_major() { # home -> the feature release, from the JDK's own release file
  [ -x "$1/bin/java" ] || return 1
  if [ -r "$1/release" ]; then
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
  else
    "$1/bin/java" -version 2>&1 | sed -n '1s/.*version "\([0-9]*\).*/\1/p'
  fi
}

find_jdk25() {
  local home on_path
  if command -v java >/dev/null 2>&1; then
    on_path=$(command -v java)
    on_path=$(readlink -f "$on_path" 2>/dev/null || printf '%s' "$on_path")
    on_path=$(dirname "$(dirname "$on_path")")
  fi
  for home in "${JAVA_HOME:-}" "${on_path:-}" \
      /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /opt/* /opt/java/* \
      "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
      "${HOME:-/nonexistent}"/.local/share/mise/installs/java/* \
      /Library/Java/JavaVirtualMachines/*/Contents/Home \
      "${HOME:-/nonexistent}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
      /opt/homebrew/opt/openjdk@25/libexec/openjdk.jdk/Contents/Home \
      /usr/local/opt/openjdk@25/libexec/openjdk.jdk/Contents/Home; do
    [ -n "$home" ] && [ -x "$home/bin/javac" ] || continue
    if [ "$(jdk_major "$home")" = 25 ]; then
      printf '%s\n' "$home"
      return 0
    fi
  done
  {
    echo "millrace: no JDK 25 found."
    echo "Looked at JAVA_HOME (${JAVA_HOME:-not set}), java on the PATH (${on_path:-none}), /usr/lib/jvm, /usr/java,"
    echo "/opt, ~/.sdkman, ~/.jdks, /Library/Java/JavaVirtualMachines."
    echo "Install one (a JDK, not only a JRE) or set JAVA_HOME to its folder."
  } >&2
  return 1
}
