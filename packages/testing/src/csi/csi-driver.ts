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
  /** Default `csi.holdfast.dev`. */
  readonly name?: string;
  /** Folder for the volumes, each a folder of its own named after its handle; made when missing. */
  readonly folder: string;
  /** Path of the unix socket. */
  readonly socket: string;
  /** Whether it says CREATE_DELETE_VOLUME. Default true. */
  readonly canDeleteVolumes?: boolean;
  /** Whether it says LIST_VOLUMES. Default false. */
  readonly canListVolumes?: boolean;
  /** Carries out each deletion. Where it rejects, UNAVAILABLE is answered. Default: at once. */
  readonly carryOut?: (handle: string, deletion: () => Promise<void>) => Promise<void>;
}

/** What goes wrong with DeleteVolume. */
export type CsiFault =
  /** Answers late; the volume is deleted at the end. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** Nothing is done until the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  /** Nothing is done, and this code is answered, for example `INTERNAL`. */
  | { readonly kind: 'fail'; readonly code: keyof typeof StatusCodes; readonly message: string }
  /** The driver ends without an answer, and its socket with it, before or after it has deleted the volume. */
  | { readonly kind: 'crash'; readonly when: 'before' | 'after' }
  /** A volume that is not there is answered with this code instead of OK, against the specification. */
  | { readonly kind: 'notIdempotent'; readonly code: keyof typeof StatusCodes };

/** One ListVolumes. */
export interface CsiListRequest {
  /** 0: as many as the driver likes. */
  readonly maxEntries: number;
  /** Empty: the first page. */
  readonly startingToken: string;
}

/** What ListVolumes answers. */
export type CsiListAnswer =
  | {
      /** Handles; `undefined`: an entry without a volume, against the specification. */
      readonly handles: readonly (string | undefined)[];
      /** Empty: there is no further page. */
      readonly nextToken: string;
    }
  /** gRPC's name of a code, for example `ABORTED` for a token that is no longer good. */
  | { readonly code: keyof typeof StatusCodes; readonly message: string }
  /** Nothing is ever answered. */
  | 'never';

/** One DeleteVolume. */
export interface CsiDeletion {
  readonly handle: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** gRPC's name of the code that was answered; undefined: none yet, or none at all. */
  readonly code: string | undefined;
}

/**
 * A CSI driver for tests: it speaks gRPC on a unix socket and keeps each volume as a folder, so that what is deleted is seen to be
 * gone. It counts what it is asked, also how many calls for one volume are under way at once, from their coming until they
 * are answered, cancelled, or past their deadline.
 */
export interface CsiDriver {
  readonly name: string;
  /** `unix://` and the path of the socket. */
  readonly address: string;
  /** Puts a volume there, with a file in it. */
  addVolume(handle: string): Promise<void>;
  /** Whether the volume's folder is there. */
  hasVolume(handle: string): boolean;
  /** Every DeleteVolume so far, in the order they came. */
  readonly deletions: readonly CsiDeletion[];
  /** The largest number of DeleteVolumes of one volume that were ever under way at once. */
  readonly mostInFlight: number;
  /** Every deletion from now on meets the fault, or only the next `times`. A later fault takes the place of an earlier one. */
  inject(fault: CsiFault, times?: number): void;
  /** Ends the fault that was injected. */
  heal(): void;
  /** Every ListVolumes so far, in the order they came. */
  readonly lists: readonly CsiListRequest[];
  /**
   * ListVolumes answers so from now on; undefined: truthfully, in pages of `maxEntries`, with the place in the order of handles as
   * the token.
   */
  answerLists(answer: ((request: CsiListRequest) => CsiListAnswer) | undefined): void;
  /** What Probe answers. Default true. */
  setReady(ready: boolean): void;
  /** Ends it without warning: connections break, the socket is gone, the volumes stay. */
  crash(): Promise<void>;
  /** Serves again on the same socket. */
  start(): Promise<void>;
  /** Ends it for good; the folder stays. Idempotent. */
  stop(): Promise<void>;
}

type Reply = sendUnaryData<object>;

/** Resolves when the driver serves. */
export async function startCsiDriver(options: CsiDriverOptions): Promise<CsiDriver> {
  const {
    name = 'csi.holdfast.dev',
    folder,
    socket,
    canDeleteVolumes = true,
    canListVolumes = false,
    carryOut = (_handle: string, deletion: () => Promise<void>) => deletion(),
  } = options;
  const address = `unix://${socket}`;
  // Loaded by those who start a driver, not by each test that imports the package: gRPC takes its time.
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
    GetPluginInfo: (_call: unknown, reply: Reply) => reply(null, { name, vendor_version: '0' }),
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
    // In this very turn: a socket that is removed later might be that of the next start.
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
