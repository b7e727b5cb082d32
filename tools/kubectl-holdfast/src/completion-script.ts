/**
 * The program that kubectl looks for in the PATH. It serves zsh, bash and fish alike, because kubectl's
 * completion for each of them calls it.
 */
export const completionScript = `#!/bin/sh
# Completes kubectl holdfast: put it in your PATH as kubectl_complete-holdfast.
exec kubectl-holdfast __complete "$@"
`;
