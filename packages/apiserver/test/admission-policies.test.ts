import { afterEach, describe, expect, test } from '@jest/globals';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../src/server.ts';
import { type Client, clientOf, configMaps, mergePatch } from './client.ts';
import { createAdmissionCompiler } from '../src/cel/admission-expression.ts';
import { compileErrors, condition } from '../src/resources/cel-field.ts';

/*
 * ValidatingAdmissionPolicies beyond what was recorded: requests for all kinds, what an evaluation may cost, what is
 * exempt.
 */

const root = '/apis/admissionregistration.k8s.io/v1';
const policies = `${root}/validatingadmissionpolicies`;
const bindings = `${root}/validatingadmissionpolicybindings`;

let server: ApiServer;
let client: Client;
afterEach(() => server.stop());

async function start(options: ApiServerOptions = {}): Promise<void> {
  server = await startApiServer({ tls: false, ...options });
  client = clientOf(server);
}

const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] };

async function install(name: string, spec: object, binding: object = {}, rule: object = {}): Promise<void> {
  const policy = {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [{ ...everything, ...rule }] }, ...spec },
  };
  const { code, body } = await client.send('POST', policies, policy);
  expect([code, body.message]).toEqual([201, undefined]);
  const bound = await client.send('POST', bindings, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...binding },
  });
  expect([bound.code, bound.body.message]).toEqual([201, undefined]);
}

const unless = (expression: string): object => ({ validations: [{ expression }] });

async function create(name: string, data: Readonly<Record<string, string>> = {}): Promise<[number, unknown]> {
  const { code, body } = await client.send('POST', configMaps, { metadata: { name }, data });
  return [code, body.message];
}

describe('requests', () => {
  test('object without namespace -> namespaceObject is null', async () => {
    await start();
    await install(
      'p',
      unless('namespaceObject == null && !has(request.namespace)'),
      {},
      { resources: ['nodes'] },
    );
    expect((await client.send('POST', '/api/v1/nodes', { metadata: { name: 'n' } })).code).toBe(201);
  });

  test('namespace -> is in itself, and has no namespaceObject', async () => {
    await start();
    const expression = 'request.namespace == "n" && namespaceObject == null';
    await install('p', unless(expression), {}, { resources: ['namespaces'] });
    expect((await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } })).code).toBe(201);
  });

  test('object of a custom kind, params of another -> judged by the params', async () => {
    await start();
    const define = (plural: string, kind: string): object => ({
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural, kind },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
              },
            },
          },
        ],
      },
    });
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await client.send('POST', definitions, define('things', 'Thing'));
    await client.send('POST', definitions, define('limits', 'Limit'));
    const of = (plural: string): string => `/apis/example.com/v1/namespaces/default/${plural}`;
    const object = (kind: string, name: string, size: number): object => ({
      apiVersion: 'example.com/v1',
      kind,
      metadata: { name },
      spec: { size },
    });
    await client.send('POST', of('limits'), object('Limit', 'l', 5));
    await install(
      'p',
      {
        paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
        ...unless('object.spec.size <= params.spec.size'),
      },
      { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } },
      { resources: ['things'] },
    );
    const { code, body } = await client.send('POST', of('things'), object('Thing', 'a', 6));
    expect([code, body.message]).toEqual([
      422,
      `things.example.com "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: object.spec.size <= params.spec.size`,
    ]);
    expect((await client.send('POST', of('things'), object('Thing', 'b', 5))).code).toBe(201);
  });

  test('another version of the kind in the rule -> Equivalent is judged in that form, Exact not at all', async () => {
    await start();
    const rule = { apiGroups: ['events.k8s.io'], resources: ['events'], operations: ['CREATE'] };
    const match = (matchPolicy: string): object => ({
      matchConstraints: { matchPolicy, resourceRules: [{ ...everything, ...rule }] },
    });
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
      type: 'Normal',
    };
    const send = () => client.send('POST', '/api/v1/namespaces/default/events?dryRun=All', event);
    const seen = {
      expression: 'false',
      messageExpression: 'object.apiVersion + " " + object.regarding.name',
    };
    await install('p', { ...match('Exact'), validations: [seen] });
    expect((await send()).code).toBe(201);
    await client.send('DELETE', `${policies}/p`);
    await install('q', { ...match('Equivalent'), validations: [seen] });
    expect((await send()).body.message).toContain('denied request: events.k8s.io/v1 a');
  });

  test('scale of a set -> judged as the subresource', async () => {
    await start();
    const sets = '/apis/apps/v1/namespaces/default/statefulsets';
    await client.send('POST', sets, {
      metadata: { name: 's' },
      spec: {
        serviceName: 's',
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    });
    const expression =
      'request.subResource == "scale" && request.kind.kind == "Scale" && object.spec.replicas < 3';
    await install('p', unless(expression), {}, { resources: ['statefulsets/scale'] });
    const scale = (replicas: number) =>
      client.send('PATCH', `${sets}/s/scale`, { spec: { replicas } }, mergePatch);
    expect((await scale(3)).code).toBe(422);
    expect((await scale(2)).code).toBe(200);
  });

  test('several policies and bindings object -> the first by name is said', async () => {
    await start();
    for (const name of ['b', 'a']) {
      await install(name, { validations: [{ expression: 'false', reason: 'Forbidden', message: name }] });
    }
    expect(await create('c')).toEqual([
      403,
      `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'a' denied request: a`,
    ]);
  });
});

describe('what is exempt', () => {
  test('policies and bindings -> can always be taken away; webhook configurations are judged', async () => {
    await start();
    await install('p', unless('false'));
    const webhooks = `${root}/validatingwebhookconfigurations`;
    expect((await client.send('POST', webhooks, { metadata: { name: 'w' } })).code).toBe(422);
    expect((await client.send('DELETE', `${bindings}/p`)).code).toBe(200);
    expect((await client.send('DELETE', `${policies}/p`)).code).toBe(200);
  });

  test('reviews -> not judged', async () => {
    await start();
    await install('p', unless('false'));
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await client.send('POST', reviews, {})).code).toBe(201);
  });

  test('plugin turned off -> nothing is judged', async () => {
    await start({ disableAdmissionPlugins: ['ValidatingAdmissionPolicy'] });
    await install('p', unless('false'));
    expect(await create('a')).toEqual([201, undefined]);
  });
});

describe('cost', () => {
  const text = 'x'.repeat(800);
  const long = (depth: number): string =>
    `object.data.a.split("").all(a, ${depth === 0 ? 'object.data.a != ""' : `object.data.a.split("").all(b, object.data.a != "")`})`;

  test('one evaluation is too long -> a failure of it, which failurePolicy judges', async () => {
    await start();
    await install('p', unless(long(1)));
    expect(await create('a', { a: text })).toEqual([
      422,
      expect.stringContaining('resulted in error: operation cancelled: actual cost limit exceeded'),
    ]);
    await client.send('PATCH', `${policies}/p`, { spec: { failurePolicy: 'Ignore' } }, mergePatch);
    expect(await create('b', { a: text })).toEqual([201, undefined]);
  });

  test('all conditions together are too long -> a failure of the policy', async () => {
    await start();
    // Each stays below the limit of one evaluation.
    const half = text.slice(0, 400);
    const matchConditions = Array.from({ length: 8 }, (_, index) => ({
      name: `c${index}`,
      expression: long(1),
    }));
    await install('p', { matchConditions, ...unless('true') });
    expect(await create('a', { a: half })).toEqual([
      422,
      expect.stringContaining(
        'denied request: validation failed due to running out of cost budget, no further validation rules will be run',
      ),
    ]);
  });
});

test('conversion that always fails -> internal error, in the words of kube-apiserver 1.36', () => {
  const expression = 'int("a") == 1';
  const compile = (): unknown => createAdmissionCompiler({}).compile(expression, condition);
  expect(compileErrors(compile, expression, 'at')).toEqual([
    {
      field: 'at',
      reason: 'InternalError',
      message: "Internal error: program instantiation failed: type conversion error from 'string' to 'int'",
    },
  ]);
});
