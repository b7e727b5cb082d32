import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/*
 * What kube-apiserver 1.36.3 says of configurations that are applied with fields that are not there, or of other types,
 * also within what is replaced as a whole.
 */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

async function apply(
  path: string,
  apiVersion: string,
  kind: string,
  body: Readonly<Record<string, object>>,
): Promise<{ code: number; message: string }> {
  const configuration = { apiVersion, kind, ...body, metadata: { name: 'a', ...body['metadata'] } };
  const { code, body: answered } = await server.handle(
    'PATCH',
    `${path}/a?fieldManager=me&dryRun=All`,
    JSON.stringify(configuration),
    'application/apply-patch+yaml',
  );
  const { message = '' } = JSON.parse(answered) as { message?: string };
  return { code, message };
}

const container = { name: 'c', image: 'i' };

test.each<[string, object, string]>([
  [
    'item of an atomic list, unknown field',
    { tolerations: [{ key: 'a', foo: 1 }] },
    '.spec.tolerations[0].foo: field not declared in schema',
  ],
  [
    'item of an atomic list, number for a text',
    { tolerations: [{ key: 5 }] },
    '.spec.tolerations[0].key: expected string, got &value.valueUnstructured{Value:5}',
  ],
  ['map for an atomic list', { tolerations: {} }, '.spec.tolerations: expected list, got &{map[]}'],
  [
    'atomic map, number for a text',
    { nodeSelector: { a: 1 } },
    '.spec.nodeSelector.a: expected string, got &value.valueUnstructured{Value:1}',
  ],
  ['text for an atomic map', { nodeSelector: 'x' }, '.spec.nodeSelector: expected map, got &{x}'],
  [
    'deep within atomic structs',
    {
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ foo: 1 }] } },
      },
    },
    '.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].foo: field not declared in schema',
  ],
  [
    'atomic item of a map',
    { imagePullSecrets: [{ name: 'a', foo: 1 }] },
    '.spec.imagePullSecrets[name="a"].foo: field not declared in schema',
  ],
  [
    'number among texts',
    { containers: [{ ...container, command: [1] }] },
    '.spec.containers[name="c"].command[0]: expected string, got &value.valueUnstructured{Value:1}',
  ],
])('%s -> 500 that says where', async (_what, spec, problem) => {
  const path = '/api/v1/namespaces/default/pods';
  await expect(apply(path, 'v1', 'Pod', { spec: { containers: [container], ...spec } })).resolves.toEqual({
    code: 500,
    message: `failed to create typed patch object (/a; /v1, Kind=Pod): ${problem}`,
  });
});

test('atomic selector with an unknown field -> 500', async () => {
  const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const spec = { podSelector: { foo: 1 } };
  await expect(apply(path, 'networking.k8s.io/v1', 'NetworkPolicy', { spec })).resolves.toMatchObject({
    code: 500,
    message: expect.stringMatching(/: \.spec\.podSelector\.foo: field not declared in schema$/),
  });
});

test.each<[string, object, number, string]>([
  [
    'container without a name',
    { containers: [{ image: 'i' }] },
    422,
    'Pod "a" is invalid: spec.containers[0].name: Required value',
  ],
  [
    'variable without a name',
    { containers: [{ ...container, env: [{ value: 'x' }] }] },
    422,
    'Pod "a" is invalid: spec.containers[0].env[0].name: Required value',
  ],
  ['reference to a Secret without a name', { containers: [container], imagePullSecrets: [{}] }, 201, ''],
])('%s -> its key is the empty text', async (_what, spec, code, message) => {
  await expect(apply('/api/v1/namespaces/default/pods', 'v1', 'Pod', { spec })).resolves.toEqual({
    code,
    message,
  });
});

test.each<[string, object, number, string]>([
  [
    'without a UID',
    { apiVersion: 'v1', kind: 'A', name: 'a' },
    422,
    'ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ],
  [
    'with an unknown field',
    { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', foo: 1 },
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.ownerReferences[uid="u"].foo: field not declared in schema',
  ],
])('owner reference %s -> refused', async (_what, reference, code, message) => {
  const metadata = { ownerReferences: [reference] };
  await expect(
    apply('/api/v1/namespaces/default/configmaps', 'v1', 'ConfigMap', { metadata }),
  ).resolves.toEqual({ code, message });
});
