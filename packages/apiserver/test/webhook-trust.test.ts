import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generate } from 'selfsigned';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { clientOf, configMaps } from './client.ts';

/*
 * A webhook as envtest of controller-runtime sets one up: a URL with two slashes in a row, which kube-apiserver makes
 * one of, and as caBundle the certificate of the webhook itself, which an authority has signed that nobody knows. Go
 * trusts what it is given.
 */

let server: ApiServer;
let webhook: ReturnType<typeof createServer>;
let certificate: string;
const paths: (string | undefined)[] = [];

beforeAll(async () => {
  const authority = await generate([{ name: 'commonName', value: 'authority' }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'keyUsage', keyCertSign: true },
    ],
  });
  const leaf = await generate([{ name: 'commonName', value: 'webhook' }], {
    keyType: 'ec',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  certificate = leaf.cert;
  webhook = createServer({ cert: leaf.cert, key: leaf.private }, (request, response) => {
    paths.push(request.url);
    void json(request).then((review) => {
      const { uid } = (review as { request: { uid: string } }).request;
      const status = { message: 'none of these' };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid, allowed: false, status },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  server = await startApiServer({ tls: false });
});
afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => webhook.close(resolve));
});

test('caBundle is the certificate of the webhook, URL has two slashes -> webhook is asked', async () => {
  const { send } = clientOf(server);
  const { port } = webhook.address() as AddressInfo;
  await send('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'w' },
    webhooks: [
      {
        name: 'w.example.com',
        clientConfig: {
          url: `https://127.0.0.1:${port}//failing//all`,
          caBundle: Buffer.from(certificate).toString('base64'),
        },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const { code, body } = await send('POST', configMaps, { metadata: { name: 'a' } });
  expect({ code, message: body.message }).toEqual({
    code: 400,
    message: 'admission webhook "w.example.com" denied the request: none of these',
  });
  expect(paths).toEqual(['/failing/all?timeout=10s']);
});
