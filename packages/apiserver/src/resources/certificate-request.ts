import { type KeyObject, constants, createPublicKey, verify } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/* Reads PKCS #10 requests, as Go's crypto/x509 reads them. */

/**
 * Returns what is wrong with a request in PEM, in Go's words as far as there is one text for the mistake;
 * undefined if it is signed by its own key.
 */
export function requestProblem(pem: string): string | undefined {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') {
    return 'PEM block type must be CERTIFICATE REQUEST';
  }
  try {
    return signatureProblem(readRequest(block.der));
  } catch (error) {
    if (error instanceof DerError) {
      return error.message;
    }
    throw error;
  }
}

/** The bytes are not a request. */
class DerError extends Error {}

interface Element {
  /** With its tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

const tags = { integer: 0x02, bits: 0x03, oid: 0x06, sequence: 0x30, attributes: 0xa0 } as const;

/** Takes the elements of some bytes one after the other. Throws DerError. */
function elementsOf(bytes: Buffer): (tag?: number) => Element {
  let at = 0;
  return (tag) => {
    if (at === bytes.length) {
      throw new DerError('asn1: syntax error: sequence truncated');
    }
    const found = bytes[at];
    const first = bytes[at + 1];
    const more = first !== undefined && first > 0x80 ? first - 0x80 : 0;
    const start = at + 2 + more;
    if (first === undefined || start > bytes.length || more > 4) {
      throw new DerError('asn1: syntax error: truncated tag or length');
    }
    if (tag !== undefined && found !== tag) {
      throw new DerError("asn1: structure error: tags don't match");
    }
    const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
    if (start + length > bytes.length) {
      throw new DerError('asn1: syntax error: data truncated');
    }
    const element = {
      whole: bytes.subarray(at, start + length),
      content: bytes.subarray(start, start + length),
    };
    at = start + length;
    return element;
  };
}

interface Request {
  readonly signed: Buffer;
  /** SubjectPublicKeyInfo, in DER. */
  readonly publicKey: Buffer;
  /** The content of an AlgorithmIdentifier. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
}

/** Throws DerError. */
function readRequest(der: Buffer): Request {
  const { whole, content } = elementsOf(der)(tags.sequence);
  const take = elementsOf(content);
  const info = take(tags.sequence);
  const takeInfo = elementsOf(info.content);
  takeInfo(tags.integer);
  // The subject may be any element here.
  takeInfo();
  const publicKey = takeInfo(tags.sequence).whole;
  takeInfo(tags.attributes);
  const algorithm = take(tags.sequence).content;
  // The first byte counts the unused bits.
  const signature = take(tags.bits).content.subarray(1);
  if (whole.length !== der.length) {
    throw new DerError('asn1: syntax error: trailing data');
  }
  return { signed: info.whole, publicKey, algorithm, signature };
}

type KeyType = 'rsa' | 'ec' | 'ed25519';

/** By the hexadecimal content of their object identifiers. */
const algorithms: Readonly<Record<string, readonly [key: KeyType, hash: string | null]>> = {
  '2a864886f70d010105': ['rsa', 'sha1'],
  '2a864886f70d01010b': ['rsa', 'sha256'],
  '2a864886f70d01010c': ['rsa', 'sha384'],
  '2a864886f70d01010d': ['rsa', 'sha512'],
  '2a8648ce3d0401': ['ec', 'sha1'],
  '2a8648ce3d040302': ['ec', 'sha256'],
  '2a8648ce3d040303': ['ec', 'sha384'],
  '2a8648ce3d040304': ['ec', 'sha512'],
  '2b6570': ['ed25519', null],
};
/** RSASSA-PSS, which names its hash in its parameters. */
const pss = '2a864886f70d01010a';
const pssHashes = {
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
} as const;

const keyNames: Readonly<Record<KeyType, readonly [name: string, goType: string, failure: string]>> = {
  rsa: ['RSA', '*rsa.PublicKey', 'crypto/rsa: verification error'],
  ec: ['ECDSA', '*ecdsa.PublicKey', 'x509: ECDSA verification failure'],
  ed25519: ['Ed25519', 'ed25519.PublicKey', 'x509: Ed25519 verification failure'],
};
const unsupported = 'x509: cannot verify signature: algorithm unimplemented';

/** Throws DerError. */
function signatureProblem({ signed, publicKey, algorithm, signature }: Request): string | undefined {
  const id = elementsOf(algorithm)(tags.oid).content.toString('hex');
  const isPss = id === pss;
  const parameters = algorithm.toString('hex');
  const [, pssHash] = Object.entries(pssHashes).find(([hash]) => parameters.includes(hash)) ?? [];
  const [wanted, hash] =
    (isPss && pssHash !== undefined ? (['rsa', pssHash] as const) : algorithms[id]) ?? [];
  const key = readKey(publicKey);
  const type = keyTypes.find((each) => each === key.asymmetricKeyType);
  if (wanted === undefined || hash === undefined || type === undefined) {
    return unsupported;
  }
  if (type !== wanted) {
    return `x509: signature algorithm specifies an ${keyNames[wanted][0]} public key, but have public key of type ${keyNames[type][1]}`;
  }
  const padding = isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING } : undefined;
  return verify(hash, signed, { key, ...padding }, signature) ? undefined : keyNames[type][2];
}

const keyTypes: readonly KeyType[] = ['rsa', 'ec', 'ed25519'];

/** Throws DerError. */
function readKey(der: Buffer): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    throw new DerError('x509: malformed public key');
  }
}
