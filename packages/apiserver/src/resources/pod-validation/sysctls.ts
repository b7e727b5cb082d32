import { type FieldError, duplicate, invalid, required } from '../../meta/field-error.ts';

/* Validates the kernel parameters that a pod sets. */

const longestName = 253;
const name = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const problem = `must have at most ${longestName} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;
const ofIpc: ReadonlySet<string> = new Set(
  ['sem', 'shmall', 'shmmax', 'shmmni', 'shm_rmid_forced', 'shm', 'msgmax', 'msgmnb', 'msgmni', 'msg'].map(
    (each) => `kernel.${each}`,
  ),
);

interface Host {
  readonly network: boolean;
  readonly ipc: boolean;
}

/** @param host the host's namespaces that the pod uses, whose parameters it must not set */
export function validateSysctls(
  sysctls: readonly { readonly name: string }[],
  host: Host,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap((sysctl, index) => {
    const at = `${path}[${index}].name`;
    const errors = [...validateName(sysctl.name, names, at), ...validateNamespace(sysctl.name, host, at)];
    names.add(sysctl.name);
    return errors;
  });
}

function validateName(given: string, names: ReadonlySet<string>, at: string): FieldError[] {
  if (given === '') {
    return [required(at)];
  }
  if (given.length > longestName || !name.test(given)) {
    return [invalid(at, given, problem)];
  }
  return names.has(given) ? [duplicate(at, given)] : [];
}

function validateNamespace(given: string, { network, ipc }: Host, at: string): FieldError[] {
  const dotted = withDots(given);
  if (network && dotted.startsWith('net.')) {
    return [invalid(at, given, "may not be specified when 'hostNetwork' is true")];
  }
  return ipc && (ofIpc.has(dotted) || dotted.startsWith('fs.mqueue.'))
    ? [invalid(at, given, "may not be specified when 'hostIPC' is true")]
    : [];
}

/** Converts a name whose separators are slashes, in which dots are parts of names. */
function withDots(given: string): string {
  return /[./]/.exec(given)?.[0] === '/'
    ? given.replaceAll(/[./]/g, (separator) => (separator === '/' ? '.' : '/'))
    : given;
}
