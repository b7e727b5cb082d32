import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { clientOf } from './client.ts';

/*
 * Conditions of webhooks, in CEL. The webhook is at an address where nothing listens, so that a request that it is
 * called for is answered with 500 (failurePolicy Fail).
 */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const configMaps = '/api/v1/namespaces/default/configmaps';

function configurationOf(expressions: readonly string[], failurePolicy = 'Fail'): object {
  return {
    metadata: { name: 'conditions' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/a' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy,
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
      },
    ],
  };
}

async function createUnder(
  expressions: readonly string[],
  failurePolicy?: string,
): Promise<{ code: number; message: unknown }> {
  const client = clientOf(server);
  expect(
    await client.send('POST', configurations, configurationOf(expressions, failurePolicy)),
  ).toMatchObject({ code: 201 });
  const { code, body } = await client.send('POST', `${configMaps}?dryRun=All`, {
    metadata: { name: 'a', labels: { size: 'large' } },
    data: { a: 'b' },
  });
  await client.send('DELETE', `${configurations}/conditions`);
  return { code, message: body.message };
}

describe('conditions', () => {
  test.each<[string, string[], number]>([
    ['none', [], 500],
    ['all true', ['object.data.a == "b"', 'request.operation == "CREATE"', 'oldObject == null'], 500],
    ['true of the request', ['request.resource.resource == "configmaps" && request.dryRun'], 500],
    ['true of the namespace', ['request.namespace == "default" && namespaceObject == null'], 500],
    [
      'true of what may be absent',
      ['object.?data.?a == optional.of("b") && object.?nope == oldObject.?nope'],
      500,
    ],
    ['true of the user', ['"system:masters" in request.userInfo.groups'], 500],
    ['true of what the sender may do', ['authorizer.requestResource.check("create").allowed()'], 500],
    [
      'false of what an account may do',
      ['authorizer.serviceAccount("default", "a").path("/metrics").check("get").allowed()'],
      201,
    ],
    ['one false', ['true', 'object.metadata.labels["size"] == "small"'], 201],
    ['one false, one fails', ['object.nope.nope == 1', 'has(object.nope)'], 201],
    ['one fails', ['object.nope == 1'], 403],
  ])('%s -> code %3$s', async (_, expressions, code) => {
    expect(await createUnder(expressions)).toMatchObject({ code });
  });

  test('one fails, failurePolicy Ignore -> not called', async () => {
    expect(await createUnder(['object.nope == 1'], 'Ignore')).toMatchObject({ code: 201 });
  });

  test('one fails -> the request is told which', async () => {
    expect(await createUnder(['object.nope == 1'])).toMatchObject({
      message:
        'configmaps "a" is forbidden: expression \'object.nope == 1\' resulted in error: no such key: nope',
    });
  });
});

describe('condition that is wrong -> configuration refused', () => {
  test.each([
    ['', 'Required value'],
    ['request.nope == 1', "compilation failed: ERROR: <input>:1:8: undefined field 'nope'"],
    ['nope', "undeclared reference to 'nope' (in container '')"],
    [
      'authorizer.group("").check("get").allowed()',
      "found no matching overload for 'check' applied to 'kubernetes.authorization.GroupCheck.(string)'",
    ],
    ['object.a', 'must evaluate to bool but got dyn'],
    ['"a"', 'must evaluate to bool but got string'],
  ])('%j', async (expression, message) => {
    const { code, body } = await clientOf(server).send('POST', configurations, configurationOf([expression]));
    expect(code).toBe(422);
    expect(body.message).toContain('webhooks[0].matchConditions[0].expression: ');
    expect(body.message).toContain(message);
  });

  test('two of one name', async () => {
    const configuration = configurationOf(['true', 'true']);
    const text = JSON.stringify(configuration).replace('"c1"', '"c0"');
    const { body } = await clientOf(server).send('POST', configurations, JSON.parse(text) as object);
    expect(body.message).toContain('webhooks[0].matchConditions[1].name: Duplicate value: "c0"');
  });
});
