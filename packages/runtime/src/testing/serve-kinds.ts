import type { ClusterResource, KubernetesObject, Stored } from '@holdfast/core';
import type { DefinedResource } from '@holdfast/core/custom-resource';
import type { WritingClient } from '../client/verbs.ts';
import { awaitObject } from './await-object.ts';

/** A CustomResourceDefinition with its status, as read from the API server. */
type Definition = Stored<{
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}>;

const definitions: ClusterResource<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/**
 * Makes the API server serve the kinds, and resolves when it does. An existing definition is changed to the
 * given one.
 *
 * @throws Error naming a kind that is refused, with the API server's reason, or that is not served when the
 *   signal is aborted.
 */
export async function serveKinds(
  client: WritingClient,
  kinds: readonly DefinedResource<KubernetesObject>[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(kinds.map((kind) => serveKind(client, kind, signal)));
}

async function serveKind(
  client: WritingClient,
  { kind, definition }: DefinedResource<KubernetesObject>,
  signal: AbortSignal,
): Promise<void> {
  const { name } = definition.metadata;
  try {
    await client.apply(definitions, { name }, definition, {
      fieldManager: 'test-operator',
      force: true,
      signal,
    });
  } catch (error) {
    throw signal.aborted ? lateness(kind, name, error) : refusal(kind, name, String(error), error);
  }
  try {
    await awaitObject(client, definitions, { name }, isServed(kind, name), signal);
  } catch (error) {
    throw signal.aborted ? lateness(kind, name, error) : error;
  }
}

/** @throws Error if it never will be served. */
function isServed(kind: string, name: string): (definition: Definition) => boolean {
  return ({ status }) => {
    const conditions = status?.conditions ?? [];
    const refused = conditions.find((each) => each.type === 'NamesAccepted' && each.status === 'False');
    if (refused !== undefined) {
      throw refusal(kind, name, refused.message ?? 'its names are taken');
    }
    return conditions.some((each) => each.type === 'Established' && each.status === 'True');
  };
}

function lateness(kind: string, name: string, cause: unknown): Error {
  return new Error(
    `kind ${kind} is not served in time: CustomResourceDefinition ${name} is not established; look at its conditions, or give testOperator more patience`,
    { cause },
  );
}

function refusal(kind: string, name: string, why: string, cause?: unknown): Error {
  return new Error(
    `kind ${kind} is not served, CustomResourceDefinition ${name} was refused: ${why}; change what defineResource is given`,
    { cause },
  );
}
