import { backoffDelay, sleep, type Clock } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { CsiError, createCsiConnection, type CsiConnection } from './csi-connection.ts';

/** A driver that can't be asked now; {@link CsiDriversOptions.onReady} is called when it can again. */
export class DriverNotReadyError extends Error {
  override readonly name = 'DriverNotReadyError';
}

export interface CsiDriversOptions {
  /** Each `unix:///path`. */
  readonly addresses: readonly string[];
  /** Of each call, milliseconds. */
  readonly timeout: number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** A driver has become known, or can be asked again after it was away. */
  readonly onReady: (driver: string) => void;
}

/** The CSI drivers that this process can delete volumes with. */
export interface CsiDrivers {
  /** Whether a driver of this name has been met, even if it is away now. */
  has(driver: string): boolean;
  /**
   * Deletes a volume on the driver's storage, and resolves when the driver has confirmed it.
   *
   * @throws DriverNotReadyError when the driver is away; CsiError for what it answers, or when it goes away meanwhile.
   */
  deleteVolume(
    driver: string,
    handle: string,
    secrets: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Meets the drivers, and meets them again whenever they were away, until aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Time between two tries to meet a driver, milliseconds. */
const meeting = { initial: 200, max: 5_000 };

/**
 * One connection for each address. A driver is met before anything is asked of it: Probe until it is ready, then its name, and
 * whether it can delete volumes. That is done anew after every call that nobody answered, and the name is asked once more before
 * each deletion: a socket may come to be another driver's, to whom a handle may mean another volume.
 */
export function createCsiDrivers(options: CsiDriversOptions): CsiDrivers {
  const { addresses, timeout, logger, clock, onReady } = options;
  const known = new Set<string>();
  const ready = new Map<string, { readonly connection: CsiConnection; readonly lose: () => void }>();

  const meet = async (address: string, connection: CsiConnection, signal: AbortSignal): Promise<string> => {
    for (let failures = 0; ; failures++) {
      try {
        if (await connection.probe(signal)) {
          const name = await connection.driverName(signal);
          if (name === '') {
            throw new Error(`the driver at ${address} has no name (GetPluginInfo)`);
          }
          if (!(await connection.canDeleteVolumes(signal))) {
            throw new Error(
              `driver ${name} at ${address} can't delete volumes: it lacks CREATE_DELETE_VOLUME; give the socket of its controller service`,
            );
          }
          if (ready.has(name)) {
            throw new Error(`driver ${name} at ${address} is met at another address already`);
          }
          return name;
        }
        logger.info({ address }, 'CSI driver is not ready yet');
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ address, err: error }, 'CSI driver not met');
      }
      await sleep(clock, backoffDelay(failures, meeting), signal);
    }
  };

  const follow = async (address: string, signal: AbortSignal): Promise<void> => {
    const connection = createCsiConnection(address, timeout);
    try {
      for (;;) {
        const name = await meet(address, connection, signal);
        signal.throwIfAborted();
        let lose = (): void => undefined;
        const lost = new Promise<void>((resolve) => {
          lose = resolve;
        });
        ready.set(name, { connection, lose });
        known.add(name);
        logger.info({ address, driver: name }, 'CSI driver met');
        onReady(name);
        signal.addEventListener('abort', lose, { once: true });
        await lost;
        signal.removeEventListener('abort', lose);
        ready.delete(name);
        signal.throwIfAborted();
        logger.warn({ address, driver: name }, 'CSI driver lost');
      }
    } catch (error) {
      if (!signal.aborted) {
        logger.error({ address, err: error }, 'CSI driver given up');
      }
    } finally {
      connection.close();
    }
  };

  return {
    has: (driver) => known.has(driver),
    deleteVolume: async (driver, handle, secrets, signal) => {
      const met = ready.get(driver);
      if (met === undefined) {
        throw new DriverNotReadyError(`CSI driver ${driver} is away; tried again when it is back`);
      }
      try {
        const name = await met.connection.driverName(signal);
        if (name !== driver) {
          met.lose();
          throw new DriverNotReadyError(`where CSI driver ${driver} was, ${name} answers now`);
        }
        await met.connection.deleteVolume(handle, secrets, signal);
      } catch (error) {
        if (error instanceof CsiError && error.unavailable) {
          met.lose();
        }
        throw error;
      }
    },
    run: async (signal) => {
      await Promise.all(addresses.map((address) => follow(address, signal)));
    },
  };
}
