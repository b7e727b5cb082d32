import { X509Certificate } from 'node:crypto';
import {
  guardedPatch,
  secrets,
  testAbsent,
  type ApiResource,
  type JsonPatch,
  type MutatingWebhookConfiguration,
  type Secret,
  type ValidatingWebhookConfiguration,
} from '@holdfast/core';
import type { Logger } from 'pino';
import { backoffDelay } from '../time/backoff.ts';
import { isAlreadyExists, isForbidden } from '../client/api-error.ts';
import type { ApiClient } from '../client/api-client.ts';
import { find } from '../client/find.ts';
import { guardedWrite } from '../client/guarded-write.ts';
import { processSecrets } from '../logging/secret-values.ts';
import { slept, type Clock } from '../time/clock.ts';
import {
  createAuthority,
  isDue,
  isFor,
  issueCertificate,
  problemOf,
  type CertificateAuthority,
  type CertificateSource,
  type ServingCertificate,
} from '../serving/serving-certificate.ts';

/**
 * A webhook configuration with our webhooks, which also holds the authority that the API server trusts when
 * it calls them.
 */
export interface WebhookConfigurationRef {
  readonly resource: ApiResource<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>;
  readonly name: string;
}

export interface SelfSignedCertificateOptions {
  readonly client: ApiClient;
  /** Holds the authority and the certificate that all replicas share. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The names by which the API server calls any replica: DNS names and IP addresses. */
  readonly hosts: readonly string[];
  /** Those of this replica only, such as the address that it listens on. Default: none. */
  readonly ownHosts?: readonly string[];
  /** The `caBundle` of all webhooks in these configurations is kept equal to our authority. */
  readonly configurations: readonly WebhookConfigurationRef[];
  readonly clock: Clock;
  /** Wall clock by which certificates expire. */
  readonly now?: () => Date;
  readonly logger: Logger;
}

/** How often the Secret and the configurations are checked, in milliseconds. */
const interval = 10_000;
const retry = { initial: 500, max: 30_000, jitter: 0.5 };

/** The contents of the Secret. */
interface Material {
  /** PEM: the authority, and also the previous one until the new one is trusted everywhere. */
  readonly bundle: string;
  readonly authority: CertificateAuthority;
  readonly serving: ServingCertificate;
}

/**
 * Creates an authority and a serving certificate for clusters without cert-manager. Both are kept in a Secret
 * that the replicas share: the first replica to create it wins, and the others use what it holds. An empty
 * Secret is filled, so that the app does not need permission to create one.
 *
 * The certificate is valid for a year, the authority for ten; both are renewed after two thirds. A new
 * authority is first added to the bundle, so that replicas which still present the old certificate stay
 * trusted. A certificate is presented only after the configurations trust its authority.
 *
 * The shared certificate is for the names that all replicas have. One with a name of its own signs a certificate for
 * itself by the shared authority: if the Secret had to have the names of all, they would replace it in turn.
 */
export function createSelfSignedCertificate(options: SelfSignedCertificateOptions): CertificateSource {
  const {
    client,
    secret: ref,
    hosts,
    ownHosts = [],
    configurations,
    clock,
    now = () => new Date(),
    logger,
  } = options;
  const missing = new Set<string>();
  /**
   * What a dry run has made for the Secret at this version; undefined stands for no Secret. It is used while the
   * Secret stays at this version. Nothing is kept of what was stored: after a restore of etcd, the Secret can have
   * the earlier version again without it.
   */
  let made: { readonly version: string | undefined; readonly material: Material } | undefined;
  /** The certificate of this replica alone, and the authority that signed it. */
  let own: Pick<Material, 'authority' | 'serving'> | undefined;
  /** The bundle that a dry run has written to a configuration, and the version that it was at. */
  const trusting = new Map<string, { readonly version: string; readonly bundle: string }>();

  const make = async (old?: Material): Promise<Material> => {
    const time = now();
    const keeps = old !== undefined && !isDue(new X509Certificate(old.authority.certificate), time);
    const authority = keeps ? old.authority : await createAuthority(`${ref.name}-ca`, time);
    const isStillTrusted =
      old !== undefined && new X509Certificate(old.authority.certificate).validToDate > time;
    const bundle = keeps
      ? old.bundle
      : [authority.certificate, ...(isStillTrusted ? [old.authority.certificate] : [])].map(asLine).join('');
    return { bundle, authority, serving: await issueCertificate(hosts, authority, time) };
  };

  const isGood = (
    { authority, serving }: Pick<Material, 'authority' | 'serving'>,
    names: readonly string[],
  ): boolean => {
    const time = now();
    const signer = new X509Certificate(authority.certificate);
    const certificate = new X509Certificate(serving.certificate);
    return (
      !isDue(signer, time) &&
      !isDue(certificate, time) &&
      problemOf(serving) === undefined &&
      certificate.verify(signer.publicKey) &&
      names.every((host) => isFor(certificate, host))
    );
  };

  /** Makes the Secret, and returns what is in it. */
  const fill = async (signal: AbortSignal): Promise<Material | undefined> => {
    const material = await make();
    keepSecret(material);
    try {
      const object = { metadata: ref, type: 'kubernetes.io/tls', data: dataOf(material) };
      const created = await client.create(secrets, ref.namespace, object, { signal });
      logger.info({ secret: ref.name, namespace: ref.namespace }, 'Certificate made');
      const stored = materialOf(created);
      // What a dry run creates has no version.
      made = created.metadata.resourceVersion
        ? undefined
        : stored && { version: undefined, material: stored };
      return stored;
    } catch (error) {
      if (isAlreadyExists(error)) {
        // Another replica was faster. It is read the next time, after a delay: a server whose answers contradict each
        // other, as during a restore, would have keys made without end.
        return undefined;
      }
      throw isForbidden(error)
        ? new Error(
            `Secret ${ref.namespace}/${ref.name} is missing and may not be created: if the program's manifests contain it, apply the manifests again`,
            { cause: error },
          )
        : error;
    }
  };

  /**
   * Returns the contents of the Secret, renewed if due; undefined if another replica wrote or deleted it at
   * the same time.
   */
  const take = async (signal: AbortSignal): Promise<Material | undefined> => {
    const secret = await find(client, secrets, ref, { signal });
    const old = secret && materialOf(secret);
    keepSecret(old);
    if (old !== undefined && isGood(old, hosts)) {
      return old;
    }
    const version = secret?.metadata.resourceVersion;
    if (made !== undefined && made.version === version && isGood(made.material, hosts)) {
      return made.material;
    }
    if (secret === undefined) {
      return fill(signal);
    }
    const material = await make(old);
    keepSecret(material);
    const patch = guardedPatch(secret, [
      secret.data === undefined ? testAbsent('/data') : { op: 'test', path: '/data', value: secret.data },
      { op: 'add', path: '/data', value: { ...secret.data, ...dataOf(material) } },
    ]);
    const written = await guardedWrite(() => client.patch(secrets, ref, patch, { signal }));
    switch (written.kind) {
      case 'written':
        made = written.object.metadata.resourceVersion === version ? { version, material } : undefined;
        logger.info({ secret: ref.name, namespace: ref.namespace }, 'Certificate renewed');
        return material;
      case 'gone':
      case 'outdated':
        return undefined;
      case 'failed':
        throw written.error;
    }
  };

  const trust = async (bundle: string, signal: AbortSignal): Promise<void> => {
    for (const { resource, name } of configurations) {
      const { kind } = resource;
      const configuration = await find(client, resource, { name }, { signal });
      if (configuration === undefined) {
        if (!missing.has(`${kind}/${name}`)) {
          missing.add(`${kind}/${name}`);
          logger.warn({ kind, name }, 'Webhook configuration is not there yet: no webhook is called');
        }
        continue;
      }
      missing.delete(`${kind}/${name}`);
      const version = configuration.metadata.resourceVersion;
      const last = trusting.get(`${kind}/${name}`);
      const isTried = last?.version === version && last.bundle === bundle;
      const operations = bundlePatch(configuration, Buffer.from(bundle).toString('base64'));
      if (operations.length > 0 && !isTried) {
        const patch = guardedPatch(configuration, operations);
        const { metadata } = await client.patch(resource, { name }, patch, { signal });
        if (metadata.resourceVersion === version) {
          trusting.set(`${kind}/${name}`, { version, bundle });
        }
        logger.info({ kind, name }, 'Webhook configuration trusts our certificate');
      }
    }
  };

  /** Returns the certificate that this replica presents. */
  const servingOf = async ({ authority, serving }: Material): Promise<ServingCertificate> => {
    const shared = new X509Certificate(serving.certificate);
    if (ownHosts.every((host) => isFor(shared, host))) {
      return serving;
    }
    const names = [...hosts, ...ownHosts];
    if (own?.authority.certificate !== authority.certificate || !isGood(own, names)) {
      own = { authority, serving: await issueCertificate(names, authority, now()) };
      processSecrets.add(own.serving.key);
      logger.info({ hosts: names }, 'Certificate made for the address of this replica');
    }
    return own.serving;
  };

  return {
    follow: async (use, signal) => {
      let shown: ServingCertificate | undefined;
      let failures = 0;
      let delay = 0;
      while (await slept(clock, delay, signal)) {
        try {
          const material = await take(signal);
          if (material === undefined) {
            throw new Error(`Secret ${ref.namespace}/${ref.name} was changed meanwhile`);
          }
          await trust(material.bundle, signal);
          const serving = await servingOf(material);
          if (shown?.certificate !== serving.certificate) {
            shown = serving;
            use(shown);
          }
          failures = 0;
          delay = interval;
        } catch (error) {
          // A race with another replica is over at once.
          delay = backoffDelay(failures, retry);
          failures += 1;
          logger.warn(
            { err: error, secret: ref.name, retryInMs: Math.round(delay) },
            'Certificate could not be checked or renewed, tried again',
          );
        }
      }
    },
  };
}

/** Other admission plugins might refuse the Secret, and repeat what is in it. */
function keepSecret(material: Material | undefined): void {
  if (material !== undefined) {
    processSecrets.add(material.authority.key);
    processSecrets.add(material.serving.key);
  }
}

function asLine(pem: string): string {
  return `${pem.trim()}\n`;
}

function dataOf({ bundle, authority, serving }: Material): NonNullable<Secret['data']> {
  const texts = {
    'ca.crt': bundle,
    'ca.key': authority.key,
    'tls.crt': serving.certificate,
    'tls.key': serving.key,
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(asLine(text)).toString('base64')]),
  );
}

/** @throws Error if the Secret holds a certificate that was not made here. */
function materialOf({ metadata, data = {} }: Secret): Material | undefined {
  const [bundle, authorityKey, certificate, key] = ['ca.crt', 'ca.key', 'tls.crt', 'tls.key'].map((name) =>
    Buffer.from(data[name] ?? '', 'base64').toString(),
  );
  if (!certificate && !key && !authorityKey) {
    return undefined;
  }
  const authority = { certificate: firstCertificate(bundle ?? ''), key: authorityKey ?? '' };
  const serving = { certificate: certificate ?? '', key: key ?? '' };
  const problem = problemOf(authority) ?? problemOf(serving);
  if (!authorityKey || !authority.certificate || problem !== undefined) {
    throw new Error(
      `Secret ${String(metadata.namespace)}/${metadata.name} holds something that was not made here (${problem ?? 'ca.crt or ca.key is missing'}): delete it (and create it empty, if this program may not), choose another with --webhook-secret-name, or mount it and use --webhook-cert-dir`,
    );
  }
  return { bundle: bundle ?? '', authority, serving };
}

function firstCertificate(bundle: string): string {
  return /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(bundle)?.[0] ?? '';
}

function bundlePatch(
  { webhooks = [] }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
  caBundle: string,
): JsonPatch {
  return webhooks.flatMap(({ name, clientConfig }, index): JsonPatch => {
    const path = `/webhooks/${String(index)}/clientConfig/caBundle`;
    return clientConfig.caBundle === caBundle
      ? []
      : [
          { op: 'test', path: `/webhooks/${String(index)}/name`, value: name },
          clientConfig.caBundle === undefined
            ? testAbsent(path)
            : { op: 'test', path, value: clientConfig.caBundle },
          { op: 'add', path, value: caBundle },
        ];
  });
}
