/** A block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

/** A block whose end does not match its start, or that is not base64, is no block. */
const block =
  /^-----BEGIN ([^\n]*?)-----[ \t\r]*\n((?:[^\n:]+:[^\n]*\n)*)([A-Za-z0-9+/=\s]*)-----END \1-----[ \t\r]*$/gm;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function pemBlocks(pem: string): readonly PemBlock[] {
  return Array.from(pem.matchAll(block)).flatMap(([, type = '', headers = '', body = '']) => {
    const text = body.replaceAll(/\s/g, '');
    return base64.test(text) ? [{ type, hasHeaders: headers !== '', der: Buffer.from(text, 'base64') }] : [];
  });
}
