/*
 * A mutant of code that deletes files might delete any file that its process may delete. So such a process
 * gets a mount namespace of its own, in which every file system is read-only except for empty ones at /tmp
 * and /dev/shm.
 */

/** The exit code if confinement is not possible; nothing was run then. */
export const notConfined = 97;

/** The last step checks the result: it must not be possible to create a folder outside. */
const confine = `
set -e
fail() { echo "mutate: what deletes files can't be confined here: $1" >&2; exit ${String(notConfined)}; }
mount --make-rprivate / || fail 'no mount namespace'
while read -r _ _ _ _ point _; do
  case "$point" in /proc | /proc/* | /sys | /sys/* | /dev/pts | /dev/mqueue) continue ;; esac
  mount -o remount,bind,ro "$(printf '%b' "$point")" || fail "$point stays writable"
done </proc/self/mountinfo
mount -t tmpfs tmpfs /tmp || fail 'no /tmp of its own'
[ ! -d /dev/shm ] || mount -t tmpfs tmpfs /dev/shm || fail 'no /dev/shm of its own'
for folder in / "$PWD" "$HOME" /etc /var /usr /dev; do
  if [ -d "$folder" ] && made=$(mktemp -d "$folder/mutate-XXXXXX" 2>/dev/null); then
    rmdir "$made"
    fail "$folder stays writable"
  fi
done
exec "$@"
`;

/**
 * Returns the program and arguments that run a command in confinement. On Linux root can do this, and other
 * users if they may be root of a user namespace.
 */
export function confined(command: readonly string[]): readonly [string, readonly string[]] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['unshare', ['--mount', ...asRoot, 'sh', '-c', confine, 'sh', ...command]];
}
