#!/usr/bin/env node
// Committed as it is, so that npm can link it before anything was built.
try {
  const { runControlPlaneCommand } = await import('../dist/control-plane-command.js');
  await runControlPlaneCommand(process.argv.slice(2));
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error(`holdfast-control-plane is not built: npm run build (${error.message})`);
  process.exitCode = 1;
}
