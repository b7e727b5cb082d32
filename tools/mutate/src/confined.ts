/*
 * A mutant of what deletes files might delete any file that its process may. So such a process has a mount namespace of its own, in which every
 * file system is read-only but empty ones at /tmp and /dev/shm.
 */

/** Exit code where that is not to be had; nothing was run. */
export const notConfined = 97;

/** Whether the rest holds is tried at the end: no folder can be made outside. */
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

/** The program and arguments that run a command so confined: root on Linux may, and others where they may be root of a user namespace. */
export function confined(command: readonly string[]): readonly [string, readonly string[]] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['unshare', ['--mount', ...asRoot, 'sh', '-c', confine, 'sh', ...command]];
}
