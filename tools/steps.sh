# SPDX-License-Identifier: BSL-1.0
# For the run scripts: numbered steps that say how long they took, and what failed in one sentence.
set -u

steps_log=build/log
steps_script=$0
mkdir -p "$steps_log"

# step "what it does" command...: one line with its time; the output goes to a file and is shown when it fails.
step() {
  local what=$1 started=$EPOCHREALTIME file
  shift
  file="$steps_log/$(printf %s "$what" | tr -c 'A-Za-z0-9' '_').txt"
  printf '%s ... ' "$what"
  if ! "$@" >"$file" 2>&1; then
    printf 'failed\n'
    tail -n 40 "$file"
    printf '%s: failed to %s (the whole output is in %s)\n' "$steps_script" "$what" "$file" >&2
    exit 1
  fi
  steps_seconds "$started"
}

steps_seconds() {
  local us=$((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}))
  printf '%d.%d s\n' $((us / 1000000)) $((us % 1000000 / 100000))
}

# need package...: installs those Debian packages that are missing, asking nothing.
need() {
  local missing=() package
  for package; do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = "install ok installed" ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "$steps_script: please install as root: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  step "read the package lists" "${as_root[@]}" apt-get update -q
  step "install ${#missing[@]} Debian packages" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# build_preset <preset> [target...]: configures where that was not done, and builds.
build_preset() {
  local preset=$1
  shift
  { [ -e "build/$preset/build.ninja" ] || cmake --preset "$preset"; } && cmake --build --preset "$preset" ${1:+--target "$@"}
}
