/** The program that kubectl looks for in the PATH; for zsh, bash and fish alike, whose completion of kubectl calls it. */
export const completionScript = `#!/bin/sh
# Completes kubectl holdfast: put it in your PATH as kubectl_complete-holdfast.
exec kubectl-holdfast __complete "$@"
`;
