import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Endpoint, type Recorded, replay } from './recorded/replay.ts';
import { replayManagedFields } from './recorded/managed-fields-replay.ts';
import { signingRequest } from './signing-request.ts';

/* What some kinds do otherwise than most, as seen on kube-apiserver 1.36 by random requests. */

let server: ApiServer;
let endpoint: Endpoint;
beforeAll(async () => {
  server = await startApiServer({
    tls: false,
    users: [{ token: 't', name: 'admin', groups: ['system:masters'] }],
  });
  endpoint = { url: server.url, token: 't' };
});
afterAll(() => server.stop());

const play = async (...lines: readonly string[]): Promise<Recorded> => {
  let answer: Recorded | undefined;
  for (const line of lines) {
    answer = await replay(line, endpoint, 'default');
  }
  if (answer === undefined) {
    throw new Error('no line to play');
  }
  return answer;
};
const messageOf = ({ body }: Recorded): unknown => (body as { readonly message?: string }).message;

const rules = '"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]';
const roleRef = (kind: string): string =>
  `"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"${kind}","name":"r"}`;

test.each([
  ['/api/v1/namespaces/default/services', '"spec":{"clusterIP":"None"}'],
  ['/apis/node.k8s.io/v1/runtimeclasses', '"handler":"h"'],
  ['$RBAC/namespaces/default/roles', rules],
  ['$RBAC/clusterroles', rules],
  ['$RBAC/namespaces/default/rolebindings', roleRef('Role')],
  ['$RBAC/clusterrolebindings', roleRef('ClusterRole')],
])('absent object of %s is replaced -> it is created', async (path, fields) => {
  const answer = await play(`PUT ${path}/put {"metadata":{"name":"put"},${fields}}`);
  expect(answer.code).toBe(201);
});

test.each(['mutating', 'validating'])(
  'configuration of %s webhooks is replaced without its version -> refused',
  async (type) => {
    const path = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;
    const answer = await play(
      `POST ${path} {"metadata":{"name":"w"}}`,
      `PUT ${path}/w {"metadata":{"name":"w"}}`,
    );
    expect(messageOf(answer)).toMatch(
      /metadata.resourceVersion: Invalid value: 0: must be specified for an update$/,
    );
  },
);

test.each([
  ['/apis/node.k8s.io/v1/runtimeclasses', '"handler":"h"'],
  ['/apis/policy/v1/namespaces/default/poddisruptionbudgets', '"spec":{"selector":{}}'],
])('finalizer without a domain, object of %s -> taken', async (path, fields) => {
  const answer = await play(`POST ${path} {"metadata":{"name":"f","finalizers":["foo"]},${fields}}`);
  expect(answer.code).toBe(201);
});

test('finalizer without a domain, event of events.k8s.io -> refused', async () => {
  const answer = await play(
    'POST /apis/events.k8s.io/v1/namespaces/default/events {"metadata":{"name":"f","finalizers":["foo"]},"eventTime":"2026-01-01T00:00:00.000000Z","reportingController":"a","reportingInstance":"b","action":"c","reason":"R","type":"Normal","regarding":{"namespace":"default"}}',
  );
  expect(messageOf(answer)).toMatch(/^Event "f" is invalid: metadata.finalizers\[0\]/);
});

test('namespace that is not deleted, its status says so -> refused', async () => {
  const answer = await play(
    'POST /api/v1/namespaces {"metadata":{"name":"n"}}',
    'PATCH:merge /api/v1/namespaces/n/status {"status":{"phase":"Terminating"}}',
  );
  expect(messageOf(answer)).toBe(
    `Namespace "n" is invalid: status.Phase: Invalid value: "Terminating": may only be 'Active' if \`deletionTimestamp\` is empty`,
  );
});

test('namespace is deleted in the foreground -> it has the finalizer', async () => {
  const { body } = await play(
    'POST /api/v1/namespaces {"metadata":{"name":"foreground"}}',
    'DELETE /api/v1/namespaces/foreground?propagationPolicy=Foreground',
  );
  expect(body).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'] } });
});

test('namespace is deleted by the UID of another -> refused in words of its own', async () => {
  const answer = await play(
    'POST /api/v1/namespaces {"metadata":{"name":"other"}}',
    'DELETE /api/v1/namespaces/other {"preconditions":{"uid":"x"}}',
  );
  expect(messageOf(answer)).toBe(
    'Operation cannot be fulfilled on namespaces "other": Precondition failed: UID in precondition: x, UID in object meta: <uid>',
  );
});

test('event is deleted as one of events.k8s.io by the UID of another -> refused by the name of its stored form', async () => {
  const answer = await play(
    'POST /api/v1/namespaces/default/events {"metadata":{"name":"e"},"involvedObject":{"namespace":"default"}}',
    'DELETE /apis/events.k8s.io/v1/namespaces/default/events/e {"preconditions":{"uid":"x"}}',
  );
  expect(messageOf(answer)).toMatch(/^Operation cannot be fulfilled on Event "e":/);
});

test('collection is deleted by the UID of none of its objects -> refused, and all are there', async () => {
  const answer = await play(
    'POST $CONFIGMAPS {"metadata":{"name":"kept"}}',
    'DELETE $CONFIGMAPS?fieldSelector=metadata.name%3Dkept {"preconditions":{"uid":"x"}}',
  );
  const after = await play('GET $CONFIGMAPS/kept');
  expect([answer.code, after.code]).toEqual([409, 200]);
});

test.each(['DELETE $JOBS/none', 'DELETE $JOBS'])(
  '%s, and there is none -> warned that pods stay',
  async (line) => {
    const { warning } = await play(line.replace('$JOBS', '/apis/batch/v1/namespaces/default/jobs'));
    expect(warning).toMatch(/child pods are preserved by default when jobs are deleted/);
  },
);

test('watch of Endpoints -> warned of their deprecation', async () => {
  const { warning } = await play('GET /api/v1/namespaces/default/endpoints?watch=1&timeoutSeconds=1');
  expect(warning).toMatch(/v1 Endpoints is deprecated in v1.33\+/);
});

test('label of an EndpointSlice changes -> its generation is raised', async () => {
  const { body } = await play(
    'POST /apis/discovery.k8s.io/v1/namespaces/default/endpointslices {"metadata":{"name":"s"},"addressType":"IPv4","endpoints":[]}',
    'PATCH:merge /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/s {"metadata":{"labels":{"a":"b"}}}',
  );
  expect(body).toMatchObject({ metadata: { generation: 2 } });
});

test('object is created with a deletionTimestamp -> nobody owns it', async () => {
  const [answer] = await replayManagedFields(
    [
      'POST $CONFIGMAPS {"metadata":{"name":"m","labels":{"a":"b"},"deletionTimestamp":"2026-01-01T00:00:00Z"}}',
    ],
    endpoint,
    'default',
  );
  expect(answer?.body).toMatchObject({
    metadata: { managedFields: [{ fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } } }] },
  });
  expect(JSON.stringify(answer?.body)).not.toContain('f:deletionTimestamp');
});

test('signing request is created, its status written -> nobody owns its spec, nor the conditions', async () => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const [answer] = await replayManagedFields(
    [
      `POST ${path} {"metadata":{"name":"c"},"spec":{"signerName":"example.com/s","usages":["client auth"],"request":"${signingRequest}"}}`,
    ],
    endpoint,
    'default',
  );
  expect(answer?.code).toBe(201);
  expect(JSON.stringify(answer?.body)).not.toContain('f:spec');
  const [written] = await replayManagedFields(
    [
      `PATCH:merge ${path}/c/status {"metadata":{"labels":{"a":"b"}},"status":{"conditions":[{"type":"Failed","status":"True"}]}}`,
    ],
    endpoint,
    'default',
  );
  expect(written?.code).toBe(200);
  expect(JSON.stringify(written?.body)).not.toContain('f:conditions');
});

test.each([
  ['list', '"spec":{"tags":{"a":"b"}}', '.spec.tags: expected list, got &{map[a:b]}'],
  ['map', '"spec":"x"', '.spec: expected map, got &{x}'],
])(
  'custom object is applied with a value that is no %s -> the value is said as Go prints it',
  async (_type, fields, problem) => {
    const answer = await play(
      'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions {"metadata":{"name":"gadgets.e.com"},"spec":{"group":"e.com","scope":"Cluster","names":{"plural":"gadgets","kind":"Gadget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}}}}}]}}',
      `PATCH:apply /apis/e.com/v1/gadgets/a?fieldManager=m {"apiVersion":"e.com/v1","kind":"Gadget","metadata":{"name":"a"},${fields}}`,
    );
    expect(messageOf(answer)).toContain(problem);
  },
);

const gadgets = (schema: object): string =>
  `POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions ${JSON.stringify({
    metadata: { name: 'gadgets.f.com' },
    spec: {
      group: 'f.com',
      scope: 'Cluster',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
        },
      ],
    },
  })}`;
const gone = 'DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.f.com';
const gadget = (spec: unknown): string =>
  JSON.stringify({ apiVersion: 'f.com/v1', kind: 'Gadget', metadata: { name: 'a' }, spec });

describe('custom kind', () => {
  afterEach(() => play(gone));

  test('both alternatives of oneOf fit -> the cause names no field', async () => {
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const { body } = await play(
      gadgets({ ...schema, oneOf: [{ required: ['low'] }, { required: ['high'] }] }),
      `POST /apis/f.com/v1/gadgets ${gadget({ low: 1, high: 2 })}`,
    );
    expect(body).toMatchObject({ details: { causes: [{ field: '<nil>' }] } });
  });

  test.each([
    ['a number', { type: 'integer' }, 'd', '.spec.x: expected numeric (int or float), got string'],
    [
      'a text',
      { type: 'string' },
      [{ a: null }],
      '.spec.x: expected string, got &value.valueUnstructured{Value:[]interface {}{map[string]interface {}{"a":interface {}(nil)}}}',
    ],
    ['a boolean', { type: 'boolean' }, 'true', '.spec.x: expected boolean, got &{true}'],
    [
      'an atomic list of texts',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      '.spec.x[1]: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'a map by keys, of which an item has none',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
      [{}],
      '.spec.x: element 0: associative list with keys has an element that omits all key fields ["name"] (',
    ],
    [
      'an atomic map of texts',
      { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
      { a: 1 },
      '.spec.x.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ])('applied field is not %s -> refused as no value of the type', async (_what, schema, value, problem) => {
    const answer = await play(
      gadgets({ type: 'object', properties: { x: schema } }),
      `PATCH:apply /apis/f.com/v1/gadgets/a?fieldManager=m ${gadget({ x: value })}`,
    );
    expect([answer.code, messageOf(answer)]).toEqual([500, expect.stringContaining(problem)]);
  });

  test('strategic merge patch -> refused with what is taken', async () => {
    const answer = await play(gadgets({ type: 'object' }), 'PATCH:strategic /apis/f.com/v1/gadgets/a {}');
    expect([answer.code, messageOf(answer)]).toEqual([
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ]);
  });

  test('subresource that it does not have -> its object is not found', async () => {
    const answer = await play(gadgets({ type: 'object' }), 'GET /apis/f.com/v1/gadgets/a/scale');
    expect(messageOf(answer)).toBe('gadgets.f.com "a" not found');
  });

  test('path of its selector, and none is there -> its scale has none', async () => {
    const { body } = await play(
      gadgets({ type: 'object', properties: { replicas: { type: 'integer' } } }).replace(
        '"storage":true,',
        '"storage":true,"subresources":{"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},',
      ),
      `POST /apis/f.com/v1/gadgets ${gadget({ replicas: 1 })}`,
      'GET /apis/f.com/v1/gadgets/a/scale',
    );
    expect(body).toMatchObject({ kind: 'Scale', status: { replicas: 0 } });
    expect(JSON.stringify(body)).not.toContain('selector');
  });

  test('whole list -> continue is there, and empty', async () => {
    const { body } = await play(gadgets({ type: 'object' }), 'GET /apis/f.com/v1/gadgets');
    expect(body).toMatchObject({ metadata: { continue: '' } });
  });
});

test.each([
  [
    { revision: -1 },
    '[revision: Invalid value: -1: must be greater than or equal to 0, data: Required value: data is mandatory]',
  ],
  [{ revision: 1, data: 5 }, 'data: Required value: data must be a valid JSON object'],
])('controller revision %j -> refused', async (fields, problem) => {
  const answer = await play(
    `POST /apis/apps/v1/namespaces/default/controllerrevisions ${JSON.stringify({ metadata: { name: 'a' }, ...fields })}`,
  );
  expect(messageOf(answer)).toBe(`ControllerRevision.apps "a" is invalid: ${problem}`);
});

test('volume of a CSI driver without names -> refused', async () => {
  const answer = await play(
    'POST /api/v1/persistentvolumes {"metadata":{"name":"a"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"csi":{"driver":"","volumeHandle":""}}}',
  );
  expect(messageOf(answer)).toBe(
    'PersistentVolume "a" is invalid: [spec.csi.driver: Required value, spec.csi.volumeHandle: Required value]',
  );
});

test.each(['action', 'reason', 'reportingInstance'])(
  'event, %s is too long -> refused without showing it',
  async (field) => {
    const event = {
      metadata: { name: 'long' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a',
      reportingInstance: 'b',
      action: 'c',
      reason: 'R',
      type: 'Normal',
      regarding: { namespace: 'default' },
      [field]: 'x'.repeat(130),
    };
    const answer = await play(
      `POST /apis/events.k8s.io/v1/namespaces/default/events ${JSON.stringify(event)}`,
    );
    expect(messageOf(answer)).toBe(
      `Event "long" is invalid: ${field}: Invalid value: "": can have at most 128 characters`,
    );
  },
);

test('no role is listed as a Table -> its rows are null', async () => {
  const { body } = await play('GET:table $RBAC/namespaces/kube-node-lease/roles');
  expect(body).toMatchObject({ rows: null });
});

test('absent service is replaced by its UID -> the key of etcd is told', async () => {
  const answer = await play(
    'PUT /api/v1/namespaces/default/services/none {"metadata":{"name":"none","uid":"x"},"spec":{"clusterIP":"None"}}',
  );
  expect(messageOf(answer)).toContain('Key: /registry/services/specs/<ns>/none,');
});

test.each([
  ['/api/v1/namespaces/default/replicationcontrollers', {}],
  ['/apis/apps/v1/namespaces/default/deployments', { selector: { matchLabels: { a: 'b' } } }],
  ['/apis/apps/v1/namespaces/default/replicasets', { selector: { matchLabels: { a: 'b' } } }],
])('object of %s has a name that is no DNS label -> warned', async (path, spec) => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
  const { warning } = await play(
    `POST ${path} ${JSON.stringify({ metadata: { name: 'a.b' }, spec: { ...spec, template } })}`,
  );
  expect(warning).toContain(
    'this is used in Pod names and hostnames, which can result in surprising behavior',
  );
});

test('image that is no reference -> pulled if it is not there', async () => {
  const { body } = await play(
    'POST $PODS {"metadata":{"name":"odd-image"},"spec":{"containers":[{"name":"c","image":"A b"}]}}',
  );
  expect(body).toMatchObject({ spec: { containers: [{ imagePullPolicy: 'IfNotPresent' }] } });
});

test('event of core/v1 with a time of its own, nobody reports it -> refused', async () => {
  const answer = await play(
    'POST /api/v1/namespaces/default/events {"metadata":{"name":"timed"},"involvedObject":{"namespace":"default"},"eventTime":"2026-01-01T00:00:00.000000Z","reportingComponent":"c","reportingInstance":"i","reason":"R"}',
  );
  expect(messageOf(answer)).toBe('Event "timed" is invalid: action: Required value');
});

test('limit range without a name -> named by a UID', async () => {
  const { body } = await play('POST /api/v1/namespaces/default/limitranges {"spec":{"limits":[]}}');
  expect(body).toMatchObject({ metadata: { name: '<uid>' } });
});

test('priority class gets another preemption policy -> refused for the change alone', async () => {
  const answer = await play(
    'POST /apis/scheduling.k8s.io/v1/priorityclasses {"metadata":{"name":"p"},"value":1}',
    'PATCH:merge /apis/scheduling.k8s.io/v1/priorityclasses/p {"preemptionPolicy":"Sometimes"}',
  );
  expect(messageOf(answer)).toMatch(
    /is invalid: preemptionPolicy: Invalid value: "Sometimes": field is immutable$/,
  );
});
