/** The address to listen on; an undefined host means all interfaces. */
export type BindAddress =
  | { readonly kind: 'off' }
  | { readonly kind: 'listen'; readonly host: string | undefined; readonly port: number };

const hostAndPort = /^(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<host>[A-Za-z0-9.-]*)):(?<port>\d{1,5})$/;

/** Parses `:8080`, `127.0.0.1:0`, `[::1]:8080` or `0` (off); returns undefined for anything else. */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '0') {
    return { kind: 'off' };
  }
  const groups = hostAndPort.exec(text)?.groups;
  const port = Number(groups?.['port']);
  if (groups === undefined || port > 65535) {
    return undefined;
  }
  const host = groups['v6'] ?? groups['host'];
  return { kind: 'listen', host: host === '' ? undefined : host, port };
}
