# SPDX-License-Identifier: BSL-1.0
# For the run scripts: steps that say how long they took, and what failed in one sentence; the packages each
# part needs, and how they are installed. Works in the checkout's top folder, with what a bare Debian 12 has.
set -u

steps_log=build/log
steps_script=$0
steps_later=() # what runs beside the others: its name, its process, when it began
steps_go_on= # whether the script goes on behind a step that failed
steps_failed=() # those, then
steps_new_packages= # whether some were installed, which what was configured before does not know

host_packages=(g++ cmake ninja-build python3)
clang_packages=(clang-14 libclang-rt-14-dev libstdc++-12-dev cmake ninja-build python3)
board_packages=(gdb-multiarch gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
  protobuf-compiler cmake ninja-build python3)
aarch64_packages=(g++-aarch64-linux-gnu qemu-user cmake ninja-build python3)
powerpc_packages=(g++-powerpc-linux-gnu qemu-user cmake ninja-build python3)
riscv_packages=(gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf libstdc++-arm-none-eabi-newlib qemu-system-misc cmake ninja-build python3)
riscv_linux_packages=(g++-riscv64-linux-gnu qemu-user cmake ninja-build python3)
cycle_packages=(libunicorn-dev libcapstone-dev)
network_packages=(python3-h5py)
mpi_packages=(libopenmpi-dev openmpi-bin)
database_packages=(libsqlite3-dev)
release_packages=(debhelper lintian meson python3-yaml mkdocs-material doxygen)

# step "what it does" command...: one line with its time; the output goes to a file and is shown when it fails. On a
# terminal the line shows how far ninja or ctest is.
step() {
  local what=$1 started=$EPOCHREALTIME file status watcher=
  shift
  file=$(steps_file "$what")
  printf '%s ... ' "$what"
  if [ -t 1 ]; then
    steps_watch "$what" "$file" &
    watcher=$!
  fi
  "$@" >"$file" 2>&1
  status=$?
  steps_unwatch "$what" "$watcher"
  steps_end "$what" "$file" "$status" "$started"
}

# later "what it does" command...: a step beside those that follow, until `await` gives its line.
later() {
  local file
  file=$(steps_file "$1")
  steps_later=("$1" '' "$EPOCHREALTIME")
  set -m # a process group of its own, so that it can be ended as a whole
  "${@:2}" >"$file" 2>&1 </dev/null &
  set +m
  steps_later[1]=$!
}

await() {
  [ ${#steps_later[@]} -ne 0 ] || return 0
  local what=${steps_later[0]} process=${steps_later[1]} started=${steps_later[2]} file status watcher=
  file=$(steps_file "$what")
  printf '%s ... ' "$what"
  if [ -t 1 ]; then
    steps_watch "$what" "$file" &
    watcher=$!
  fi
  wait "$process"
  status=$?
  steps_later=()
  steps_unwatch "$what" "$watcher"
  steps_end "$what" "$file" "$status" "$started"
}

steps_file() {
  mkdir -p "$steps_log" && printf '%s/%s.txt' "$steps_log" "$(printf %s "$1" | tr -c 'A-Za-z0-9' '_')"
}

# The last count of ninja, [12/345], or of ctest, 12/345 Test.
steps_count() {
  tail -c 4000 "$1" 2>/dev/null | sed -nE 's,^ *\[?([0-9]+/[0-9]+)(\]| Test).*,\1,p' | tail -n 1
}

steps_watch() {
  while sleep 0.5 && kill -0 $$ 2>/dev/null; do printf '\r\033[K%s ... %s ' "$1" "$(steps_count "$2")"; done
}

steps_unwatch() {
  [ -n "$2" ] || return 0
  kill "$2" 2>/dev/null
  wait "$2" 2>/dev/null
  printf '\r\033[K%s ... ' "$1"
}

steps_end() {
  if [ "$3" -eq 0 ]; then
    local us=$((${EPOCHREALTIME/[.,]/} - ${4/[.,]/}))
    printf '%d.%d s\n' $((us / 1000000)) $((us % 1000000 / 100000))
    return 0
  fi
  printf 'failed\n'
  tail -n 40 "$2"
  printf '%s: failed to %s (the whole output is in %s)\n' "$steps_script" "$1" "$2" >&2
  [ -n "$steps_go_on" ] || exit 1
  steps_failed+=("$1")
  return 1
}

# When the script ends by an error or by the user, what runs beside it ends, too.
steps_stop() {
  [ ${#steps_later[@]} -eq 0 ] || kill -- "-${steps_later[1]}" 2>/dev/null
}
trap steps_stop EXIT
trap 'exit 130' INT TERM

# need package...: installs those Debian packages that are missing, asking nothing. Says first how much that is.
need() {
  local missing=() package size as_root=()
  for package in $(printf '%s\n' "$@" | sort -u); do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = "install ok installed" ] || missing+=("$package")
  done
  [ ${#missing[@]} -ne 0 ] || return 0
  size=$(steps_download "${missing[@]}")
  echo "Debian packages that are missing: ${#missing[@]}, ${size:-how much to download is known when the package lists are read}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "$steps_script: please install as root: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  step "read the package lists" "${as_root[@]}" apt-get update -q
  [ -n "$size" ] || echo "Debian packages that are missing: ${#missing[@]}, $(steps_download "${missing[@]}")"
  step "install ${#missing[@]} Debian packages" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
  steps_new_packages=yes
}

# What these packages and what they depend on take to download; nothing if that is not known.
steps_download() {
  local uris
  uris=$(apt-get install --print-uris -y -q --no-install-recommends "$@" 2>/dev/null) || return 0
  awk "/^'/ { bytes += \$3 } END { printf \"%.0f MB to download\", bytes / 1e6 + 0.49 }" <<<"$uris"
}

# build "what it does" preset [target...]: a step that configures where that was not done, or not here, and builds.
build() {
  local folder=build/$2 source
  if [ -e "$folder/CMakeCache.txt" ]; then
    source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt")
    if ! [ "$source" -ef . ] || ! [ "$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$folder/CMakeCache.txt")" -ef "$folder" ]; then
      echo "$folder was made for the sources in $source, so it is made anew"
      rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/build.ninja" "$folder/.ninja_log" "$folder/.ninja_deps"
    fi
  fi
  step "$1" steps_build "${@:2}"
}

steps_build() {
  local preset=$1 ninja=build/$1/build.ninja
  shift
  { [ -z "$steps_new_packages" ] && [ -e "$ninja" ] && [ "$ninja" -nt CMakePresets.json ]; } || cmake --preset "$preset" || return
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
