/** The object that the command line names does not exist. */
export class NotFound extends Error {
  override readonly name = 'NotFound';

  /** @param volume whose `claimRef` names the claim that does not exist */
  constructor(kind: string, name: string, namespace?: string, volume?: string) {
    const what = `there is no ${kind} "${name}"`;
    if (namespace === undefined) {
      super(`${what}; kubectl get ${kind} lists those that are`);
      return;
    }
    const where = `${what} in namespace "${namespace}"`;
    super(
      volume === undefined
        ? `${where}; name another one with -n, or see kubectl get ${kind} -A`
        : `${where}, but volume ${volume} is for a claim of this name: kubectl holdfast explain pv ${volume}`,
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
      `${kind} "${name}"${where} waits for the end of no undo window; kubectl holdfast undo -A lists those that do, and kubectl holdfast explain ${kind} ${name} says what becomes of it`,
    );
  }
}
