import { invalid, invalidObject } from '../meta/field-error.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Pod } from '../resources/pod.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { type WriteOptions, ensureNamespace } from '../rest/create-object.ts';
import { admitAction, readObject } from '../rest/subresources.ts';
import { decodeStruct, formatTime } from '../schema/decode.ts';
import type { ServerState } from '../rest/server-state.ts';
import { badRequest, conflict } from '../meta/status-error.ts';
import { bindableKinds } from './authenticator.ts';
import { type BoundObject, issuer, issueToken } from './service-account-token.ts';

interface TokenRequest extends KubeObject {
  spec: {
    audiences: string[] | null;
    expirationSeconds: number | null;
    boundObjectRef: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
  };
}

const kind = { group: 'authentication.k8s.io', name: 'TokenRequest' };
const defaultSeconds = 3600;
const minimumSeconds = 600;
const maximumSeconds = 2 ** 32;

/** serviceaccounts/token: issues a token. Throws 400, 404, 409 and 422 as pkg/registry/core/serviceaccount/storage/token.go. */
export async function requestToken(
  server: ServerState,
  definition: ResourceDefinition,
  accountName: string,
  body: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { namespace } = options;
  const { metadata, spec } = body as TokenRequest;
  ensureNamespace(definition, body, namespace);
  if (metadata.name !== undefined && metadata.name !== accountName) {
    const detail = 'must match the service account name if specified';
    throw invalidObject(kind, accountName, [invalid('metadata.name', metadata.name, detail)]);
  }
  const account = readObject(server, definition, namespace, accountName);
  const uid = account.metadata.uid ?? '';
  if (metadata.uid !== undefined && metadata.uid !== uid) {
    throw conflict(
      kind,
      accountName,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  }
  const expirationSeconds = spec.expirationSeconds ?? defaultSeconds;
  checkSeconds(expirationSeconds);
  const bound = boundObject(server, spec.boundObjectRef, namespace, accountName);
  const audiences = spec.audiences === null || spec.audiences.length === 0 ? [issuer] : spec.audiences;
  const now = server.now();
  const shown = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: accountName, namespace, uid, creationTimestamp: formatTime(now) },
    spec: { ...spec, audiences, expirationSeconds },
    status: { token: '', expirationTimestamp: null },
  };
  const action = { name: 'token', operation: 'CREATE' } as const;
  await admitAction(server, definition, action, accountName, shown, undefined, options);
  const issuedAt = Math.floor(now / 1000);
  const token = issueToken(
    server.tokenSecret,
    { namespace, name: accountName, uid, audiences, bound, expires: issuedAt + expirationSeconds },
    issuedAt,
  );
  const answer = {
    ...shown,
    status: { token, expirationTimestamp: formatTime(now + expirationSeconds * 1000) },
  };
  return decodeStruct('authentication.v1.TokenRequest', answer).value as KubeObject;
}

function checkSeconds(seconds: number): void {
  const refuse = (detail: string): never => {
    throw invalidObject(kind, '', [invalid('spec.expirationSeconds', seconds, detail)]);
  };
  if (seconds < minimumSeconds) {
    refuse('may not specify a duration less than 10 minutes');
  }
  if (seconds > maximumSeconds) {
    refuse('may not specify a duration larger than 2^32 seconds');
  }
}

function boundObject(
  server: ServerState,
  reference: TokenRequest['spec']['boundObjectRef'],
  namespace: string,
  accountName: string,
): BoundObject | undefined {
  if (reference === null) {
    return undefined;
  }
  const { kind: boundKind = '', apiVersion = '', name = '', uid = '' } = reference;
  if (apiVersion.includes('/') || !isBindable(boundKind)) {
    const slash = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token to object of type ${slash}, Kind=${boundKind}`);
  }
  const object = readObject(server, bindableKinds[boundKind], namespace, name);
  if (boundKind === 'Pod' && (object as Pod).spec.serviceAccountName !== accountName) {
    throw badRequest(
      `cannot bind token for serviceaccount "${accountName}" to pod running with different serviceaccount name.`,
    );
  }
  const actual = object.metadata.uid ?? '';
  if (uid !== '' && uid !== actual) {
    throw conflict(
      { group: '', name: boundKind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { kind: boundKind, name, uid: actual };
}

function isBindable(name: string): name is BoundObject['kind'] {
  return Object.hasOwn(bindableKinds, name);
}
