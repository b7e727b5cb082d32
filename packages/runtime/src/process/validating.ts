import { validatingWebhookConfigurations, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import type { AdmissionHandler, AdmissionRequest } from '../webhook/admission.ts';
import { admissionOf, type CheckedResource } from '../webhook/admission-of.ts';
import type { WebhookConfig } from '../webhook/webhook-flags.ts';
import { createWebhookServer, type WebhookServer } from '../webhook/webhook-server.ts';
import type { ProgramApp } from './run-app.ts';

/**
 * Returns what is wrong with an object to be stored, as a message for its writer; undefined if nothing is.
 *
 * @param before the stored object; undefined for a new object, and if the stored one does not fit the kind's
 *   schema.
 */
export type Validate<T extends KubernetesObject, Config extends RuntimeConfig> = (
  object: T,
  before: T | undefined,
  app: ProgramApp<Config>,
) => string | undefined | Promise<string | undefined>;

/**
 * Creates a validating webhook for objects of one kind, to be passed to `runApp`. Use it for checks that
 * neither the schema nor rules in CEL can express. Its path is that of kubebuilder, such as
 * `/validate-example-com-v1-site`.
 *
 * It checks new objects and changed specs. Everything else is allowed: writes of metadata or status, and
 * terminating objects. Otherwise a stored object that became invalid could never lose its finalizers.
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

/** Returns the path at which {@link validating} serves, for the webhook configuration. */
export function validatingPath({ group, version, kind }: ApiResource<KubernetesObject>): string {
  return `/validate-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}

/** Creates the handler of {@link validating}. */
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
    // The API server assigns the name, if there is none yet.
    const message = await validate(object as T, stored);
    return message === undefined ? { kind: 'allowed' } : { kind: 'denied', message };
  });
  return (request, signal) => (isLeftAlone(request) ? { kind: 'allowed' } : judge(request, signal));
}

/** Returns whether the object is terminating, or the write keeps its stored spec. */
function isLeftAlone({ object, oldObject }: AdmissionRequest): boolean {
  return (
    object?.metadata.deletionTimestamp !== undefined ||
    (object !== null && oldObject !== null && specOf(object) === specOf(oldObject))
  );
}

/** Both are comparable as text: the API server writes their fields in the same order. */
function specOf(object: object): string | undefined {
  return JSON.stringify((object as { readonly spec?: unknown }).spec);
}
