/** An entry of a tar archive, limited to what an image needs. Paths are relative, with `/` as separator. */
export type TarEntry =
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Buffer }
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

const blockSize = 512;

/**
 * Writes a tar archive (POSIX ustar). The result depends only on the entries and not on their order: they are
 * sorted by path, owned by root, and dated to second 0. Missing parent folders are added with mode 0755.
 *
 * @throws for a path that occurs twice, leads out of the archive, or does not fit into a ustar header (some
 *   255 bytes)
 */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const byPath = new Map<string, TarEntry>();
  for (const entry of entries) {
    checkPath(entry.path);
    if (byPath.has(entry.path)) {
      throw new Error(`two entries are at ${entry.path}`);
    }
    byPath.set(entry.path, entry);
  }
  for (const { path } of entries) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      const parent = path.slice(0, end);
      const present = byPath.get(parent);
      if (present === undefined) {
        byPath.set(parent, { kind: 'folder', path: parent, mode: 0o755 });
      } else if (present.kind !== 'folder') {
        throw new Error(`${path} is below ${parent}, which is a ${present.kind}`);
      }
    }
  }
  // A folder comes before its contents, since its path is shorter. Bytes are compared, so that no locale
  // matters.
  const sorted = [...byPath.values()].toSorted((a, b) =>
    Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
  );
  return Buffer.concat([...sorted.flatMap(write), Buffer.alloc(2 * blockSize)]);
}

function checkPath(path: string): void {
  if (path.includes('\0') || path.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw new Error(`${JSON.stringify(path)} is not a relative path without empty parts, "." and ".."`);
  }
}

function write(entry: TarEntry): readonly Buffer[] {
  switch (entry.kind) {
    case 'file': {
      const padding = Buffer.alloc(-entry.content.length & (blockSize - 1));
      return [header(entry.path, '0', entry.mode, { size: entry.content.length }), entry.content, padding];
    }
    case 'folder':
      return [header(`${entry.path}/`, '5', entry.mode)];
    case 'link':
      return [header(entry.path, '2', 0o777, { target: entry.target })];
  }
}

function header(path: string, type: string, mode: number, { size = 0, target = '' } = {}): Buffer {
  const block = Buffer.alloc(blockSize);
  const { prefix, name } = splitPath(path);
  if (Buffer.byteLength(target) > 100) {
    throw new Error(`the link ${path} leads to a path of more than 100 bytes`);
  }
  const octal = (value: number, offset: number, digits: number): void => {
    const text = value.toString(8).padStart(digits, '0');
    if (text.length > digits) {
      throw new Error(`${path}: ${value} doesn't fit into a field of ${digits} octal digits`);
    }
    block.write(text, offset, 'ascii');
  };
  block.set(name, 0);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write(type, 156, 'ascii');
  block.write(target, 157);
  block.write('ustar\x0000', 257, 'latin1');
  octal(0, 329, 7);
  octal(0, 337, 7);
  block.set(prefix, 345);
  // The checksum is the sum of all bytes, counting its own field as spaces.
  block.fill(' ', 148, 156);
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  block.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/**
 * A header has room for a name of 100 bytes and a folder of 155 bytes; the `/` between them is not written.
 */
function splitPath(path: string): { readonly prefix: Buffer; readonly name: Buffer } {
  const bytes = Buffer.from(path);
  if (bytes.length <= 100) {
    return { prefix: Buffer.alloc(0), name: bytes };
  }
  const slash = bytes.indexOf('/', bytes.length - 101);
  if (slash === -1 || slash > 155 || slash === bytes.length - 1) {
    throw new Error(`${path} is too long for a ustar header`);
  }
  return { prefix: bytes.subarray(0, slash), name: bytes.subarray(slash + 1) };
}

/**
 * Reads a tar archive: ustar, with the long names of GNU tar and pax. A leading `./` is removed.
 *
 * @throws for hard links, devices and other entries that a package of libraries does not need
 */
export function readTar(archive: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  let longPath: string | undefined;
  let longTarget: string | undefined;
  for (let offset = 0; offset + blockSize <= archive.length;) {
    const block = archive.subarray(offset, offset + blockSize);
    if (block[0] === 0) {
      break;
    }
    const text = (start: number, length: number): string => {
      const field = block.subarray(start, start + length);
      const end = field.indexOf(0);
      return field.toString('utf8', 0, end === -1 ? length : end);
    };
    const size = Number.parseInt(text(124, 12), 8);
    const start = offset + blockSize;
    if (Number.isNaN(size) || start + size > archive.length) {
      throw new Error(`the archive ends within ${text(0, 100)}, or is no tar archive`);
    }
    const content = archive.subarray(start, start + size);
    offset = start + Math.ceil(size / blockSize) * blockSize;
    const type = text(156, 1);
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      const withoutEnd = (bytes: Buffer): string => bytes.toString('utf8').replace(/\0+$/, '');
      const pax = type === 'x' ? readPax(content) : undefined;
      longPath = type === 'L' ? withoutEnd(content) : (pax?.get('path') ?? longPath);
      longTarget = type === 'K' ? withoutEnd(content) : (pax?.get('linkpath') ?? longTarget);
      continue;
    }
    // GNU's format, which has a space after `ustar`, has times in place of the prefix.
    const prefix = text(257, 6) === 'ustar' ? text(345, 155) : '';
    const path = (longPath ?? (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`))
      .replace(/^\.\//, '')
      .replace(/\/$/, '');
    const mode = Number.parseInt(text(100, 8), 8) & 0o7777;
    const target = longTarget ?? text(157, 100);
    longPath = undefined;
    longTarget = undefined;
    switch (type) {
      case '0':
      case '':
        entries.push({ kind: 'file', path, mode, content });
        break;
      case '5':
        if (path !== '' && path !== '.') {
          entries.push({ kind: 'folder', path, mode });
        }
        break;
      case '2':
        entries.push({ kind: 'link', path, target });
        break;
      default:
        throw new Error(`${path} is of type "${type}", which is neither file, folder nor symbolic link`);
    }
  }
  return entries;
}

/** Parses records of the form `<length> <key>=<value>\n`, whose length counts the whole record. */
function readPax(content: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let offset = 0; offset < content.length;) {
    const space = content.indexOf(' ', offset);
    const length = Number.parseInt(content.toString('ascii', offset, space), 10);
    if (!(length > 0)) {
      throw new Error('a pax header has a record without a length');
    }
    const [, key = '', value = ''] =
      /^([^=]*)=([^]*)$/.exec(content.toString('utf8', space + 1, offset + length - 1)) ?? [];
    records.set(key, value);
    offset += length;
  }
  return records;
}
