/*
 * The first import of the index: an older Node fails while undici loads, by a TypeError far from where anybody could see why.
 */
const oldest = { major: 22, minor: 19 } as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
  throw new Error(
    `@holdfast/runtime needs Node.js ${String(oldest.major)}.${String(oldest.minor)} or later, and this is ${process.versions.node}`,
  );
}
