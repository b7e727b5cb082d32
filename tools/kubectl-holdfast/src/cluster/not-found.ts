/** The object that the command line names does not exist. */
export class NotFound extends Error {
  override readonly name = 'NotFound';

  constructor(kind: string, name: string, namespace?: string) {
    super(
      namespace === undefined
        ? `there is no ${kind} "${name}"; kubectl get ${kind} lists those that are`
        : `there is no ${kind} "${name}" in namespace "${namespace}"; name another one with -n, or see kubectl get ${kind} -A`,
    );
  }
}

/** What the answer needs may not be read. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** The object that the command line names is not in an undo window. */
export class NothingPending extends Error {
  override readonly name = 'NothingPending';

  constructor(kind: string, name: string, namespace?: string) {
    const where = namespace === undefined ? '' : ` in namespace "${namespace}"`;
    super(
      `${kind} "${name}"${where} waits for the end of no undo window; kubectl holdfast undo -A lists those that do`,
    );
  }
}
