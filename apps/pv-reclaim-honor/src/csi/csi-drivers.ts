import { backoffDelay, quoted, sleep, type Clock, type SecretValues } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { StorageDeletionOptions } from '../storage-deletion.ts';
import type { CsiConnection, PluginInfo, VolumePage } from './csi-connection.ts';
import { createCsiConnections, type CsiConnections } from './csi-connections.ts';
import { CsiError } from './csi-error.ts';
import { deletionFlaw } from './deletion-flaw.ts';
import { isDriverName } from './driver-name.ts';
import { createGivenSecrets } from './given-secrets.ts';

/** Thrown if a driver is not connected now; {@link CsiDriversOptions.onReady} is called when it is again. */
export class DriverNotReadyError extends Error {
  override readonly name = 'DriverNotReadyError';
}

export interface CsiDriversOptions {
  /** Each `unix:///path`. */
  readonly addresses: readonly string[];
  /** The timeout of each call, in milliseconds. */
  readonly timeout: number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called when a driver connects, for the first time or again. */
  readonly onReady: (driver: string) => void;
  /** Called when a connected driver is no longer connected. Default: nothing. */
  readonly onAway?: (driver: string) => void;
}

/** A volume as its driver identifies it. */
export interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/** The CSI drivers with which this process can delete volumes. */
export interface CsiDrivers {
  /** Returns whether a driver of this name was ever connected, even if it is not now. */
  has(driver: string): boolean;
  /** Returns whether the driver is connected now. */
  isReady(driver: string): boolean;
  /**
   * Deletes a volume on the driver's storage, and resolves when the driver has confirmed it.
   *
   * @throws DriverNotReadyError if the driver is not connected, or another one answers at its socket;
   *   CsiError if it answers without success or the connection breaks; Error if its release would delete other
   *   volumes too; what `beforeDeletion` throws.
   */
  deleteVolume(volume: DriverVolume, options: StorageDeletionOptions): Promise<void>;
  /** Returns the drivers that are connected now. */
  connected(): readonly string[];
  /**
   * Returns whether the driver has the capability LIST_VOLUMES.
   *
   * @throws as `deleteVolume` does.
   */
  canListVolumes(driver: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Returns one page of the driver's storage volumes, see {@link CsiConnection.listVolumes}.
   *
   * @throws as `deleteVolume` does.
   */
  listVolumes(
    driver: string,
    maxEntries: number,
    startingToken: string,
    signal: AbortSignal,
  ): Promise<VolumePage>;
  /** Connects to the drivers, and reconnects whenever a connection is lost, until aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Delay between two tries to connect, or from a connection to the next, in milliseconds. */
const retry = { initial: 200, max: 5_000 };
/**
 * In milliseconds. A connection that is lost within this time counts as a failed try if the previous one was
 * too.
 */
const settled = 60_000;

/**
 * Keeps a connection for each address, and as many as there are calls under way. An address counts as
 * connected once the driver there has reported that it is ready (Probe), its name (GetPluginInfo), and that it
 * can delete volumes (ControllerGetCapabilities).
 *
 * When the first connection is broken, and after every call without a response, the driver is asked all of
 * this again, over a new connection. Whether it is ready is also asked over each further connection: a driver
 * that has just started might not know its volumes yet, and report them as deleted. Its name is asked before
 * each deletion: another driver might have taken over the socket, and there the same handle means another
 * volume.
 */
export function createCsiDrivers(options: CsiDriversOptions): CsiDrivers {
  const { addresses, timeout, logger, clock, onReady, onAway } = options;
  const known = new Set<string>();
  const ready = new Map<string, { readonly connections: CsiConnections; readonly lose: () => void }>();

  /**
   * Resolves with the driver's name and its connections when the first of them counts as connected, and with
   * what resolves when that one is broken.
   */
  const connect = async (
    address: string,
    given: SecretValues,
    signal: AbortSignal,
  ): Promise<{
    readonly name: string;
    readonly connections: CsiConnections;
    readonly broken: Promise<void>;
  }> => {
    // gRPC is loaded on demand: it takes a quarter of the CPU time of a start.
    const { createCsiConnection } = await import('./csi-connection.ts');
    const open = (): CsiConnection => createCsiConnection(address, timeout, given);
    for (let failures = 0; ; failures++) {
      const connection = open();
      let isConnected = false;
      try {
        if (await connection.isReady(signal)) {
          const { name } = await connection.pluginInfo(signal);
          if (!isDriverName(name)) {
            throw new Error(
              `the driver at ${address} calls itself ${quoted(name)} (GetPluginInfo), and no PersistentVolume can name such a driver: give the socket of another`,
            );
          }
          if (!(await connection.canDeleteVolumes(signal))) {
            throw new Error(
              `driver ${name} at ${address} can't delete volumes: it lacks CREATE_DELETE_VOLUME; give the socket of its controller service`,
            );
          }
          if (ready.has(name)) {
            throw new Error(`driver ${name} at ${address} is connected at another address already`);
          }
          isConnected = true;
          return {
            name,
            connections: createCsiConnections(connection, open),
            broken: connection.untilBroken(),
          };
        }
        logger.info({ address }, 'CSI driver is not ready yet');
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ address, err: error }, 'CSI driver not connected');
      } finally {
        if (!isConnected) {
          connection.close();
        }
      }
      await sleep(clock, backoffDelay(failures, retry), signal);
    }
  };

  const follow = async (address: string, signal: AbortSignal): Promise<void> => {
    const given = createGivenSecrets();
    /** How many connections in a row were lost before they had settled. */
    let lostEarly = 0;
    try {
      for (;;) {
        const { name, connections, broken } = await connect(address, given, signal);
        const connectedAt = clock.now();
        try {
          signal.throwIfAborted();
          let lose = (): void => undefined;
          const lost = new Promise<void>((resolve) => {
            lose = resolve;
          });
          ready.set(name, { connections, lose });
          known.add(name);
          logger.info({ address, driver: name }, 'CSI driver connected');
          onReady(name);
          signal.addEventListener('abort', lose, { once: true });
          // Nothing might be asked of this driver for long, while volumes of another one at its socket wait.
          await Promise.race([lost, broken]);
          signal.removeEventListener('abort', lose);
          ready.delete(name);
          onAway?.(name);
        } finally {
          // Calls under way end by themselves.
          connections.close();
        }
        signal.throwIfAborted();
        logger.warn({ address, driver: name }, 'CSI driver disconnected');
        lostEarly = clock.now() - connectedAt < settled ? lostEarly + 1 : 0;
        // A request made at each connection might be what breaks it. A server that closes connections without
        // calls is not to be away for that, and they have lasted longer than the delay.
        const next = lostEarly > 1 ? connectedAt + backoffDelay(lostEarly - 2, retry) : 0;
        if (next > clock.now()) {
          await sleep(clock, next - clock.now(), signal);
        }
      }
    } catch (error) {
      if (!signal.aborted) {
        logger.error({ address, err: error }, 'CSI driver abandoned');
      }
    }
  };

  /** Calls a driver after checking, over the same connection, that it is still the same one. */
  const ask = async <T>(
    driver: string,
    signal: AbortSignal,
    call: (connection: CsiConnection, info: PluginInfo) => Promise<T>,
  ): Promise<T> => {
    const connected = ready.get(driver);
    if (connected === undefined) {
      throw new DriverNotReadyError(`CSI driver ${driver} is not connected; the call is retried when it is`);
    }
    let isNamed = false as boolean;
    try {
      return await connected.connections.use(async (connection) => {
        if (!(await connection.isReady(signal))) {
          connected.lose();
          throw new DriverNotReadyError(
            `CSI driver ${driver} has started anew and is not ready yet; the call is retried when it is`,
          );
        }
        const info = await connection.pluginInfo(signal);
        isNamed = true;
        if (info.name !== driver) {
          connected.lose();
          throw new DriverNotReadyError(
            `at the socket of CSI driver ${driver}, ${quoted(info.name)} answers now`,
          );
        }
        return call(connection, info);
      });
    } catch (error) {
      // A driver that is not healthy fails Probe (CSI specification). One that does not report its name in time
      // might have left the socket to another one, and keep only this connection.
      if (
        error instanceof CsiError &&
        (error.unavailable || error.call === 'Probe' || (!isNamed && error.code === 'DEADLINE_EXCEEDED'))
      ) {
        connected.lose();
      }
      throw error;
    }
  };

  return {
    has: (driver) => known.has(driver),
    isReady: (driver) => ready.has(driver),
    deleteVolume: ({ driver, handle, secrets }, options) =>
      ask(driver, options.signal, (connection, { version }) => {
        const flaw = deletionFlaw(driver, version, handle);
        if (flaw !== undefined) {
          throw new Error(flaw);
        }
        return connection.deleteVolume(handle, secrets, options);
      }),
    connected: () => [...ready.keys()],
    canListVolumes: (driver, signal) =>
      ask(driver, signal, (connection) => connection.canListVolumes(signal)),
    listVolumes: (driver, maxEntries, startingToken, signal) =>
      ask(driver, signal, (connection) => connection.listVolumes(maxEntries, startingToken, signal)),
    run: async (signal) => {
      await Promise.all(addresses.map((address) => follow(address, signal)));
    },
  };
}
