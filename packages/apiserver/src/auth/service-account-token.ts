import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { type BoundObject, type TokenClaims, issuer } from '../resources/token-claims.ts';

/*
 * Tokens of service accounts: JSON Web Tokens with the claims of pkg/serviceaccount/claims.go. They are signed with a
 * secret rather than a key pair, as nobody but this server reads them; that is one call of node:crypto, and a JWT library
 * would bring the other twenty algorithms.
 */

/** What can be read from a token: its claims, and its own id. */
export type IssuedClaims = TokenClaims & { readonly id: string };

/** The secret that signs, derived from the admin's token: a server restarted with that token takes the tokens it issued. */
export function signingSecret(adminToken: string): Buffer {
  return createHash('sha256').update(`service account tokens\n${adminToken}`).digest();
}

/** Issues a token. Times in seconds since the epoch. */
export function issueToken(secret: Buffer, claims: TokenClaims, issuedAt: number): string {
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
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(payload)}`;
  return `${signed}.${sign(secret, signed).toString('base64url')}`;
}

/** The claims of a token of this server, whether it still holds or not; undefined for anything else. */
export function readToken(secret: Buffer, token: string): IssuedClaims | undefined {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.');
  if (signature === '' || rest.length > 0) {
    return undefined;
  }
  const expected = sign(secret, `${header}.${payload}`);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
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

function sign(secret: Buffer, signed: string): Buffer {
  return createHmac('sha256', secret).update(signed).digest();
}
