import type { PersistentVolume } from '@holdfast/core';
import { createApiClient, createClientMetrics } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { provisionerSecret } from '../apps.ts';
import { deviate, type Deviation } from '../deviation.ts';
import { deviationsOf } from '../deviations-of.ts';
import { isUnset, objectIn, type Mutable } from '../json.ts';
import { createOddServer } from '../odd-server.ts';
import type { Schemas } from '../openapi.ts';
import type { Target } from '../target.ts';
import { metadata } from '../worlds/world.ts';

/**
 * The objects that determine which Secret a CSI driver gets for the deletion of a volume, and the Secret's
 * content.
 */
interface Input {
  /** Whether the volume or its class names the Secret. */
  readonly namedBy: 'volume' | 'class';
  readonly volume: readonly Deviation[];
  readonly storageClass: readonly Deviation[];
  readonly secret: readonly Deviation[];
}

const password = 'kept-from-all-8Zr';
const annotation = 'volume.kubernetes.io/provisioner-deletion-secret-';
const parameter = 'csi.storage.k8s.io/provisioner-secret-';

const volumes = {
  volume: volumeWith({ annotations: { [`${annotation}name`]: 'named', [`${annotation}namespace`]: 'shop' } }),
  class: volumeWith({}),
} as const;
const storageClass: Mutable = {
  metadata: metadata('fast'),
  provisioner: 'csi.example.com',
  parameters: { [`${parameter}name`]: 'named', [`${parameter}namespace`]: '${pvc.namespace}' },
};
const secret: Mutable = {
  metadata: metadata('named', {}, 'shop'),
  data: { password: Buffer.from(password).toString('base64') },
};

function volumeWith(more: Mutable): Mutable {
  return {
    metadata: metadata('v', more),
    spec: {
      storageClassName: 'fast',
      claimRef: { namespace: 'shop', name: 'data', uid: 'u' },
      csi: { driver: 'csi.example.com', volumeHandle: 'v' },
    },
  };
}

/**
 * The driver must get exactly what can be read in the named Secret, or nothing may be deleted. No other
 * Secret may be read, and nothing of a Secret may be shown.
 */
export function driverSecrets(schemas: Schemas): Target<Input> {
  const core = 'io.k8s.api.core.v1';
  const oddly = (object: Mutable, schema: string): fc.Arbitrary<readonly Deviation[]> =>
    fc.oneof(
      { arbitrary: fc.constant([]), weight: 1 },
      { arbitrary: deviationsOf(object, schemas.named(schema), schemas, 2), weight: 1 },
    );
  return {
    name: 'driver-secrets',
    input: fc.constantFrom('volume' as const, 'class' as const).chain((namedBy) =>
      fc.record({
        namedBy: fc.constant(namedBy),
        volume: oddly(volumes[namedBy], `${core}.PersistentVolume`),
        storageClass: oddly(storageClass, 'io.k8s.api.storage.v1.StorageClass'),
        secret: oddly(secret, `${core}.Secret`),
      }),
    ),
    play: async (input) => {
      const server = createOddServer(() => undefined);
      const isOdd = [input.volume, input.storageClass, input.secret].some(({ length }) => length > 0);
      server.put('storageclasses.storage.k8s.io//fast', deviate(storageClass, input.storageClass));
      server.put('secrets/shop/named', deviate(secret, input.secret));
      server.put('secrets/ops/other', {
        metadata: metadata('other', {}, 'ops'),
        data: { other: Buffer.from('not to be given').toString('base64') },
      });
      const client = createApiClient({
        transport: server.transport,
        credentials: {
          fresh: () => ({ headers: {}, tls: {} }),
          get: () => Promise.reject(new Error('they are always fresh')),
          renew: () => undefined,
        },
        metrics: createClientMetrics(new Registry(), 'odd'),
        clock: createFakeClock(1_000),
        userAgent: 'fuzz',
      });
      let given: Readonly<Record<string, string>>;
      try {
        const volume = deviate(volumes[input.namedBy], input.volume) as unknown as PersistentVolume;
        ({ values: given } = await provisionerSecret(client, volume, {}));
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        if (!isOdd) {
          throw new Error(`not given to the driver, although nothing is odd: ${words}`, { cause: error });
        }
        const data = objectIn(objectIn(server.objects.get('secrets/shop/named'))?.['data']) ?? {};
        const shown = Object.values(data).find(
          (each) => String(each).length > 5 && words.includes(String(each)),
        );
        if (shown !== undefined || words.includes(password)) {
          throw new Error(`a secret is in an error: ${words.slice(0, 200)}`, { cause: error });
        }
        return;
      }
      const raw = server.objects.get('secrets/shop/named')?.['data'];
      const data = objectIn(raw) ?? {};
      if (Object.keys(given).length > 0 && JSON.stringify(given) !== JSON.stringify(decoded(data))) {
        throw new Error(`given to the driver: ${JSON.stringify(given).slice(0, 200)}`);
      }
      if (!isOdd && given['password'] !== password) {
        throw new Error('the driver does not get its secret');
      }
      // A Secret that cannot be read must not look like an empty one.
      if (
        input.volume.length + input.storageClass.length === 0 &&
        objectIn(raw) === undefined &&
        !isUnset(raw)
      ) {
        throw new Error('content that can not be read counts as none');
      }
    },
  };
}

function decoded(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value === null ? '' : undefined,
    ]),
  );
}
