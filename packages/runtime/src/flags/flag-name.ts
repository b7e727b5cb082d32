/** The names of the flags that every command has beside its table. */
export const builtIn: readonly string[] = ['config', 'help', 'version'];

/** Converts `kubeApiQps` to `kube-api-qps`. */
export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
