import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordedRequest } from '@holdfast/testing';
import { podNamespace } from '../client/pod-namespace.ts';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import type { WebhookConfig } from '../webhook/webhook-flags.ts';

/** An object that belongs to the program and has the same name in every installation. */
interface OwnObject {
  readonly group: string;
  readonly resource: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** What an operator requested in one test, each request once. `holdfast rbac` reads it. */
interface RequestFile {
  readonly format: 'holdfast-requests/1';
  readonly operator: string;
  /** The file of the test. */
  readonly test: string;
  /** The namespaces that it watches; empty: all. */
  readonly namespaces: readonly string[];
  readonly own: readonly OwnObject[];
  readonly requests: readonly Omit<RecordedRequest, 'code'>[];
}

export interface RequestFileOptions {
  readonly folder: string;
  readonly operator: string;
  readonly test: string;
  readonly config: RuntimeConfig & Partial<WebhookConfig>;
  readonly requests: readonly RecordedRequest[];
}

/**
 * How many files each test has written. The file names count them, so that the same tests write the same
 * files.
 */
const written = new Map<string, number>();

/**
 * Writes the requests into a file of the folder, such as `test-site.test.ts-1.json`. Creates the folder if
 * needed.
 */
export async function writeRequestFile(options: RequestFileOptions): Promise<void> {
  const { folder, operator, test, config, requests } = options;
  const place = join(folder, test.replaceAll(/[^\w.]+/g, '-'));
  const number = (written.get(place) ?? 0) + 1;
  written.set(place, number);
  const each = new Map(
    requests.map(({ verb, group, resource, subresource, namespace, name, path, isApply }) => {
      const request = { verb, group, resource, subresource, namespace, name, path, isApply };
      return [JSON.stringify(request), request] as const;
    }),
  );
  const content: RequestFile = {
    format: 'holdfast-requests/1',
    operator,
    test,
    namespaces: config.namespaces,
    own: ownObjects(config),
    requests: [...each.values()],
  };
  await mkdir(folder, { recursive: true });
  await writeFile(`${place}-${String(number)}.json`, JSON.stringify(content, null, 2));
}

/** Returns the lease, and the objects of webhooks with a certificate of their own. */
function ownObjects(config: RequestFileOptions['config']): readonly OwnObject[] {
  const home = podNamespace() ?? 'kube-system';
  const lease: OwnObject = {
    group: 'coordination.k8s.io',
    resource: 'leases',
    namespace: config.leaderElectResourceNamespace ?? home,
    name: config.leaderElectResourceName,
  };
  const { webhookSecretName, webhookNamespace = home, webhookConfigurationName } = config;
  const secret =
    webhookSecretName === undefined
      ? []
      : [{ group: '', resource: 'secrets', namespace: webhookNamespace, name: webhookSecretName }];
  const configurations =
    webhookConfigurationName === undefined
      ? []
      : ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map((resource) => ({
          group: 'admissionregistration.k8s.io',
          resource,
          namespace: '',
          name: webhookConfigurationName,
        }));
  return [lease, ...secret, ...configurations];
}

/**
 * Returns the file that called the given running function, as its path from the working directory, with
 * slashes.
 */
export function callerOf(called: (...given: never) => unknown): string {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, called);
  const found = /(?:\(|at (?:async )?)((?:file:\/\/\/|\/|[A-Z]:)[^()\n]*?):\d+:\d+\)?$/m.exec(
    holder.stack ?? '',
  )?.[1];
  if (found === undefined) {
    return 'unknown';
  }
  const file = found.startsWith('file:') ? fileURLToPath(found) : found;
  return relative(process.cwd(), file).split(sep).join('/');
}
