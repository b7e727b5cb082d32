import { Client, connectivityState, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import type { MethodDefinition, ServiceDefinition } from '@grpc/proto-loader';
import type { SecretValues } from '@holdfast/runtime';
import type { StorageDeletionOptions } from '../storage-deletion.ts';
import { CsiError } from './csi-error.ts';
import { createDeleteVolume, csiServices, listVolumes } from './csi-proto.ts';

/**
 * The calls to one CSI driver that deleting volumes and the leak report need. Each throws {@link CsiError},
 * and the signal's reason when aborted.
 */
export interface CsiConnection {
  /**
   * Returns whether the driver says that it is ready (Probe). It is asked only once over an unbroken connection,
   * and before any other call: after a break, whoever serves the socket might have started a moment ago.
   */
  isReady(signal: AbortSignal): Promise<boolean>;
  /** Returns what the driver says about itself (GetPluginInfo). */
  pluginInfo(signal: AbortSignal): Promise<PluginInfo>;
  /** Returns whether the driver has the capability CREATE_DELETE_VOLUME. */
  canDeleteVolumes(signal: AbortSignal): Promise<boolean>;
  /**
   * Resolves when the driver has confirmed that there is no such volume (any more). The call is sent right
   * after `beforeDeletion`, or not at all.
   */
  deleteVolume(
    handle: string,
    secrets: Readonly<Record<string, string>>,
    options: StorageDeletionOptions,
  ): Promise<void>;
  /** Returns whether the driver has the capability LIST_VOLUMES. */
  canListVolumes(signal: AbortSignal): Promise<boolean>;
  /**
   * Returns one page of the storage volumes that the driver knows. If it throws a CsiError with code ABORTED,
   * the token is no longer valid, and the list has to start over.
   *
   * @param maxEntries requested; a driver might send more, up to the 4 MiB that gRPC accepts.
   * @param startingToken empty for the first page.
   */
  listVolumes(maxEntries: number, startingToken: string, signal: AbortSignal): Promise<VolumePage>;
  /** Resolves when the connection is broken or closed. Asked while it stands. */
  untilBroken(): Promise<void>;
  close(): void;
}

export interface PluginInfo {
  readonly name: string;
  /** In any form; empty if the driver reports none. */
  readonly version: string;
}

export interface VolumePage {
  /** Handles; entries without a handle are left out. */
  readonly handles: readonly string[];
  /** Empty if this is the last page. */
  readonly nextToken: string;
}

/**
 * Connects to a driver at `unix:///path` when it is asked whether it is ready. Nothing else connects: without a
 * connection, every other call fails instead of waiting for one.
 *
 * @param timeout of each call, in milliseconds.
 * @param given the secrets that the driver at that address has received; later ones are added.
 */
export function createCsiConnection(address: string, timeout: number, given: SecretValues): CsiConnection {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.enable_http_proxy': 0,
    // Otherwise gRPC would resend a refused call as soon as it has a connection again: to whatever serves the
    // socket by then, and based on an old look.
    'grpc.enable_retries': 0,
    // A socket has no host name; by default grpc-js sends its path as one, which some servers refuse.
    'grpc.default_authority': 'localhost',
    // Otherwise another connection to the same address would share this one.
    'grpc.use_local_subchannel_pool': 1,
    // Otherwise gRPC would close a connection without calls after half an hour. This is the longest time that
    // a timer can take.
    'grpc.client_idle_timeout_ms': 2 ** 31 - 1,
  });

  /** Whether the driver has said over this connection that it is ready. */
  let saidReady = false;

  const isConnected = (): boolean =>
    client.getChannel().getConnectivityState(false) === connectivityState.READY;

  const call = <Response extends object>(
    service: string,
    method: string,
    request: object,
    signal: AbortSignal,
  ): Promise<Response> => {
    const { path, requestSerialize, responseDeserialize } = definitionOf(service, method);
    if (method !== probe && !isConnected()) {
      return Promise.reject(
        new CsiError(method, 'UNAVAILABLE', 'the connection to the driver is broken', true),
      );
    }
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = (): void => sent.cancel();
      const sent = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        // grpc-js takes deadlines by wall time, and counts the remaining time from the moment of the call.
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
    isReady: async (signal) => {
      if (saidReady && isConnected()) {
        return true;
      }
      saidReady = false;
      const { ready } = await call<{ readonly ready: { readonly value: boolean } | null }>(
        'Identity',
        probe,
        {},
        signal,
      );
      // A driver that leaves the field out is ready (CSI specification, Probe).
      saidReady = ready?.value ?? true;
      return saidReady;
    },
    pluginInfo: async (signal) => {
      const { name, vendorVersion: version } = await call<{
        readonly name: string;
        readonly vendorVersion: string;
      }>('Identity', 'GetPluginInfo', {}, signal);
      return { name, version };
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
    deleteVolume: async (volumeId, secrets, { announce, beforeDeletion, signal }) => {
      Object.values(secrets).forEach(given.add);
      await announce([]);
      beforeDeletion();
      try {
        await call('Controller', 'DeleteVolume', { volumeId, secrets }, signal);
      } catch (error) {
        // The specification requires OK for a volume that does not exist; some drivers answer NOT_FOUND with
        // the same meaning.
        if (!(error instanceof CsiError && error.code === 'NOT_FOUND')) {
          throw error;
        }
      }
    },
    untilBroken: () =>
      new Promise((resolve) => {
        if (isConnected()) {
          client.getChannel().watchConnectivityState(connectivityState.READY, Infinity, () => resolve());
        } else {
          resolve();
        }
      }),
    close: () => client.close(),
  };
}

/**
 * For a response that it cannot read, grpc-js makes an error without code and details, whatever its types
 * say.
 */
function errorOf(
  call: string,
  { code, details = 'the answer can not be read', message }: Partial<ServiceError>,
  isConnected: boolean,
  redact: (text: string) => string,
): CsiError {
  // A server that shuts down cancels calls under way.
  const isUnanswered = !isConnected && (code === status.UNAVAILABLE || code === status.CANCELLED);
  const words = details === '' ? (message ?? '') : details;
  return new CsiError(call, nameOf(code), redact(words), isUnanswered);
}

/** gRPC treats an unknown code as UNKNOWN, whereas grpc-js passes on any number. */
function nameOf(code = -1): string {
  return (status as Readonly<Record<number, string | undefined>>)[code] ?? 'UNKNOWN';
}

const probe = 'Probe';

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
