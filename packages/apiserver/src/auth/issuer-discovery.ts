import { type Answer, jsonAnswer } from '../http/answer.ts';
import { issuer } from '../resources/token-claims.ts';
import type { SigningKey } from './signing-key.ts';

const keysPath = '/openid/v1/jwks';

/**
 * Answers OpenID Connect discovery, by which other programs verify tokens of service accounts without asking
 * this server about each one.
 *
 * @param url of this server, without a trailing slash
 * @returns undefined for other paths
 */
export function answerIssuerDiscovery(key: SigningKey, path: string, url: string): Answer | undefined {
  if (path === '/.well-known/openid-configuration') {
    return jsonAnswer(200, {
      issuer,
      jwks_uri: url + keysPath,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
  }
  return path === keysPath
    ? { ...jsonAnswer(200, { keys: [{ ...key.published }] }), contentType: 'application/jwk-set+json' }
    : undefined;
}
