# Sourced, not run: the JVM's flags for the server and for the tools, and the start cache, which only fits a JVM that is
# started with the flags it was made with.

# What both need. The module flags are part of what the cache depends on.
jvm_common=(
  -XX:+UseCompactObjectHeaders
  -XX:-OmitStackTraceInFastThrow
  --enable-native-access=ALL-UNNAMED
  --sun-misc-unsafe-memory-access=allow
  --add-opens=java.base/java.nio=ALL-UNNAMED
)
server_flags=(-server -XX:+UseG1GC "${jvm_common[@]}")
tool_flags=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "${jvm_common[@]}")

# Classes as the JVM laid them out in the rehearsal of the build (bin/rehearse): a start takes half the time with it.
# A cache that does not fit (another JDK, other flags) is left aside by the JVM without a word.
cache_flags() { # distribution -> fills cache
  cache=()
  [ ! -r "$1/millrace.aot" ] || cache=("-XX:AOTCache=$1/millrace.aot" -Xlog:aot*=off -Xlog:cds*=off)
}
