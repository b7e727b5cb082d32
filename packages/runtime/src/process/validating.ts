import { validatingWebhookConfigurations, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import type { AdmissionAnswer, AdmissionHandler, AdmissionRequest } from '../webhook/admission.ts';
import type { WebhookConfig } from '../webhook/webhook-flags.ts';
import { createWebhookServer, type WebhookServer } from '../webhook/webhook-server.ts';
import type { ProgramApp } from './run-app.ts';

/** A kind whose objects can be checked when they come from outside, as `defineResource` makes it. */
export interface CheckedKind<T extends KubernetesObject> extends ApiResource<T> {
  check(object: unknown):
    | { readonly kind: 'valid'; readonly object: T }
    | {
        readonly kind: 'invalid';
        readonly problems: readonly { readonly path: string; readonly message: string }[];
      };
}

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
  kind: CheckedKind<T>,
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
  kind: CheckedKind<T>,
  validate: (object: T, before: T | undefined) => string | undefined | Promise<string | undefined>,
): AdmissionHandler {
  return async ({ operation, object, oldObject }: AdmissionRequest): Promise<AdmissionAnswer> => {
    if (object === null || operation === 'DELETE' || object.metadata.deletionTimestamp !== undefined) {
      return { kind: 'allowed' };
    }
    const after = kind.check(object);
    if (after.kind === 'invalid') {
      const message = after.problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
      return { kind: 'denied', message };
    }
    const before = kind.check(oldObject);
    const stored = before.kind === 'valid' ? before.object : undefined;
    if (stored !== undefined && specOf(stored) === specOf(after.object)) {
      return { kind: 'allowed' };
    }
    const message = await validate(after.object, stored);
    return message === undefined ? { kind: 'allowed' } : { kind: 'denied', message };
  };
}

/** Both were read by the same schema, so that their fields are in the same order. */
function specOf(object: object): string {
  return JSON.stringify((object as { readonly spec?: unknown }).spec);
}
