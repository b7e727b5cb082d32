import { randomUUID } from 'node:crypto';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { type BoundObject, type TokenClaims, issuer } from '../resources/token-claims.ts';
import type { SigningKey } from './signing-key.ts';

/*
 * Tokens of service accounts: JSON Web Tokens with the claims of pkg/serviceaccount/claims.go. Writing and
 * reading them takes a few lines of node:crypto; a JWT library would add twenty more algorithms.
 */

/** What a token contains: its claims and its id. */
export type IssuedClaims = TokenClaims & { readonly id: string };

/** Issues a token. Times are in seconds since the epoch. */
export function issueToken(key: SigningKey, claims: TokenClaims, issuedAt: number): string {
  const { namespace, name, uid, bound, audiences, expires } = claims;
  const payload = {
    aud: audiences,
    exp: expires,
    iat: issuedAt,
    iss: issuer,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace,
      ...(bound === undefined
        ? undefined
        : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
      serviceaccount: { name, uid },
    },
    nbf: issuedAt,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  const signed = `${encode({ alg: 'ES256', kid: key.id })}.${encode(payload)}`;
  return `${signed}.${key.sign(signed).toString('base64url')}`;
}

/**
 * Returns the claims of a token that this server issued, even if it is no longer valid; undefined for
 * anything else.
 */
export function readToken(key: SigningKey, token: string): IssuedClaims | undefined {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.');
  if (signature === '' || rest.length > 0) {
    return undefined;
  }
  if (!key.isSignedBy(`${header}.${payload}`, Buffer.from(signature, 'base64url'))) {
    return undefined;
  }
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as JsonObject;
  const own = objectAt(claims, 'kubernetes.io');
  const account = objectAt(own, 'serviceaccount');
  const audiences = claims['aud'];
  return {
    namespace: text(own['namespace']),
    name: text(account['name']),
    uid: text(account['uid']),
    audiences: Array.isArray(audiences) ? audiences.map(text) : [],
    bound: boundObject(own),
    expires: Number(claims['exp']),
    id: text(claims['jti']),
  };
}

function boundObject(own: JsonObject): BoundObject | undefined {
  for (const kind of ['Pod', 'Secret', 'Node'] as const) {
    const bound = own[kind.toLowerCase()];
    if (isObject(bound)) {
      return { kind, name: text(bound['name']), uid: text(bound['uid']) };
    }
  }
  return undefined;
}

function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
