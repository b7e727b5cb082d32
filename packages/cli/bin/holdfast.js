#!/usr/bin/env node
// Committed as it is, so that npm can link it before anything was built.
try {
  const { runHoldfast } = await import('../dist/run-holdfast.js');
  await runHoldfast(process.argv.slice(2));
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error(`holdfast is not built: npm run build (${error.message})`);
  process.exitCode = 2;
}
