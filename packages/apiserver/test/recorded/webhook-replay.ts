import { type Endpoint, type Recorded, normalise, replay } from './replay.ts';
import type { WebhookServer } from './webhook-server.ts';

/** An answer with what the hooks were sent while it was made. */
export interface RecordedWithHooks extends Recorded {
  readonly hooks?: readonly unknown[];
}

const configurations = '/apis/admissionregistration.k8s.io/v1';
/** What a hook of a scenario is unless its line says otherwise. */
const usual = {
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [
    {
      operations: ['*'],
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['configmaps', 'persistentvolumeclaims'],
    },
  ],
};

/**
 * Sends the lines of one scenario of webhook-requests.ts. `settle` waits until the server has seen a configuration: a
 * real one takes a moment. The configurations made are removed at the end.
 */
export async function replayWithHooks(
  lines: readonly string[],
  endpoint: Endpoint,
  namespace: string,
  hooks: WebhookServer,
  otherCertificate: string,
  settle: () => Promise<void>,
): Promise<readonly RecordedWithHooks[]> {
  const answers: RecordedWithHooks[] = [];
  const made: string[] = [];
  await replay(
    'POST /api/v1/namespaces {"metadata":{"name":"$NS","labels":{"scenario":"$NS"}}}',
    endpoint,
    namespace,
  );
  const ca = Buffer.from(hooks.certificate).toString('base64');
  const fill = (line: string): string =>
    line
      .replaceAll('$HOOKS', hooks.url)
      .replaceAll('$CA', ca)
      .replaceAll('$OTHERCA', Buffer.from(otherCertificate).toString('base64'))
      .replaceAll('$PORT', String(hooks.port));
  const hide = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(ca, '<ca>')
        .replace(/dry-[a-z0-9]{5}/g, 'dry-<random>')
        // Each server issues tokens in a name of its own.
        .replaceAll('https://kubernetes.default.svc.cluster.local', 'https://kubernetes.default.svc')
        .replaceAll(`:${hooks.port}`, ':<port>'),
    );

  for (const line of lines) {
    const [verb = '', name = '', ...rest] = line.split(' ');
    if (verb === 'MUTATING' || verb === 'VALIDATING') {
      const plural = `${verb.toLowerCase()}webhookconfigurations`;
      const hook = JSON.parse(fill(rest.join(' '))) as { clientConfig: { path?: string } };
      const { path, ...client } = hook.clientConfig;
      const clientConfig = {
        caBundle: ca,
        ...(path === undefined ? undefined : { url: `${hooks.url}/${path}` }),
        ...client,
      };
      const namespaceSelector = { matchLabels: { scenario: '$NS' } };
      const webhook = { name: `${name}.example.com`, namespaceSelector, ...usual, ...hook, clientConfig };
      const configuration = { metadata: { name: `${name}-$NS` }, webhooks: [webhook] };
      const answer = await replay(
        `POST ${configurations}/${plural} ${JSON.stringify(configuration)}`,
        endpoint,
        namespace,
      );
      if (answer.code !== 201) {
        throw new Error(`${line} was answered ${JSON.stringify(answer)}`);
      }
      made.push(`${configurations}/${plural}/${name}-$NS`);
      continue;
    }
    if (made.length > 0 && answers.length === 0) {
      await settle();
    }
    hooks.take();
    const answer = await replay(fill(line), endpoint, namespace);
    const seen = hooks.take().map(({ path, review }) => ({ path, review: normalise(review, namespace) }));
    // Validating hooks are called all at once.
    const isValidating = (path: string): boolean => path.startsWith('/allow') || path.includes('/validating');
    const inOrder = seen.filter(({ path }) => !isValidating(path));
    const atOnce = seen.filter(({ path }) => isValidating(path));
    atOnce.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    // One that deletes what its cache shows wrong asks again.
    const called = [...inOrder, ...atOnce].filter(
      (call, index, all) => JSON.stringify(call) !== JSON.stringify(all[index - 1]),
    );
    answers.push(
      hide({
        ...answer,
        request: line,
        ...(called.length === 0 ? undefined : { hooks: called }),
      }) as RecordedWithHooks,
    );
  }
  for (const path of made) {
    await replay(`DELETE ${path}`, endpoint, namespace);
  }
  return answers;
}
