import { validatingWebhookConfigurations, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import type { AdmissionHandler, AdmissionRequest } from '../webhook/admission.ts';
import { admissionOf, type CheckedResource } from '../webhook/admission-of.ts';
import type { WebhookConfig } from '../webhook/webhook-flags.ts';
import { createWebhookServer, type WebhookServer } from '../webhook/webhook-server.ts';
import type { ProgramApp } from './run-app.ts';

/**
 * Says what is wrong with an object that is to be stored, for whoever writes it; undefined: nothing.
 *
 * @param before what is stored: undefined for a new object, and for one that is of another form.
 */
export type Validate<T extends KubernetesObject, Config extends RuntimeConfig> = (
  object: T,
  before: T | undefined,
  app: ProgramApp<Config>,
) => string | undefined | Promise<string | undefined>;

/**
 * A validating webhook for objects of one kind, as `runApp` takes it: for what neither the schema nor rules in CEL can say. Its path is that of kubebuilder's,
 * such as `/validate-example-com-v1-site`.
 *
 * It is asked about new objects and new specifications. All else is allowed: a write of metadata or status, and an object that is terminating, or what is
 * stored already could never lose its finalizers.
 */
export function validating<T extends KubernetesObject, Config extends RuntimeConfig & WebhookConfig>(
  kind: CheckedResource<T>,
  validate: Validate<T, Config>,
): (app: ProgramApp<Config>) => WebhookServer {
  return (app) =>
    createWebhookServer({
      ...app,
      configurations: [validatingWebhookConfigurations],
      routes: {
        [validatingPath(kind)]: validatingHandler(kind, (object, before) => validate(object, before, app)),
      },
    });
}

/** Where {@link validating} serves: what the configuration of the webhook names. */
export function validatingPath({ group, version, kind }: ApiResource<KubernetesObject>): string {
  return `/validate-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}

/** The handler of {@link validating}. */
export function validatingHandler<T extends KubernetesObject>(
  kind: CheckedResource<T>,
  validate: (object: T, before: T | undefined) => string | undefined | Promise<string | undefined>,
): AdmissionHandler {
  const judge = admissionOf(kind, async ({ operation, object, oldObject }) => {
    if (operation === 'DELETE') {
      return { kind: 'allowed' };
    }
    const before = kind.check(oldObject);
    const stored = before.kind === 'valid' ? before.object : undefined;
    if (stored !== undefined && specOf(stored) === specOf(object)) {
      return { kind: 'allowed' };
    }
    // The API server gives it a name, if it has none yet.
    const message = await validate(object as T, stored);
    return message === undefined ? { kind: 'allowed' } : { kind: 'denied', message };
  });
  return (request, signal) => (isLeftAlone(request) ? { kind: 'allowed' } : judge(request, signal));
}

/** While it is terminating, and a write that leaves its specification as it is stored. */
function isLeftAlone({ object, oldObject }: AdmissionRequest): boolean {
  return (
    object?.metadata.deletionTimestamp !== undefined ||
    (object !== null && oldObject !== null && specOf(object) === specOf(oldObject))
  );
}

/** The API server writes the fields of both in the same order, and a schema reads them in its own. */
function specOf(object: object): string | undefined {
  return JSON.stringify((object as { readonly spec?: unknown }).spec);
}
