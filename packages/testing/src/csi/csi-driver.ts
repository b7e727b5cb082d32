import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  sendUnaryData,
  Server,
  ServerUnaryCall,
  status as StatusCodes,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';

export interface CsiDriverOptions {
  /** The name that the driver reports. Default `csi.holdfast.dev`. */
  readonly name?: string;
  /** The version that the driver reports. Default `0`. */
  readonly version?: string;
  /**
   * The folder of the volumes, which is created if missing. Each volume is a folder in it, named after the
   * handle.
   */
  readonly folder: string;
  /** The path of the unix socket to serve on. */
  readonly socket: string;
  /** Whether the driver reports the capability CREATE_DELETE_VOLUME. Default true. */
  readonly canDeleteVolumes?: boolean;
  /** Whether the driver reports the capability LIST_VOLUMES. Default false. */
  readonly canListVolumes?: boolean;
  /** Carries out each deletion. If it rejects, the driver answers UNAVAILABLE. Default: delete at once. */
  readonly carryOut?: (handle: string, deletion: () => Promise<void>) => Promise<void>;
}

/** A fault of the driver when it is asked to DeleteVolume. */
export type CsiFault =
  /** The driver deletes the volume, but answers late. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** The driver does nothing until the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  /** The driver does nothing and answers this code, for example `INTERNAL`. */
  | { readonly kind: 'fail'; readonly code: keyof typeof StatusCodes; readonly message: string }
  /** The driver ends without an answer and removes its socket, before or after it deletes the volume. */
  | { readonly kind: 'crash'; readonly when: 'before' | 'after' }
  /**
   * For a volume that does not exist, the driver answers this code instead of OK, which violates the
   * specification.
   */
  | { readonly kind: 'notIdempotent'; readonly code: keyof typeof StatusCodes };

/** One ListVolumes request. */
export interface CsiListRequest {
  /** 0: as many entries as the driver likes. */
  readonly maxEntries: number;
  /** Empty: the first page. */
  readonly startingToken: string;
}

/** The driver's answer to ListVolumes. */
export type CsiListAnswer =
  | {
      /**
       * The handles of the page. `undefined` stands for an entry without a volume, which violates the
       * specification.
       */
      readonly handles: readonly (string | undefined)[];
      /** Empty: this is the last page. */
      readonly nextToken: string;
    }
  /** gRPC's name of a status code, for example `ABORTED` for a token that is no longer valid. */
  | { readonly code: keyof typeof StatusCodes; readonly message: string }
  /** The driver never answers. */
  | 'never';

/** One DeleteVolume request. */
export interface CsiDeletion {
  readonly handle: string;
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * gRPC's name of the status code that the driver answered; undefined if it has not answered yet, or never
   * will.
   */
  readonly code: string | undefined;
}

/**
 * A CSI driver for tests. It speaks gRPC on a unix socket and keeps each volume as a folder, so that a test
 * can see that a volume is gone.
 *
 * The driver records the requests it gets. It also counts how many calls for the same volume are in flight at
 * once; a call is in flight from its arrival until it is answered, cancelled, or past its deadline.
 */
export interface CsiDriver {
  readonly name: string;
  /** The address of the driver: `unix://` and the path of the socket. */
  readonly address: string;
  /** Creates a volume with a file in it. */
  addVolume(handle: string): Promise<void>;
  /** Returns whether the volume's folder exists. */
  hasVolume(handle: string): boolean;
  /** Every DeleteVolume so far, in order of arrival. */
  readonly deletions: readonly CsiDeletion[];
  /** The most DeleteVolumes of one volume that were ever in flight at once. */
  readonly mostInFlight: number;
  /**
   * Makes every deletion from now on meet the fault, or only the next `times` deletions. A later fault
   * replaces an earlier one.
   */
  inject(fault: CsiFault, times?: number): void;
  /** Removes the injected fault. */
  heal(): void;
  /** Every ListVolumes so far, in order of arrival. */
  readonly lists: readonly CsiListRequest[];
  /**
   * Sets the answer to ListVolumes from now on. Undefined restores the true answer, in pages of `maxEntries`,
   * whose tokens are positions in the order of the handles.
   */
  answerLists(answer: ((request: CsiListRequest) => CsiListAnswer) | undefined): void;
  /** Sets what Probe answers. Default true. */
  setReady(ready: boolean): void;
  /** Ends the driver without warning: connections break and the socket is gone, but the volumes stay. */
  crash(): Promise<void>;
  /** Serves again, on the same socket. */
  start(): Promise<void>;
  /** Ends the driver for good; the folder stays. Idempotent. */
  stop(): Promise<void>;
}

type Reply = sendUnaryData<object>;

/** Starts a CSI driver for tests. Resolves when it serves. */
export async function startCsiDriver(options: CsiDriverOptions): Promise<CsiDriver> {
  const {
    name = 'csi.holdfast.dev',
    version = '0',
    folder,
    socket,
    canDeleteVolumes = true,
    canListVolumes = false,
    carryOut = (_handle: string, deletion: () => Promise<void>) => deletion(),
  } = options;
  const address = `unix://${socket}`;
  // Imported only here because loading gRPC is slow: tests that import this package without starting a driver
  // should not wait for it.
  const [grpc, { controllerService, identityService }] = await Promise.all([
    import('@grpc/grpc-js'),
    import('./csi-proto.ts'),
  ]);
  const { status } = grpc;
  const deletions: { handle: string; secrets: Record<string, string>; code: string | undefined }[] = [];
  const lists: CsiListRequest[] = [];
  let listAnswer: ((request: CsiListRequest) => CsiListAnswer) | undefined;
  const inFlight = new Map<string, number>();
  let mostInFlight = 0;
  let fault: { readonly what: CsiFault; left: number } | undefined;
  let isReady = true;
  let server: Server | undefined;

  const pathOf = (handle: string): string => {
    if (!/^[-.\w]+$/.test(handle) || /^\.+$/.test(handle)) {
      throw new Error(`"${handle}" can't be a volume of the driver for tests: it must do as a file name`);
    }
    return join(folder, handle);
  };

  const nextFault = (): CsiFault | undefined => {
    if (fault === undefined || fault.left <= 0) {
      return undefined;
    }
    fault.left -= 1;
    return fault.what;
  };

  /** Answers with the code, or undefined when nobody is left to be answered. */
  const remove = async (
    handle: string,
  ): Promise<{ code: keyof typeof StatusCodes; message?: string } | undefined> => {
    const path = pathOf(handle);
    const met = nextFault();
    switch (met?.kind) {
      case 'fail':
        return { code: met.code, message: met.message };
      case 'notIdempotent':
        if (!existsSync(path)) {
          return { code: met.code, message: `there is no volume ${handle}` };
        }
        break;
      case 'slow':
        await pause(met.milliseconds);
        break;
      case 'hold':
        await met.until;
        break;
      case 'crash':
        if (met.when === 'after') {
          await rm(path, { recursive: true, force: true });
        }
        await crash();
        return undefined;
      case undefined:
    }
    try {
      await carryOut(handle, () => rm(path, { recursive: true, force: true }));
    } catch (error) {
      return { code: 'UNAVAILABLE', message: String(error) };
    }
    return { code: 'OK' };
  };

  const deleteVolume = (
    call: ServerUnaryCall<{ volume_id: string; secrets: Record<string, string> }, object>,
    reply: Reply,
  ): void => {
    const { volume_id: handle, secrets } = call.request;
    const deletion = { handle, secrets: { ...secrets }, code: undefined as string | undefined };
    deletions.push(deletion);
    const count = (inFlight.get(handle) ?? 0) + 1;
    inFlight.set(handle, count);
    mostInFlight = Math.max(mostInFlight, count);
    let isOver = false;
    const over = (): void => {
      if (isOver) {
        return;
      }
      isOver = true;
      inFlight.set(handle, (inFlight.get(handle) ?? 1) - 1);
    };
    call.on('cancelled', over);
    remove(handle).then(
      (answer) => {
        over();
        if (answer === undefined || call.cancelled) {
          return;
        }
        deletion.code = answer.code;
        if (answer.code === 'OK') {
          reply(null, {});
        } else {
          reply({ code: status[answer.code], details: answer.message ?? answer.code });
        }
      },
      (error: unknown) => {
        over();
        deletion.code = 'INVALID_ARGUMENT';
        reply({ code: status.INVALID_ARGUMENT, details: String(error) });
      },
    );
  };

  const pageOf = ({ maxEntries, startingToken }: CsiListRequest): CsiListAnswer => {
    const handles = readdirSync(folder).sort();
    const from = Number(startingToken === '' ? 0 : startingToken);
    const to = maxEntries === 0 ? handles.length : from + maxEntries;
    return { handles: handles.slice(from, to), nextToken: to < handles.length ? String(to) : '' };
  };

  const identity: UntypedServiceImplementation = {
    GetPluginInfo: (_call: unknown, reply: Reply) => reply(null, { name, vendor_version: version }),
    GetPluginCapabilities: (_call: unknown, reply: Reply) =>
      reply(null, { capabilities: [{ service: { type: 'CONTROLLER_SERVICE' } }] }),
    Probe: (_call: unknown, reply: Reply) => reply(null, { ready: { value: isReady } }),
  };
  const controller: UntypedServiceImplementation = {
    ControllerGetCapabilities: (_call: unknown, reply: Reply) =>
      reply(null, {
        capabilities: [
          ...(canDeleteVolumes ? ['CREATE_DELETE_VOLUME'] : []),
          ...(canListVolumes ? ['LIST_VOLUMES'] : []),
        ].map((type) => ({ rpc: { type } })),
      }),
    DeleteVolume: deleteVolume,
    ListVolumes: (
      call: ServerUnaryCall<{ max_entries: number; starting_token: string }, object>,
      reply: Reply,
    ) => {
      const request = { maxEntries: call.request.max_entries, startingToken: call.request.starting_token };
      lists.push(request);
      const answer = (listAnswer ?? pageOf)(request);
      if (answer === 'never') {
        return;
      }
      if ('code' in answer) {
        reply({ code: status[answer.code], details: answer.message });
      } else {
        reply(null, {
          entries: answer.handles.map((handle) =>
            handle === undefined ? {} : { volume: { volume_id: handle } },
          ),
          next_token: answer.nextToken,
        });
      }
    },
  };

  async function start(): Promise<void> {
    if (server !== undefined) {
      throw new Error(`CSI driver ${name} serves already at ${address}`);
    }
    await rm(socket, { force: true });
    const serving = new grpc.Server();
    serving.addService(identityService, identity);
    serving.addService(controllerService, controller);
    await new Promise<void>((resolve, reject) => {
      serving.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error) => {
        if (error === null) {
          resolve();
        } else {
          reject(error);
        }
      });
    });
    server = serving;
  }

  function crash(): Promise<void> {
    server?.forceShutdown();
    server = undefined;
    // Removed synchronously: if the socket were removed later, it could be the one of the next start.
    rmSync(socket, { force: true });
    return Promise.resolve();
  }

  await mkdir(folder, { recursive: true });
  await start();
  return {
    name,
    address,
    async addVolume(handle) {
      await mkdir(pathOf(handle), { recursive: true });
      await writeFile(join(pathOf(handle), 'data'), handle);
    },
    hasVolume: (handle) => existsSync(pathOf(handle)),
    deletions,
    lists,
    answerLists: (answer) => {
      listAnswer = answer;
    },
    get mostInFlight() {
      return mostInFlight;
    },
    inject: (what, times = Infinity) => {
      fault = { what, left: times };
    },
    heal: () => {
      fault = undefined;
    },
    setReady: (ready) => {
      isReady = ready;
    },
    crash,
    start,
    stop: crash,
  };
}
