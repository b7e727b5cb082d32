/** As much of a cluster of the kubeconfig as is looked at. */
interface Cluster {
  readonly name: string;
  readonly proxyUrl?: string | undefined;
}

/**
 * Returns what to do if the environment names a proxy through which kubectl reaches the API server, because
 * the client reads only the kubeconfig; undefined if there is none.
 */
export function unusedProxy(
  cluster: Cluster | null,
  env: Readonly<Partial<Record<string, string>>>,
): string | undefined {
  const isSet = ['HTTPS_PROXY', 'https_proxy'].some((each) => (env[each] ?? '') !== '');
  return isSet && cluster !== null && cluster.proxyUrl === undefined
    ? `HTTPS_PROXY is set, and not used: kubectl config set clusters.${cluster.name}.proxy-url URL`
    : undefined;
}
