# shellcheck shell=bash
# What the scripts that build and test packages share. They source it in the root of the sources.

version=$(scripts/release version)

# Sets what decides about the bytes of a package: the time, and the distribution's programs before those of the user. And
# where ccache looks, because builds have a home folder of their own.
prepare_build() {
  PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
  SOURCE_DATE_EPOCH=$(scripts/release date)
  export SOURCE_DATE_EPOCH
  if command -v ccache >/dev/null; then
    CCACHE_DIR=${CCACHE_DIR-$(ccache --get-config cache_dir)}
    export CCACHE_DIR
  fi
  umask 022
}

# Prints the names of the sources, separated by NUL: what git tracks, or all files of an archive without git.
source_names() {
  if [[ -e .git ]]; then
    git ls-files -z
  else
    find . -type d \( -name build -o -name node_modules -o -name generated -o -name '.*cache*' -o -name __pycache__ \) -prune -o \
      ! -type d -printf '%P\0'
  fi
}

# Writes a tar archive of the sources in the folder fathom-VERSION. It depends only on their contents.
source_archive() {
  source_names | LC_ALL=C sort -z | tar -c --null -T - --format=gnu --transform "flags=r;s,^,fathom-$version/," \
    --mtime "@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX
}
