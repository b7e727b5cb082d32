/*
 * This is the first import of each entry point that loads undici, because an older Node fails while undici
 * loads, with a TypeError that does not show why.
 */
const oldest = { major: 22, minor: 19 } as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
  throw new Error(
    `@holdfast/runtime needs Node.js ${String(oldest.major)}.${String(oldest.minor)} or later, and this is ${process.versions.node}`,
  );
}
