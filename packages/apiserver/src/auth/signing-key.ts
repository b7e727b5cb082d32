import {
  type JsonWebKey,
  type KeyObject,
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
} from 'node:crypto';

/**
 * Signs the tokens of service accounts by ECDSA with P-256 and SHA-256 (ES256 of RFC 7518). The header of a
 * token names the algorithm, so verifiers know it.
 */
export interface SigningKey {
  /** Identifies the key in tokens and among the published keys. */
  readonly id: string;
  /** The public key, as a JSON Web Key. */
  readonly published: Readonly<Record<string, string>>;
  sign(text: string): Buffer;
  isSignedBy(text: string, signature: Buffer): boolean;
}

const curve = 'prime256v1';

/**
 * Derives the key from the admin's token, so that a server restarted with that token accepts the tokens that
 * it issued before.
 */
export function signingKey(adminToken: string): SigningKey {
  const { x, y, d } = coordinates(adminToken);
  const id = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
  const { privateKey, publicKey } = keyPair({ kty: 'EC', crv: 'P-256', x, y, d });
  const dsaEncoding = 'ieee-p1363';
  return {
    id,
    published: { use: 'sig', kty: 'EC', kid: id, crv: 'P-256', alg: 'ES256', x, y },
    sign: (text) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding }),
    isSignedBy: (text, signature) =>
      verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding }, signature),
  };
}

function coordinates(adminToken: string): { readonly x: string; readonly y: string; readonly d: string } {
  const ecdh = createECDH(curve);
  // Almost every hash is a valid private key: only one in four billion exceeds the order of the curve, and
  // then the next one is tried.
  for (let attempt = 0; ; attempt++) {
    const secret = createHash('sha256').update(`service account tokens ${attempt}\n${adminToken}`).digest();
    try {
      ecdh.setPrivateKey(secret);
    } catch {
      continue;
    }
    // An uncompressed point: a byte that says so, then two coordinates.
    const point = ecdh.getPublicKey();
    return {
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: secret.toString('base64url'),
    };
  }
}

function keyPair(key: JsonWebKey): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
