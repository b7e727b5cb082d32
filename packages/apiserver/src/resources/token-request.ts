import { invalid, invalidObject } from '../meta/field-error.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest, conflict } from '../meta/status-error.ts';
import { decodeStruct, formatTime } from '../schema/decode.ts';
import { nodes } from './node.ts';
import { pods } from './pod.ts';
import type { Pod } from './pod-object.ts';
import type { ActionServer, SubresourceAction } from './resource-definition.ts';
import { secrets } from './secret.ts';
import { type BoundObject, issuer } from './token-claims.ts';

interface TokenRequest extends KubeObject {
  spec: {
    audiences: string[] | null;
    expirationSeconds: number | null;
    boundObjectRef: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
  };
}

/** The kinds of objects to which tokens can be bound. */
export const bindableKinds = { Pod: pods, Secret: secrets, Node: nodes } as const;

const kind = { group: 'authentication.k8s.io', name: 'TokenRequest' };
const defaultSeconds = 3600;
const minimumSeconds = 600;
const maximumSeconds = 2 ** 32;

/**
 * serviceaccounts/token: issues a token. Throws 400, 404, 409 and 422 as in
 * pkg/registry/core/serviceaccount/storage/token.go.
 */
export const tokenRequest: SubresourceAction = {
  name: 'token',
  group: kind.group,
  version: 'v1',
  kind: kind.name,
  verbs: ['create'],
  struct: 'authentication.v1.TokenRequest',
  async serve(body: KubeObject, server) {
    const { name, namespace } = server;
    const { metadata, spec } = body as TokenRequest;
    if (metadata.name !== undefined && metadata.name !== name) {
      const detail = 'must match the service account name if specified';
      throw invalidObject(kind, name, [invalid('metadata.name', metadata.name, detail)]);
    }
    const uid = server.current().metadata.uid ?? '';
    if (metadata.uid !== undefined && metadata.uid !== uid) {
      throw conflict(
        kind,
        name,
        `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
      );
    }
    const expirationSeconds = spec.expirationSeconds ?? defaultSeconds;
    checkSeconds(expirationSeconds);
    const bound = boundObject(server, spec.boundObjectRef);
    const audiences = spec.audiences === null || spec.audiences.length === 0 ? [issuer] : spec.audiences;
    const now = server.now();
    const shown = {
      kind: kind.name,
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, uid, creationTimestamp: formatTime(now) },
      spec: { ...spec, audiences, expirationSeconds },
      status: { token: '', expirationTimestamp: null },
    };
    await server.admit(shown);
    const issuedAt = Math.floor(now / 1000);
    const claims = { namespace, name, uid, audiences, bound, expires: issuedAt + expirationSeconds };
    const status = {
      token: server.issueToken(claims, issuedAt),
      expirationTimestamp: formatTime(now + expirationSeconds * 1000),
    };
    const answer = decodeStruct('authentication.v1.TokenRequest', { ...shown, status }).value;
    return { kind: 'created', object: answer as KubeObject };
  },
};

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
  server: ActionServer,
  reference: TokenRequest['spec']['boundObjectRef'],
): BoundObject | undefined {
  if (reference === null) {
    return undefined;
  }
  const { kind: boundKind = '', apiVersion = '', name = '', uid = '' } = reference;
  if (apiVersion.includes('/') || !isBindable(boundKind)) {
    const slash = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token to object of type ${slash}, Kind=${boundKind}`);
  }
  const object = server.read(bindableKinds[boundKind], name);
  if (boundKind === 'Pod' && (object as Pod).spec.serviceAccountName !== server.name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${server.name}" to pod running with different serviceaccount name.`,
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
