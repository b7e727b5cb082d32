/** Returns `['--feature-gates=A=true,B=false']`, or no flag if there are no gates. */
export function featureGatesFlag(gates: Readonly<Record<string, boolean>>): string[] {
  const settings = Object.entries(gates).map(([name, on]) => `${name}=${on}`);
  return settings.length > 0 ? [`--feature-gates=${settings.join(',')}`] : [];
}
