import { Client, connectivityState, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import type { MethodDefinition, ServiceDefinition } from '@grpc/proto-loader';
import type { SecretValues } from '@holdfast/runtime';
import type { StorageDeletionOptions } from '../storage-deletion.ts';
import { CsiError } from './csi-error.ts';
import { createDeleteVolume, csiServices, listVolumes } from './csi-proto.ts';

/** The calls to one CSI driver that deleting volumes and the leak report need. Each throws {@link CsiError}, and the signal's reason when aborted. */
export interface CsiConnection {
  /** Whether the driver says it is ready. */
  probe(signal: AbortSignal): Promise<boolean>;
  /** The driver's name, from GetPluginInfo. */
  driverName(signal: AbortSignal): Promise<string>;
  /** Whether the driver has the capability CREATE_DELETE_VOLUME. */
  canDeleteVolumes(signal: AbortSignal): Promise<boolean>;
  /**
   * Resolves when the driver has confirmed that there is no such volume, or none any more. The call leaves right after `beforeDeletion`,
   * or not at all: without a connection it fails, and does not wait for one.
   */
  deleteVolume(
    handle: string,
    secrets: Readonly<Record<string, string>>,
    options: StorageDeletionOptions,
  ): Promise<void>;
  /** Whether the driver has the capability LIST_VOLUMES. */
  canListVolumes(signal: AbortSignal): Promise<boolean>;
  /**
   * One page of the storage volumes that the driver knows. ABORTED: the token is no longer good, and the list begins anew.
   *
   * @param maxEntries asked for; a driver might send more, up to the 4 MiB that gRPC takes.
   * @param startingToken empty: the first page.
   */
  listVolumes(maxEntries: number, startingToken: string, signal: AbortSignal): Promise<VolumePage>;
  close(): void;
}

export interface VolumePage {
  /** Handles; entries without one are left out. */
  readonly handles: readonly string[];
  /** Empty: there is no further page. */
  readonly nextToken: string;
}

/**
 * Connects to a driver at `unix:///path` when the first call is made. A broken connection comes back by itself: it is tried
 * again at least once a second while calls are made.
 *
 * @param timeout of each call, milliseconds.
 * @param given what the driver at that address was given, and is given.
 */
export function createCsiConnection(address: string, timeout: number, given: SecretValues): CsiConnection {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.enable_http_proxy': 0,
    // A refused call would be sent anew by itself as soon as there is a connection again: to whoever serves the socket by then, by a look of long ago.
    'grpc.enable_retries': 0,
    // A socket has no host name; by default grpc-js sends its path as one, which some servers refuse.
    'grpc.default_authority': 'localhost',
    // By default another connection to the same address would be this one.
    'grpc.use_local_subchannel_pool': 1,
  });

  const isConnected = (): boolean =>
    client.getChannel().getConnectivityState(false) === connectivityState.READY;

  const call = <Response extends object>(
    service: string,
    method: string,
    request: object,
    signal: AbortSignal,
  ): Promise<Response> => {
    const { path, requestSerialize, responseDeserialize } = definitionOf(service, method);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = (): void => sent.cancel();
      const sent = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        // grpc-js takes deadlines by wall time, and counts the time that is left from the moment of the call.
        { deadline: Date.now() + timeout },
        (error, response) => {
          signal.removeEventListener('abort', abort);
          if (signal.aborted) {
            reject(signal.reason as Error);
          } else if (error !== null) {
            reject(errorOf(method, error, isConnected(), given.redact));
          } else {
            resolve(response as Response);
          }
        },
      );
      signal.addEventListener('abort', abort, { once: true });
    });
  };

  const hasCapability = async (type: number, signal: AbortSignal): Promise<boolean> => {
    const { capabilities } = await call<Capabilities>('Controller', 'ControllerGetCapabilities', {}, signal);
    return capabilities.some(({ rpc }) => rpc?.type === type);
  };

  return {
    probe: async (signal) => {
      const { ready } = await call<{ readonly ready: { readonly value: boolean } | null }>(
        'Identity',
        'Probe',
        {},
        signal,
      );
      // A driver that leaves the field out is ready (CSI specification, Probe).
      return ready?.value ?? true;
    },
    driverName: async (signal) => {
      const { name } = await call<{ readonly name: string }>('Identity', 'GetPluginInfo', {}, signal);
      return name;
    },
    canDeleteVolumes: (signal) => hasCapability(createDeleteVolume, signal),
    canListVolumes: (signal) => hasCapability(listVolumes, signal),
    listVolumes: async (maxEntries, startingToken, signal) => {
      const { entries, nextToken } = await call<ListedVolumes>(
        'Controller',
        'ListVolumes',
        { maxEntries, startingToken },
        signal,
      );
      const handles = entries.map(({ volume }) => volume?.volumeId ?? '');
      return { handles: handles.filter((handle) => handle !== ''), nextToken };
    },
    deleteVolume: async (volumeId, secrets, { beforeDeletion, signal }) => {
      if (!isConnected()) {
        throw new CsiError('DeleteVolume', 'UNAVAILABLE', 'the connection to the driver is broken', true);
      }
      Object.values(secrets).forEach(given.add);
      beforeDeletion();
      try {
        await call('Controller', 'DeleteVolume', { volumeId, secrets }, signal);
      } catch (error) {
        // The specification wants OK for a volume that is not there; some drivers answer NOT_FOUND, and mean the same.
        if (!(error instanceof CsiError && error.code === 'NOT_FOUND')) {
          throw error;
        }
      }
    },
    close: () => client.close(),
  };
}

/** Of an answer that it can't read grpc-js makes an error without code and details, whatever its types say. */
function errorOf(
  call: string,
  { code, details = 'the answer can not be read', message }: Partial<ServiceError>,
  isConnected: boolean,
  redact: (text: string) => string,
): CsiError {
  // A server that shuts down cancels what is under way.
  const isUnanswered = !isConnected && (code === status.UNAVAILABLE || code === status.CANCELLED);
  const words = details === '' ? (message ?? '') : details;
  return new CsiError(call, nameOf(code), redact(words), isUnanswered);
}

/** gRPC counts a code that it has not as UNKNOWN; grpc-js passes on whatever number comes. */
function nameOf(code = -1): string {
  return (status as Readonly<Record<number, string | undefined>>)[code] ?? 'UNKNOWN';
}

interface Capabilities {
  readonly capabilities: readonly { readonly rpc: { readonly type: number } | null }[];
}

interface ListedVolumes {
  readonly entries: readonly { readonly volume: { readonly volumeId: string } | null }[];
  readonly nextToken: string;
}

function definitionOf(service: string, method: string): MethodDefinition<object, object> {
  const definition = (csiServices[`csi.v1.${service}`] as ServiceDefinition | undefined)?.[method];
  if (definition === undefined) {
    throw new Error(`csi.v1.${service} has no call ${method}`);
  }
  return definition;
}
